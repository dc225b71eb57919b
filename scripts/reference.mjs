// Writes docs/reference/ from the definitions of the command line, the schemas and the diagnostic codes, and the shared definitions
// of the report's schema. Needs a build.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { plannedObjects } from './planned.mjs'
import { cliPage } from './reference/cli.mjs'
import { diagnosticsPage } from './reference/diagnostics.mjs'
import { filesPage } from './reference/files.mjs'
import { reportSchema } from './reference/report-schema.mjs'
import { rulesPage } from './reference/rules.mjs'
import { sandboxPage } from './reference/sandbox.mjs'

export { ENVIRONMENT } from './reference/environment.mjs'

const root = new URL('../', import.meta.url)

/** The pages by file name, from the same definitions as the program. */
export async function referencePages({ commands, meanings, codes, guards, scopes, axes, profile }) {
  const schemas = await readSchemas()
  return {
    'cli.md': cliPage(commands, meanings),
    'files.md': filesPage(schemas),
    'diagnostics.md': diagnosticsPage(codes, guards),
    'rules.md': rulesPage(plannedObjects(schemas.get('report')), scopes),
    'sandbox.md': sandboxPage(axes, profile),
  }
}

/** `schemas/report.schema.json`, from that of the plan. */
export async function wantedReportSchema() {
  const schemas = await readSchemas()
  return reportSchema(schemas.get('plan'), schemas.get('report'))
}

const text = path => readFile(new URL(path, root), 'utf8')

async function readSchemas() {
  const ending = '.schema.json'
  const names = (await readdir(new URL('schemas/', root))).filter(name => name.endsWith(ending)).sort()
  const read = names.map(async name => [
    name.slice(0, -ending.length),
    JSON.parse(await text(`schemas/${name}`)),
  ])
  return new Map(await Promise.all(read))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const schema = `${JSON.stringify(await wantedReportSchema(), undefined, 2)}\n`
  await writeFile(new URL('schemas/report.schema.json', root), schema)
  const { COMMANDS } = await import('../dist/cli/definitions.js')
  const { EXIT_MEANINGS } = await import('../dist/cli/command.js')
  const { DIAGNOSTIC_CODES } = await import('../dist/model/diagnostic.js')
  const { GUARD_CODES } = await import('../dist/plan/plan-data.js')
  const { SCOPES } = await import('../dist/rules/vocabulary.js')
  const { AXES, DEFAULT_PROFILE } = await import('../dist/sandbox/index.js')
  const pages = await referencePages({
    commands: COMMANDS,
    meanings: EXIT_MEANINGS,
    codes: DIAGNOSTIC_CODES,
    guards: GUARD_CODES,
    scopes: SCOPES,
    axes: AXES,
    profile: DEFAULT_PROFILE,
  })
  for (const [name, page] of Object.entries(pages))
    await writeFile(new URL(`docs/reference/${name}`, root), page)
}
