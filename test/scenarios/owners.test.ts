import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place } from '../support/place.ts'

const ID = 'varset-AAAAAAAAAAAAAAA1'
const SECRET = { SETPOINT_SECRET_S: 'new' }
const PATH = 'sets/a.yaml'
/** A service with a set of this owner, or of the organization. */
const owned = (parent?: string, more: Partial<SetSeed> = {}): SetSeed => ({
  ...{ organization: 'acme', id: ID, name: 'a', workspaces: ['w'] },
  variables: [
    { key: 'A', value: '1', category: 'env' },
    { key: 'S', value: 'old', category: 'env', sensitive: true },
  ],
  ...(parent === undefined ? {} : { parent }),
  ...more,
})
const CONTENTS = '    workspaces: [w]\n    env: { A: 1, S: { secret: S } }\n'
const HELD = 'env/A=1 env/S=(new)  -> w'

/** The service of tests has the workspace `w` in no project. */
const service = async (files: string, sets: readonly SetSeed[]): Promise<Place> =>
  await aPlace({ [PATH]: files }, { sets, traits: { wrongTargets: 'accepted' } })

/** The lines of the only error of a plan. */
async function advice({ setpoint }: Place): Promise<string[]> {
  const { code, stdout, stderr } = await setpoint(['plan'])
  expect([code, stdout]).toEqual([1, ''])
  return stderr.trimEnd().split('\n')
}

/** What a line of the hint tells to write, in its own words. */
function written(line: string) {
  const of = (pattern: RegExp): string => pattern.exec(line)?.[1] ?? ''
  return {
    name: of(/another name, such as "([^"]+)"/),
    unpin: line.includes('remove `id`'),
    previous: of(/write `(previousNames: [^`]+)`/),
    removed: of(/write `(removed: [^`]+)` in a set file/),
  }
}

/** Does to the file what a line of the hint says. The set is the only one, and its key is `a` or `b`. */
function follow({ cwd, write }: Place, line: string): void {
  const { name, unpin, previous, removed } = written(line)
  let text = readFileSync(join(cwd, PATH), 'utf8')
  if (name !== '') text = text.replace(/^ {2}\w+:/m, `  ${name}:`)
  if (unpin) text = text.replace(/ {4}id: .*\n/, '')
  if (previous !== '') text = text.replace(/^ {2}[\w-]+:\n/m, key => `${key}    ${previous}\n`)
  write({ [PATH]: removed === '' ? text : `${text}${removed}\n` })
}

interface Planned {
  readonly digest: string
  readonly blocked: boolean
  readonly steps: readonly { readonly id: string }[]
  readonly facts: {
    readonly transition: { readonly gaps: readonly { readonly between: readonly string[] }[] }
  }
}

async function planned({ setpoint }: Place): Promise<Planned> {
  const { code, stdout, stderr } = await setpoint(['plan', '--format', 'json'])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  return JSON.parse(stdout)
}

/** Applies the plan with its digest: without its secret nothing is written. Afterwards the plan is empty. */
async function applied(place: Place, { digest }: Planned): Promise<void> {
  const before = place.live()
  const without = await place.setpoint(['apply', '--approve', digest])
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('error missing-secret')])
  expect(place.live()).toEqual(before)
  const { code, stdout, stderr } = await place.setpoint(['apply', '--approve', digest], { env: SECRET })
  expect([code, stderr], stdout).toEqual([0, expect.not.stringContaining('error')])
  expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
}

const OWNERS = [
  ['the organization', 'project "p"', undefined, '    project: p\n', '  of project p', 'p'],
  ['a project', 'organization', 'p', '', '', 'organization'],
  ['a project', 'project "q"', 'p', '    project: q\n', '  of project q', 'q'],
] as const

