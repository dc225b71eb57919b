import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PlannedState, PlannedVariable } from '../../src/model/planned.gen.ts'
import { Judge } from '../../src/rules/judge.ts'
import { aPlace, type Place } from '../support/place.ts'
import { aPlaceWithSecrets, SECRETS } from '../support/secretive-place.ts'

const rule = (text: string): string => `rules:\n  r:\n${text.replace(/^/gm, '    ')}\n    message: No.\n`

interface Report {
  readonly planned: PlannedState
  readonly hits?: readonly { readonly item: { readonly set?: string; readonly key?: string } }[]
  readonly blocked: boolean
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
}

async function planIn(place: Place, ...args: readonly string[]): Promise<Report & { code: number }> {
  const { code, stdout, stderr } = await place.setpoint(['plan', '--format', 'json', ...args])
  if (stdout === '') throw new Error(stderr)
  return { code, ...JSON.parse(stdout) }
}

const variable = ({ sets }: PlannedState, key: string): PlannedVariable | undefined =>
  sets.flatMap(({ variables, deleted }) => [...variables, ...deleted]).find(one => one.key === key)

test('rules get exactly what `plan --format json` prints as `planned`', async () => {
  const place = await aPlaceWithSecrets()
  place.write({
    'rules/a.yaml': rule('for: set\nrequire: set.workspaces.all(w, has(w.project))\nlevel: warn'),
  })
  const judged = vi.spyOn(Judge.prototype, 'judge')
  onTestFinished(() => judged.mockRestore())
  const { stdout } = await place.setpoint(['plan', '--format', 'json'], { env: SECRETS })
  const [[, seen]] = judged.mock.calls as unknown as [[unknown, PlannedState]]
  const { planned }: Report = JSON.parse(stdout)
  expect(planned).toEqual(JSON.parse(JSON.stringify(seen)))
  expect(planned.sets.map(({ name }) => name)).toEqual(['changed', 'new', 'source', 'target', 'gone'])
})

test('a plan without changes has all its sets, a saved plan has none', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets: { a: { workspaces: [w], env: { A: "1" } } }\n' })
  await place.setpoint(['apply', '--auto-approve'])
  const { planned } = await planIn(place, '--out', 'plan.json')
  expect(planned.sets).toMatchObject([
    {
      name: 'a',
      action: 'none',
      variables: [{ key: 'A', action: 'none', value: '1', before: { value: '1' } }],
    },
  ])
  expect(planned.workspaces).toEqual(planned.sets[0]?.workspaces.map(id => expect.objectContaining({ id })))
  const { stdout } = await place.setpoint(['show', 'plan.json', '--format', 'json'])
  expect(JSON.parse(stdout).planned).toBeUndefined()
})

describe('a value is hidden from rules only where reports hide it', () => {
  const admin = rule(
    'for: variable\nwhen: variable.key == "ROLE" && has(variable.value)\nrequire: variable.value != "admin"\nlevel: block',
  )

  test('another set with a secret of the same key hides nothing', async () => {
    const sets = `variableSets:
  prod: { env: { ROLE: admin } }
  zz-nobody: { env: { ROLE: { secret: X } } }
`
    const place = await aPlace({ 'sets/a.yaml': sets, 'rules/a.yaml': admin })
    const { blocked, hits, planned } = await planIn(place)
    expect([blocked, hits?.map(({ item }) => item)]).toEqual([
      true,
      [{ kind: 'variable', set: 'prod', key: 'env/ROLE' }],
    ])
    expect(variable(planned, 'ROLE')).toMatchObject({ value: 'admin', hidden: false })
    expect((await place.setpoint(['plan'])).stdout).toContain('+ env ROLE  admin')
    place.change([{ name: 'prod', variables: [{ key: 'ROLE', category: 'env', value: 'reader' }] }])
    expect(variable((await planIn(place, '--adopt', 'prod')).planned, 'ROLE')?.before).toMatchObject({
      value: 'reader',
      hidden: false,
    })
    expect((await place.setpoint(['plan', '--adopt', 'prod'])).stdout).toContain('reader')
  })

  test('a value that replaces a secret is hidden in both, and says so', async () => {
    const place = await aPlace(
      { 'sets/a.yaml': 'variableSets: { prod: { env: { ROLE: admin } } }\n', 'rules/a.yaml': admin },
      {
        sets: [
          { name: 'prod', variables: [{ key: 'ROLE', category: 'env', value: 'old', sensitive: true }] },
        ],
      },
    )
    const { hits, planned } = await planIn(place)
    expect([hits, variable(planned, 'ROLE')]).toEqual([
      undefined,
      expect.objectContaining({ hidden: true, before: expect.objectContaining({ sensitive: true }) }),
    ])
    expect(variable(planned, 'ROLE')).not.toHaveProperty('value')
    expect((await place.setpoint(['plan'])).stdout).not.toContain('admin')
    place.write({
      'rules/a.yaml': admin.replace(
        /when.*\n.*require: /,
        'require: variable.key != "ROLE" || has(variable.value) && ',
      ),
    })
    expect((await planIn(place)).blocked).toBe(true)
  })

  test('a value that the files say is none is seen, with the code that they accept', async () => {
    const url = 'https://user:correct-horse-battery@example.test/'
    const place = await aPlace({
      'sets/a.yaml': `variableSets: { a: { env: { URL: { value: "${url}", accept: [looks-like-a-secret] }, PLAIN: x } } }\n`,
      'rules/a.yaml': rule(
        "for: variable\nrequire: \"!('looks-like-a-secret' in variable.accept) && has(variable.value) && !variable.value.matches('://[^/@]*:[^/@]*@')\"\nlevel: block",
      ),
    })
    const { hits, planned } = await planIn(place)
    expect(hits?.map(({ item }) => item.key)).toEqual(['env/URL'])
    expect(variable(planned, 'URL')).toMatchObject({
      value: url,
      accept: ['looks-like-a-secret'],
      hidden: false,
    })
    expect((await place.setpoint(['plan'])).stdout).toContain(url)
    await place.setpoint([
      'apply',
      '--approve',
      JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).digest,
    ])
    // Unchanged, it is still seen: the files have it in clear.
    expect(variable((await planIn(place)).planned, 'URL')?.before).toMatchObject({
      value: url,
      hidden: false,
    })
  })
})

