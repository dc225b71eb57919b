import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ENVIRONMENT, referencePages } from '../scripts/reference.mjs'
import { EXIT_MEANINGS } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/definitions.ts'
import { CODES } from '../src/model/codes.ts'
import { GUARDS } from '../src/plan/plan-data.ts'
import { SCOPES } from '../src/rules/vocabulary.ts'
import { EXIT } from '../src/run/exit-codes.ts'
import { BEHAVIOURS, SERVERS } from '../src/sandbox/index.ts'
import { expectDocument } from './support/transcript.ts'

/** `npm run build && node scripts/reference.mjs` updates the pages, and so does UPDATE_GOLDEN=1 here. */
const ROOT = resolve(import.meta.dirname, '..')
const pages = referencePages({
  commands: COMMANDS,
  meanings: EXIT_MEANINGS,
  codes: CODES,
  guards: GUARDS,
  scopes: SCOPES,
  behaviours: BEHAVIOURS,
  servers: SERVERS,
})

test.each(['cli.md', 'files.md', 'diagnostics.md', 'rules.md', 'sandbox.md'] as const)(
  '%s is up to date',
  async name => {
    expectDocument(join(ROOT, 'docs/reference', name), (await pages)[name])
  },
)

test('docs/reference contains no other page', async () => {
  // `npm run proof -- --write` writes its figures.
  const wanted = [...Object.keys(await pages), 'proof.md']
  expect(readdirSync(join(ROOT, 'docs/reference')).toSorted()).toEqual(wanted.toSorted())
})

test('every exit code is documented', () => {
  const explained = EXIT_MEANINGS.map(([code, meaning]) => `${code} ${meaning}`).join('\n')
  expect(Object.values(EXIT).filter(code => !new RegExp(`\\b${code}\\b`).test(explained))).toEqual([])
})

test('exactly the environment variables that the program reads are documented', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.gen.ts'))
    .map(file => readFileSync(join(ROOT, 'src', file), 'utf8'))
  const named = sources.flatMap(
    text => text.match(/\b(?:SETPOINT|TFE?)_[A-Z_]+(?=['"`.,\s<[$)])|\bNO_COLOR\b/g) ?? [],
  )
  const wanted = ENVIRONMENT.map(([name]) => name.replace(/<.*>$/, '')).filter(
    name => !ELSEWHERE.includes(name),
  )
  expect([...new Set(named)].filter(name => !wanted.includes(name) && !TOLD.includes(name))).toEqual([])
  expect(wanted.filter(name => !named.includes(name))).toEqual([])
})

/** Variables of pipelines, which the program only mentions. */
const TOLD = ['TFE_TOKEN_READ', 'TF_VAR_']

/** Read by Node and the HTTP client, or named by the forges, so the sources do not contain them. */
const ELSEWHERE = [
  'HTTPS_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'GITHUB_TOKEN',
  'GITLAB_TOKEN',
  'GITHUB_ACTIONS',
  'GITHUB_STEP_SUMMARY',
  'NODE_COMPILE_CACHE',
]