describe.each(OWNERS)('a set of %s that the file gives to the %s', (_, __, from, project, of, suffix) => {
  const file = `variableSets:\n  a:\n${project}${CONTENTS}`
  const place = async (text = file, more: Partial<SetSeed> = {}): Promise<Place> => {
    const made = await service(text, [])
    const { projects = [], ...seed } = made.sandbox.snapshot()
    made.sandbox.restore({ ...seed, projects: [...projects, { name: 'q' }], sets: [owned(from, more)] })
    return made
  }

  test('is an error at its line, with what to write', async () => {
    const [where, message, ...hint] = await advice(await place())
    const [is, was] = [project, from && `project: ${from}`].map(owner =>
      owner ? `a set of the project "${owner.trim().replace('project: ', '')}"` : 'a set of the organization',
    )
    expect(where).toBe('sets/a.yaml:2:3  error foreign-set')
    expect(message).toBe(
      `  "a" is ${is} in the file, but ${ID} is ${was}, and the service cannot move a set.`,
    )
    expect(hint).toEqual([
      `  For a new set, created before the old one is deleted: choose another name, such as "a-${suffix}", write \`previousNames: ["a"]\` in it, and write \`removed: [${ID}]\` in a set file.`,
      `  For one with the same name, with a gap between the two: write \`removed: [${ID}]\` in a set file.`,
      ...(from === undefined
        ? ['  To keep it a set of the organization, as on a server that has no others: remove `project`.']
        : []),
    ])
  })

  test('stays with its owner if the file says so', async () => {
    const made = await place(
      `variableSets:\n  a:\n${from === undefined ? '' : `    project: ${from}\n`}${CONTENTS}`,
    )
    expect((await made.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
  })

  test('becomes a new set with another name without a gap', async () => {
    const made = await place()
    const [, , another = ''] = await advice(made)
    follow(made, another)
    const plan = await planned(made)
    expect(plan).toMatchObject({ blocked: false, facts: { transition: { gaps: [] } } })
    expect(plan.steps.map(({ id }) => id)).toEqual([`create-set a-${suffix}`, 'delete-set a'])
    await applied(made, plan)
    expect(made.live()).toEqual([`a-${suffix}${of}  ${HELD}`])
  })

  test('becomes a new set with the same name, and the plan names the gap', async () => {
    const made = await place()
    const [, , , same = ''] = await advice(made)
    follow(made, same)
    const plan = await planned(made)
    const steps = [`delete-set a (${ID})`, 'create-set a']
    expect(plan.steps.map(({ id }) => id)).toEqual(steps)
    expect(plan.facts.transition.gaps).toMatchObject([
      { key: 'env/A', between: steps },
      { key: 'env/S', between: steps },
    ])
    await applied(made, plan)
    expect(made.live()).toEqual([`a${of}  ${HELD}`])
  })

  test.each([
    ['with its id', `    id: ${ID}\n`, 'a', { name: 'a' }],
    ['with its id and a new name', `    id: ${ID}\n`, 'b', { name: 'a' }],
    ['with a previous name', '    previousNames: [a]\n', 'b', { name: 'a' }],
  ])('is found %s, and the hint says what to write there', async (_, line, key, more) => {
    const text = file.replace('  a:\n', `  ${key}:\n${line}`)
    const name = key === 'b' ? 'b' : `a-${suffix}`
    const made = await place(text, more)
    const lines = await advice(made)
    expect(lines.filter(one => one.includes('with the same name'))).toHaveLength(key === 'a' ? 1 : 0)
    const another = lines.find(one => one.includes('For a new set')) ?? ''
    follow(made, another)
    const plan = await planned(made)
    expect(plan.steps.map(({ id }) => id)).toEqual([`create-set ${name}`, 'delete-set a'])
    expect(plan.facts.transition.gaps).toEqual([])
    await applied(made, plan)
    expect(made.live()).toEqual([`${name}${of}  ${HELD}`])
  })
})

test('names that differ in case only can both get another owner', async () => {
  const sets = [owned(), owned(undefined, { id: ID.replace('1', '2'), name: 'A' })]
  const both = `variableSets:\n  a:\n    project: p\n${CONTENTS}  A:\n    project: p\n${CONTENTS}`
  const place = await service(`${both}removed: [${sets.map(({ id }) => id)}]\n`, sets)
  const plan = await planned(place)
  expect(plan.steps.map(({ id }) => id.slice(0, 12))).toEqual([
    ...['delete-set a', 'delete-set A', 'create-set A', 'create-set a'],
  ])
  await applied(place, plan)
  expect(place.live()).toEqual([`A  of project p  ${HELD}`, `a  of project p  ${HELD}`])
})

test('a set that only differs in case from its previous name is created after the old one is deleted', async () => {
  const text = `variableSets:\n  A:\n    project: p\n    previousNames: [a]\n${CONTENTS}`
  const place = await service(`${text}removed: [${ID}]\n`, [owned()])
  const plan = await planned(place)
  expect(plan.steps.map(({ id }) => id)).toEqual(['delete-set a', 'create-set A'])
  await applied(place, plan)
})

test('the hint names another name that is free', async () => {
  const place = await service('variableSets:\n  a: { project: p, projects: [] }\n', [
    owned(),
    { organization: 'acme', name: 'a-p' },
  ])
  expect((await advice(place)).join('\n')).toContain('such as "a-p-2"')
})

test('a set that another inventory lists may not be removed, so the hint is another name', async () => {
  const entry = { key: ID, value: '{"digest":"","secrets":{}}', category: 'terraform' }
  const sets = [owned(), { organization: 'acme', name: 'setpoint-inventory-data', variables: [entry] }]
  const place = await service('variableSets:\n  a: { project: p }\n', sets)
  const lines = await advice(place)
  expect(lines).toContain('  The inventory of "data" lists that set. Choose another name, such as "a-p".')
  expect(lines.join('\n')).not.toContain('removed:')
})

test.each([
  ['declared', 'a: {}', 'a'],
  ['renamed', 'b: { previousNames: [a] }', 'b'],
])('a set that is %s with its owner cannot be removed by its id', async (_, set, name) => {
  const place = await service(`variableSets:\n  ${set}\nremoved: [${ID}]\n`, [owned()])
  expect(await advice(place)).toEqual([
    'sets/a.yaml:3:11  error removed-and-declared',
    `  "${ID}" is listed under "removed", but it is the set "${name}", declared at sets/a.yaml:2.`,
    '  Keep one of the two.',
  ])
})

test('a set that an id selects in --only can be removed while a new set with its name is created', async () => {
  const text = `variableSets:\n  a:\n    project: p\n${CONTENTS}  b: {}\nremoved: [${ID}]\n`
  const place = await service(text, [owned()])
  const stepsWith = async (pattern: string): Promise<string[]> => {
    const { stdout } = await place.setpoint(['plan', '--only', pattern, '--format', 'json'])
    return (JSON.parse(stdout) as Planned).steps.map(({ id }) => id)
  }
  expect(await stepsWith(ID)).toEqual([`delete-set a`])
  expect(await stepsWith('a')).toEqual([`delete-set a (${ID})`, 'create-set a'])
})

test('the command of a drift report selects a removed set by its id if a declared set has its name', async () => {
  const text = `variableSets:\n  a:\n    project: p\nremoved: [${ID}]\n`
  const sets = [owned(), { organization: 'acme', name: 'a', parent: 'p' }]
  const settings = `organization: acme\nguards: { protect: [${ID}] }\n`
  const place = await aPlace(
    { 'setpoint.yaml': settings, [PATH]: text },
    { sets, profile: { duplicates: 'second' } },
  )
  const { stdout } = await place.setpoint(['drift'])
  const [, argv = ''] = /setpoint (apply .*)$/m.exec(stdout) ?? []
  expect(argv).toBe(`apply --only ${ID}`)
  const { code, stderr } = await place.setpoint([...argv.split(' '), '--auto-approve'])
  expect([code, stderr]).toEqual([4, expect.stringContaining('"a" is protected and would be deleted')])
})

test('a workspace outside of the project of a set is warned about', async () => {
  const place = await aPlace({
    'sets/a.yaml': 'variableSets:\n  a: { project: p, workspaces: [w, x] }\n',
  })
  expect((await place.setpoint(['plan'])).stdout).not.toContain('outside-project')
  place.sandbox.restore({
    organizations: [{ name: 'acme' }],
    projects: [{ name: 'p' }, { name: 'q' }],
    workspaces: [
      { name: 'w', project: 'p' },
      { name: 'x', project: 'q' },
    ],
  })
  expect((await place.setpoint(['plan'])).stdout).toMatch(
    /^ {2}warning {2}sets\/a\.yaml:2:3 {2}outside-project\n {6}"a" belongs to the project "p" but is assigned outside of it: workspace "x"\./m,
  )
})

test('a set of a project cannot be global', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets:\n  a: { project: p, global: true }\n' })
  const { code, stderr } = await place.setpoint(['validate'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('error global-with-project')])
})

test('a set that was renamed by hand does not count as renamed if the file declares a set of another owner', async () => {
  const made = await service(`variableSets:\n  a:\n${CONTENTS}`, [])
  made.write({ 'setpoint.yaml': 'organization: acme\nowner: net\n' })
  expect((await made.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
  const seed = made.sandbox.snapshot({ sensitive: true })
  const sets = (seed.sets ?? []).map(set => (set.name === 'a' ? { ...set, name: 'b' } : set))
  made.sandbox.restore({ ...seed, sets })
  made.write({ [PATH]: `variableSets:\n  a:\n    project: p\n${CONTENTS}` })
  expect(await planned(made)).toMatchObject({ diagnostics: [] })
})