describe('what the service does not tell is absent, and a rule that asks for it blocks', () => {
  const W = 'ws-ZZZZZZZZZZZZZZZ9'
  const P = 'prj-ZZZZZZZZZZZZZZZ9'
  const SETS = `variableSets: { a: { workspaces: [${W}], projects: [${P}], env: { TOKEN: { secret: TOKEN } } } }\n`

  test.each([
    [
      'set',
      'set.workspaces.all(w, w.project.startsWith("prod-"))',
      'This Workspace has no "project", at `w.project`.',
    ],
    ['set', 'set.workspaces.all(w, w.name != "test")', 'This Workspace has no "name", at `w.name`.'],
    ['set', 'set.projects.all(p, p.startsWith("prod-"))', 'This Set has no "projects", at `set.projects`.'],
    [
      'exposure',
      'exposure.projects.all(p, p.startsWith("prod-"))',
      'This Exposure has no "projects", at `exposure.projects`.',
    ],
    ['exposure', 'exposure.count <= 20', 'This Exposure has no "count", at `exposure.count`.'],
    [
      'effect',
      'effect.workspaces.all(w, w.name != "test")',
      'This Effect has no "workspaces", at `effect.workspaces`.',
    ],
    ['effect', 'effect.count <= 20', 'This Effect has no "count", at `effect.count`.'],
    ['plan', 'plan.affected <= 20', 'This Plan has no "affected", at `plan.affected`.'],
  ])('%s: %s', async (subject, require, said) => {
    const place = await aPlace(
      { 'sets/a.yaml': SETS, 'rules/a.yaml': rule(`for: ${subject}\nrequire: '${require}'\nlevel: warn`) },
      { traits: { lookUps: 'no' } },
    )
    const { code, diagnostics, hits } = await planIn(place)
    expect([
      code,
      hits,
      diagnostics.filter(one => one.code === 'rule-failed').map(one => one.message),
    ]).toEqual([1, undefined, [`The rule "r" cannot be evaluated. ${said}`]])
    const applied = await place.setpoint(['apply', '--auto-approve'], { env: { SETPOINT_SECRET_TOKEN: 'x' } })
    expect([applied.code, place.live()]).toEqual([1, []])
  })

  test('only the service tells anything', async () => {
    const place = await aPlace(
      {
        'sets/a.yaml': SETS,
        'rules/a.yaml': rule('for: set\nrequire: has(set.projects)\nlevel: block'),
      },
      { traits: { lookUps: 'no' } },
    )
    const { blocked, planned } = await planIn(place)
    expect([blocked, planned.workspaces]).toEqual([true, [{ groups: [], id: W }]])
  })

  test('a global set reaches everything, so no list of it is there', async () => {
    const place = await aPlace({
      'sets/a.yaml': 'variableSets: { a: { global: true, env: { TOKEN: { secret: TOKEN } } } }\n',
      'rules/a.yaml': rule('for: exposure\nrequire: has(exposure.projects)\nlevel: block'),
    })
    const { blocked, planned } = await planIn(place)
    expect([blocked, planned.exposures.map(({ kind, everywhere }) => [kind, everywhere])]).toEqual([
      true,
      [
        ['secret', true],
        ['global', true],
      ],
    ])
    for (const exposure of planned.exposures)
      for (const list of ['workspaces', 'projects', 'stacks']) expect(exposure).not.toHaveProperty(list)
  })
})

test('a workspace is in the project that the service says, whatever the pull request writes', async () => {
  const place = await aPlace({
    'sets/a.yaml':
      'variableSets: { prod-shop: { workspaces: [shop-test], env: { TOKEN: { secret: TOKEN } } } }\n',
    'rules/a.yaml': rule(
      'for: set\nrequire: \'set.workspaces.all(w, w.project.startsWith("prod-"))\'\nlevel: block',
    ),
  })
  place.sandbox.ensure({
    projects: [{ name: 'prod-shop' }, { name: 'test-shop' }],
    workspaces: [{ organization: 'acme', name: 'shop-test', project: 'test-shop' }],
  })
  const { blocked, planned } = await planIn(place)
  expect(blocked).toBe(true)
  expect(planned.workspaces).toMatchObject([{ name: 'shop-test', project: 'test-shop' }])
})

test('a set of a project has an owner also where its name is not told', async () => {
  const id = 'prj-ZZZZZZZZZZZZZZZ9'
  const place = await aPlace(
    { 'sets/a.yaml': `variableSets: { a: { project: ${id}, env: { A: "1" } } }\n` },
    { traits: { lookUps: 'no' } },
  )
  const { planned } = await planIn(place)
  expect(planned.sets).toMatchObject([{ name: 'a', projectOwned: true }])
  expect(planned.sets[0]).not.toHaveProperty('project')
})
