import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FORMS, NO_CREDENTIALS } from '../config/lint-corpus/forms.ts'
import { aSetObject, aVariableObject, SET_ID, stateFile } from '../export/state.ts'
import { aPlace } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

/** Every key is its own, and still says what the corpus meant it to say: `K12_db`. */
const keyed = (corpus: typeof FORMS) =>
  corpus.map(([what, key, value], at) => ({ what, key: `K${at}_${key}`, value }))
const HIDDEN = keyed(FORMS)
const PLAIN = keyed(NO_CREDENTIALS).map(one => ({ ...one, key: `N${one.key}` }))
const ALL = [...HIDDEN, ...PLAIN]
const SETS = [
  { name: 'a', variables: ALL.map(({ key, value }) => ({ key, value, category: 'terraform' as const })) },
]

function written(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map(name => join(directory, name))
    .filter(path => statSync(path).isFile())
    .map(path => readFileSync(path, 'utf8'))
    .join('\n')
}

/** The keys that files have without a value, and those with one. */
const ways = (text: string) => ({
  withheld: ALL.filter(({ key }) => new RegExp(`^ +${key}:\\n? *\\{? *external: true`, 'm').test(text)).map(
    ({ what }) => what,
  ),
})
const WITHHELD = { withheld: HIDDEN.map(({ what }) => what) }

describe('credentials that the service or a state shows in clear', () => {
  test('are not written by init, and everything else is', async () => {
    const place = await aPlace({}, { sets: SETS })
    place.write({ 'repo/.gitkeep': '' })
    const { code, stdout } = await place.setpoint(['init', 'acme', '-C', 'repo'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 changes')])
    expect(ways(written(join(place.cwd, 'repo')))).toEqual(WITHHELD)
  })

  test('are not written by export', async () => {
    const place = await aPlace({}, { sets: SETS })
    const { code, stdout } = await place.setpoint(['export'])
    expect(code).toBe(0)
    expect(ways(stdout)).toEqual(WITHHELD)
  })

  test('are not written from a Terraform state', async () => {
    const cwd = aDirectory({
      'x.tfstate': stateFile(
        { type: 'tfe_variable_set', name: 'a', instances: [aSetObject({ name: 'a' })] },
        {
          type: 'tfe_variable',
          name: 'v',
          instances: new Map(
            ALL.map(({ key, value }, at) => [
              key,
              aVariableObject({
                id: `var-${String(at).padStart(16, 'A')}`,
                key,
                value,
                category: 'terraform',
                variable_set_id: SET_ID,
              }),
            ]),
          ),
        },
      ),
    })
    const { code, stdout } = await run(['export', '--terraform-state', 'x.tfstate'], { cwd, env: {} })
    expect(code).toBe(0)
    expect(ways(stdout)).toEqual(WITHHELD)
  })

  test('are reported by validate, each at its line', async () => {
    const lines = ALL.map(({ key, value }) => `      ${key}: { value: ${JSON.stringify(value)} }`)
    const cwd = aDirectory({
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': `variableSets:\n  a:\n    terraform:\n${lines.join('\n')}\n`,
    })
    const { stdout, stderr } = await run(['validate'], { cwd, env: {} })
    const at = [...`${stdout}${stderr}`.matchAll(/a\.yaml:(\d+):7 .*looks-like-a-secret/g)].map(([, line]) =>
      Number(line),
    )
    expect(at.toSorted((a, b) => a - b)).toEqual(HIDDEN.map((_, index) => index + 4))
  })
})
