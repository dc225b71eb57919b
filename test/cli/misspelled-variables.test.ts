import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { misspelledVariables, VARIABLES } from '../../src/cli/misspelled-variables.ts'
import { aDirectory, run } from '../support/program.ts'

const SOURCE = join(import.meta.dirname, '../../src')

test('the list has every variable that the source reads, and no other', () => {
  const read = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('misspelled-variables.ts'))
    .flatMap(
      name =>
        readFileSync(join(SOURCE, name), 'utf8').match(
          /(?<=env(?:ironment)?\.|[(['])SETPOINT_[A-Z_]*[A-Z]\b/g,
        ) ?? [],
    )
  expect([...new Set(read)].sort()).toEqual([...VARIABLES])
})

test.each([
  ['SETPOINT_ORGANISATION', 'SETPOINT_ORGANIZATION'],
  ['SETPOINT_SANDBOX_SED', 'SETPOINT_SANDBOX_SEED'],
  ['SETPOINT_TOKN', 'SETPOINT_TOKEN'],
  ['SETPOINT_ADRESS', 'SETPOINT_ADDRESS'],
])('%s is nearly %s', (name, meant) => {
  expect(misspelledVariables({ [name]: 'canary' })).toEqual([
    {
      severity: 'warning',
      code: 'bad-usage',
      message: `Nothing reads the environment variable ${name}.`,
      hint: `Did you mean ${meant}?`,
    },
  ])
})

test.each([
  ...VARIABLES,
  'SETPOINT_SECRET_TOKN',
  'SETPOINT_TOKEN_ACME',
  'SETPOINT_VERSION',
  'SETPOINT_DIR',
  'PATH',
])('%s is none of these', name => expect(misspelledVariables({ [name]: 'canary' })).toEqual([]))

test('a run says it once, on stderr, and goes on', async () => {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': 'variableSets: { a: {} }\n',
  })
  expect(await run(['validate'], { cwd, env: { SETPOINT_ORGANISATION: 'other' } })).toEqual({
    code: 0,
    stdout: 'Valid: 1 set, 0 variables in 2 files.\n',
    stderr:
      'warning bad-usage\n  Nothing reads the environment variable SETPOINT_ORGANISATION.\n  Did you mean SETPOINT_ORGANIZATION?\n',
  })
})
