import { expect, test } from 'vitest'
import type { SandboxSeed, SetSeed, Traits } from '../../src/sandbox/index.ts'
import { aPlace, SEED } from '../support/place.ts'

const OWNED = 'organization: acme\nowner: us\n'
const a = { organization: 'acme', name: 'a' }
const S = { SETPOINT_SECRET_S: 'the-value' }
const THEIRS = {
  organization: 'acme',
  name: 'setpoint-inventory-them',
  variables: [
    {
      key: 'varset-AAAAAAAAAAAAAAA1',
      value: '{"digest":"","secrets":{},"from":"us"}',
      category: 'terraform',
    },
  ],
} as const

interface Warned {
  readonly code: string
  /** A file; `ACCEPT` stands where the codes are accepted. */
  readonly file: string
  readonly sets: readonly SetSeed[]
  readonly conf?: string
  readonly traits?: Partial<Traits>
  readonly more?: SandboxSeed
  /** Applied before. */
  readonly before?: string
}

const WARNED: readonly Warned[] = [
  {
    code: 'outside-project',
    file: 'variableSets:\n  a:\n    project: p\n    ACCEPT\n    workspaces: [w]\n',
    sets: [{ ...a, parent: 'p' }],
    more: { projects: [{ name: 'p' }, { name: 'q' }], workspaces: [{ name: 'w', project: 'q' }] },
    traits: { wrongTargets: 'accepted' },
  },
  {
    code: 'rename-both-exist',
    file: 'variableSets:\n  a:\n    ACCEPT\n    previousNames: [b]\n    env: { A: 1 }\n',
    sets: [a, { organization: 'acme', name: 'b' }],
  },
  {
    code: 'probable-rename',
    conf: OWNED,
    before: 'variableSets:\n  old:\n    workspaces: [w]\n    env: { A: 1, B: 1 }\n',
    file: 'variableSets:\n  new:\n    ACCEPT\n    workspaces: [w]\n    env: { A: 1, B: 1 }\n',
    sets: [],
  },
  {
    code: 'moved-to-another',
    conf: OWNED,
    file: 'variableSets:\n  a:\n    ACCEPT\n    env: { A: 1 }\n',
    sets: [{ ...a, id: 'varset-AAAAAAAAAAAAAAA1' }, THEIRS],
  },
  {
    code: 'hcl-of-secret',
    file: 'variableSets:\n  a:\n    terraform:\n      S:\n        secret: S\n        ACCEPT\n',
    sets: [
      {
        ...a,
        variables: [{ key: 'S', value: '{}', category: 'terraform', sensitive: true, hcl: true }],
      },
    ],
  },
  {
    code: 'stored-otherwise',
    conf: OWNED,
    traits: { storedValues: 'trimmed' },
    before: 'variableSets:\n  a:\n    env:\n      A: { value: "x  " }\n',
    file: 'variableSets:\n  a:\n    env:\n      A:\n        value: "x  "\n        ACCEPT\n',
    sets: [],
  },
]

test.each(WARNED)(
  'a warning of a plan is accepted at its line, in every command: $code',
  async ({ code, file, sets, conf, traits = {}, before, more }) => {
    const withAccept = file.replace('ACCEPT', `accept: [${code}]`)
    for (const [text, isSaid] of [
      [file.replace(/ *ACCEPT\n/, ''), true],
      [withAccept, false],
      // Errors at the line stay, and so do other warnings.
      [withAccept.replace(code, code === 'hcl-of-secret' ? 'service-limit' : 'odd-text'), true],
    ] as const) {
      const place = await aPlace({ 'sets/a.yaml': before ?? text }, { sets, traits })
      if (more !== undefined) place.sandbox.restore({ ...SEED, sets, ...more })
      if (conf !== undefined) place.write({ 'setpoint.yaml': conf })
      if (before !== undefined) expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
      place.write({ 'sets/a.yaml': text })
      for (const argv of [['plan'], ['drift']]) {
        const { stdout, stderr } = await place.setpoint(argv, { env: S })
        expect([argv, stderr, new RegExp(`^ {2}warning {2}(?:\\S+ {2})?${code}$`, 'm').test(stdout)]).toEqual(
          [argv, '', isSaid],
        )
      }
      const json = JSON.parse((await place.setpoint(['plan', '--format', 'json'], { env: S })).stdout)
      expect(json.diagnostics.some((one: { code: string }) => one.code === code)).toBe(isSaid)
    }
  },
)

test('an apply that sees only then how a value is stored does not say what is accepted', async () => {
  const file = 'variableSets:\n  a:\n    env:\n      A: { value: "x  ", accept: [stored-otherwise] }\n'
  const place = await aPlace({ 'sets/a.yaml': file }, { traits: { storedValues: 'trimmed' } })
  const { code, stdout, stderr } = await place.setpoint(['apply', '--auto-approve'])
  expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('stored-otherwise')])
})

/** `DB` has a warning of the file alone. */
const FILE = 'variableSets:\n  a:\n    env:\n      URL: ${HOST}/x\n'
const WARNING = 'sets/a.yaml:4:7  warning literal-reference'

test.each([
  ['validate', true],
  ['plan', true],
  ['plan --snapshot snap.json', true],
  ['apply --auto-approve', true],
  ['apply plan.json', false],
  ['drift', false],
  ['secrets', false],
  ['affected', false],
  ['explain w', false],
  ['explain --key URL', false],
  ['snapshot --out other.json', false],
  ['export --update a', true],
] as const)(
  'a warning of the files is said where they are checked, planned or written: %s',
  async (line, isSaid) => {
    const place = await aPlace({ 'sets/a.yaml': FILE })
    await place.setpoint(['plan', '--out', 'plan.json'])
    await place.setpoint(['snapshot', '--out', 'snap.json'])
    const { code, stdout, stderr } = await place.setpoint(line.split(' '))
    expect([line, code === 1, `${stdout}${stderr}`.includes(WARNING)]).toEqual([line, false, isSaid])
  },
)

test('beside a mistake, every command says the warnings as well', async () => {
  const place = await aPlace({ 'sets/a.yaml': `${FILE}    oops: 1\n` })
  for (const command of ['plan', 'drift', 'secrets']) {
    const { code, stderr } = await place.setpoint([command])
    expect([code, stderr]).toEqual([1, expect.stringContaining(WARNING)])
  }
})
