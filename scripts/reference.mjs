// Writes docs/reference/ from the definitions of the command line, the schemas and the diagnostic codes. Needs a build.
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { plannedObjects } from './planned.mjs'
import { cliPage } from './reference/cli.mjs'
import { diagnosticsPage } from './reference/diagnostics.mjs'
import { filesPage } from './reference/files.mjs'
import { rulesPage } from './reference/rules.mjs'
import { sandboxPage } from './reference/sandbox.mjs'
import { publishedSchemas } from './schemas.mjs'

export { ENVIRONMENT } from './reference/environment.mjs'

const root = new URL('../', import.meta.url)

/** The pages by file name, from the same definitions as the program. */
export async function referencePages({ commands, meanings, codes, guards, scopes, behaviours, servers }) {
  const schemas = new Map([...(await publishedSchemas())].map(([name, { schema }]) => [name, schema]))
  return {
    'cli.md': cliPage(commands, meanings),
    'files.md': filesPage(schemas),
    'diagnostics.md': diagnosticsPage(codes, guards),
    'rules.md': rulesPage(plannedObjects(schemas.get('report')), scopes),
    'sandbox.md': sandboxPage(behaviours, servers),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { COMMANDS } = await import('../dist/cli/definitions.js')
  const { EXIT_MEANINGS } = await import('../dist/cli/command.js')
  const { CODES } = await import('../dist/model/codes.js')
  const { GUARDS } = await import('../dist/plan/plan-data.js')
  const { SCOPES } = await import('../dist/rules/vocabulary.js')
  const { BEHAVIOURS, SERVERS } = await import('../dist/sandbox/index.js')
  const pages = await referencePages({
    commands: COMMANDS,
    meanings: EXIT_MEANINGS,
    codes: CODES,
    guards: GUARDS,
    scopes: SCOPES,
    behaviours: BEHAVIOURS,
    servers: SERVERS,
  })
  for (const [name, page] of Object.entries(pages))
    await writeFile(new URL(`docs/reference/${name}`, root), page)
}
