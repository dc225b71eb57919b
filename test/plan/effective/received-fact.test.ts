import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { observe } from '../../../src/api/observe.ts'
import type { ObservedSet, ObservedState, ResolvedState } from '../../../src/model/variable-set.ts'
import { createPlan } from '../../../src/plan/create.ts'
import type { ReceivedChange } from '../../../src/plan/effective/effect.ts'
import { workspacesThatSee } from '../../../src/plan/effective/received.ts'
import { matchStates } from '../../../src/plan/match-states.ts'
import { carryOut } from '../../../src/run/apply.ts'
import type { SetSeed } from '../../../src/sandbox/index.ts'
import { desiredFor, observedState, strangers } from '../../support/arbitrary.ts'
import { OPTIONS, planOf } from '../../support/plans.ts'
import { performed, type Seen, seenBy } from '../../support/reference.ts'
import { UNDISTURBED } from '../../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../support/states.ts'
import { aWorld, DIRECTORY, PROJECTS, seedFrom, WORKSPACES, type World } from '../../support/world.ts'
import { differences, effectLines, effectsOf, isSecretValue } from './expected.ts'

const projectOf = (workspace: string): string | undefined =>
  PROJECTS[WORKSPACES.findIndex(id => id.endsWith(workspace)) % 2]

interface Case {
  readonly observed: ObservedState
  readonly desired: ResolvedState
}

const casesWith = (others: fc.Arbitrary<ObservedSet[]>): fc.Arbitrary<Case> =>
  fc.tuple(observedState, others).chain(([state, foreign]) =>
    desiredFor(state).map(desired => ({
      desired,
      observed: { ...state, sets: [...state.sets, ...foreign] },
    })),
  )

const cases = casesWith(strangers)

/** Of two sets with the same name, which a service may have, the first by id wins. */
const casesWithTwins = casesWith(strangers.map(sets => [...sets, ...sets.map(twinOf)]))

function twinOf(set: ObservedSet, at: number): ObservedSet {
  const variables = set.variables.map(variable => ({ ...variable, value: { text: 'two words' } }))
  return { ...set, id: `varset-${'1'.repeat(14)}x${at}`, variables }
}

describe('what workspaces receive', () => {
  test('equals a naive computation for every known workspace', () => {
    let changes = 0
    let unseen = 0
    fc.assert(
      fc.property(casesWithTwins, ({ observed, desired }) => {
        const { value: plan } = createPlan({ ...desired, directory: DIRECTORY }, observed, OPTIONS)
        if (plan === undefined) return
        const after = performed(observed, plan)
        const expected = WORKSPACES.flatMap(id =>
          differences(id, seenBy(observed.sets, id, projectOf(id)), seenBy(after, id, projectOf(id)), plan),
        ).toSorted()
        const lines = effectLines(plan, 'ws-')
        expect(lines.filter(line => expected.includes(line) || !isSecretValue(plan, line))).toEqual(expected)
        expect(plan.facts.received).toMatchObject({ level: 'workspaces', known: 3, withoutProject: 0 })
        expect(workspacesThatSee(plan.facts.received).length).toBe(
          new Set(lines.map(line => line.split(' ')[0])).size,
        )
        const hidden = unseenOf(
          observed.sets,
          after,
          effectsOf(plan).map(({ effect }) => effect),
        )
        expect((plan.facts.received.unseen ?? []).map(({ set, key }) => `${set} ${key}`)).toEqual(hidden)
        unseen += hidden.length
        changes += expected.length
      }),
      { numRuns: 400, seed: 3 },
    )
    expect(changes).toBeGreaterThan(800)
    expect(unseen).toBeGreaterThan(50)
  })

  test('without look-ups covers named workspaces, projects, and all others', () => {
    let changes = 0
    fc.assert(
      fc.property(casesWithTwins, ({ observed, desired }) => {
        const { value: plan } = createPlan(desired, observed, OPTIONS)
        if (plan === undefined) return
        const after = performed(observed, plan)
        const placeOf = (member: string) =>
          [
            member.startsWith('ws-') ? member : undefined,
            member.startsWith('prj-') ? member : undefined,
          ] as const
        const members = effectsOf(plan).map(({ member }) => member)
        const places = new Map([...members, 'others'].map(member => [member, placeOf(member)]))
        const expected = [...places].flatMap(([place, [workspace, project]]) =>
          differences(
            place,
            seenBy(observed.sets, workspace, project),
            seenBy(after, workspace, project),
            plan,
          ),
        )
        const lines = effectLines(plan)
        expect(lines.filter(line => expected.includes(line) || !isSecretValue(plan, line))).toEqual(
          expected.toSorted(),
        )
        changes += expected.length
      }),
      { numRuns: 300, seed: 4 },
    )
    expect(changes).toBeGreaterThan(600)
  })

  test('equals what the service returns before and after the apply', async () => {
    let changes = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ observed: state, desired }) => {
        const world = await aWorld(state.sets.map(seed))
        const observed = await observe(world.reader, 'acme')
        const resolved = { ...desired, directory: DIRECTORY }
        const { value: plan, secrecy, reception } = createPlan(resolved, observed, OPTIONS)
        if (plan === undefined || secrecy === undefined || reception === undefined) return
        const before = await Promise.all(WORKSPACES.map(id => shownBy(world, id)))
        const { result } = await carryOut({
          made: {
            plan,
            resolved,
            observed,
            matched: matchStates(resolved, observed, []),
            secrecy,
            reception,
            guards: resolved.guards,
            asked: {},
          },
          ...UNDISTURBED,
          service: world,
          concurrency: 4,
        })
        expect(result?.exitCode).toBe(0)
        const after = await Promise.all(WORKSPACES.map(id => shownBy(world, id)))
        const expected = WORKSPACES.flatMap((id, i) =>
          differences(id, before[i] ?? new Map(), after[i] ?? new Map(), plan),
        )
        const lines = effectLines(plan, 'ws-')
        expect(lines.filter(line => expected.includes(line) || !isSecretValue(plan, line))).toEqual(
          expected.toSorted(),
        )
        changes += expected.length
      }),
      { numRuns: 80, seed: 5 },
    )
    expect(changes).toBeGreaterThan(150)
  })
})

test('a new set of a project wins over sets of the organization, and its plan names the gap before it is created', () => {
  const [project] = PROJECTS
  const here = { projects: [project] }
  const own = (name: string, text: string, more = {}) =>
    aSet(name, { variables: { 'env/A': text }, ...here, ...more })
  const live = (name: string, text: string) =>
    anObserved(name.replace(/\W/g, ''), name, { variables: { 'env/A': text }, ...here })
  const removed = [{ id: 'varset-b' as const, source: SOMEWHERE }]
  const plan = planOf(
    {
      ...aDesiredState(own('b', '2', { parent: project }), own('b (a)', '3'), own('c', '4')),
      removed,
      directory: DIRECTORY,
    },
    anObservedState(live('b', '2'), live('b (a)', '3'), live('c', '4')),
  )
  const workspaces = [WORKSPACES[0], WORKSPACES[2]]
  expect(effectLines(plan, 'ws-')).toEqual(workspaces.map(id => `${id} env/A source b (varset-b) -> b`))
  expect(plan.facts.transition.gaps).toMatchObject([
    {
      ...{ key: 'env/A', before: { set: 'b (varset-b)' }, after: { set: 'b' }, seen: { set: 'b (a)' } },
      between: ['delete-set b (varset-b)', 'create-set b'],
      workspaces,
    },
  ])
  const first = planOf(
    {
      ...aDesiredState(own('a', '1'), own('b-p', '2', { parent: project, previousNames: ['b'] })),
      removed,
    },
    anObservedState(live('a', '1'), live('b', '2')),
  )
  expect(first.steps.map(({ id }) => id)).toEqual(['create-set b-p', 'delete-set b'])
  expect(effectLines(first, 'prj-')).toEqual([`${project} env/A winner a -> b-p`])
  expect(first.facts.transition.gaps).toEqual([])
})

/** New values of sets that reach a known workspace, and that no effect shows. */
function unseenOf(
  before: readonly ObservedSet[],
  after: readonly ObservedSet[],
  seen: readonly ReceivedChange[],
): string[] {
  return after
    .flatMap(set => {
      const then = before.find(({ id }) => id === set.id)
      const was = new Map(then?.variables.map(one => [one.key, one]))
      const comes = WORKSPACES.some(id => seenBy([set], id, projectOf(id)).size > 0)
      return set.variables.flatMap(({ key, value, hcl, id }) => {
        const now = was.get(key)
        const isSame =
          now !== undefined &&
          JSON.stringify(now.value) === JSON.stringify(value) &&
          (now.hcl === hcl || key.startsWith('env/')) &&
          ('text' in value || now.id === id)
        const isSeen = seen.some(
          effect =>
            effect.key === key &&
            (effect.after?.set === set.name || (effect.before && effect.before.set === then?.name)),
        )
        return comes && !isSame && !isSeen ? [`${set.name} ${key}`] : []
      })
    })
    .toSorted()
}

const seed = (set: ObservedSet): SetSeed => ({
  ...seedFrom(set),
  ...(set.parent === undefined ? {} : { parent: set.parent }),
})

interface Answer {
  readonly data: readonly {
    readonly attributes: {
      key: string
      category: string
      value: string | null
      sensitive: boolean
      hcl: boolean
    }
    readonly relationships: { readonly varset: { readonly data: { readonly id: string } } }
  }[]
}

/** The effective variables that the service returns, with the names of their sets. */
async function shownBy(world: World, workspace: string): Promise<Map<string, Seen>> {
  const { sets } = await observe(world.reader, 'acme')
  const names = new Map<string, string>(sets.map(({ id, name }) => [id, name]))
  const { body } = await world.sandbox.transport({
    method: 'GET',
    path: `/api/v2/workspaces/${workspace}/all-vars`,
    headers: { authorization: `Bearer ${world.sandbox.token}` },
  })
  const { data } = JSON.parse(body) as Answer
  return new Map(
    data.map(({ attributes: { key, category, value, sensitive, hcl }, relationships }) => {
      const { id } = relationships.varset.data
      return [
        `${category}/${key}`,
        { set: id, name: names.get(id) ?? id, secret: sensitive, text: value ?? '', hcl, variable: '' },
      ]
    }),
  )
}

test('lists groups by the names of their workspaces, whatever the ids', () => {
  const places = ['c', 'a', 'b'].map((name, at) => ({ id: `ws-${at}` as const, name }))
  const set = (value: string, at: number) => ({
    workspaces: [`ws-${at}` as const],
    variables: { 'env/K': `${value}-${at}` } as const,
  })
  const plan = planOf(
    {
      ...aDesiredState(...places.map((_, at) => aSet(`s-${at}`, set('new', at)))),
      directory: { workspaces: places, projects: [], whole: ['workspaces', 'projects', 'stacks'] },
    },
    anObservedState(...places.map((_, at) => anObserved(`${at}`, `s-${at}`, set('old', at)))),
  )
  expect(plan.facts.received.groups.map(({ members }) => members)).toEqual([['ws-1'], ['ws-2'], ['ws-0']])
})

test.each([
  ['an unknown project, if a project receives a change', undefined, { projects: ['prj-1' as const] }, 1],
  ['an unknown project, if everybody does', undefined, { global: true }, 0],
  ['another project', 'prj-2' as const, { projects: ['prj-1' as const] }, 0],
])('whether a Stack may read what changed is unknown of one in %s', (_, project, reach, count) => {
  const stack = { id: 'st-1' as const, name: 's', ...(project && { project }) }
  const set = (text: string) => ({ ...reach, variables: { 'env/K': text } })
  const { unknown } = planOf(
    {
      ...aDesiredState(aSet('a', set('new'))),
      directory: {
        workspaces: [],
        projects: [],
        stacks: [stack],
        whole: ['workspaces', 'projects', 'stacks'],
      },
    },
    anObservedState(anObserved('1', 'a', set('old'))),
  ).facts.received
  expect(unknown?.withoutProject ?? 0).toBe(count)
})

test('a Stack reads each set by itself: what is new in it, gone from it, and other in it', () => {
  const stacks = ['st-1' as const]
  const before = anObserved('1', 'a', {
    stacks,
    variables: { 'env/OLD': '1', 'env/K': '1', 'env/SAME': '1' },
  })
  const after = aSet('a', { stacks, variables: { 'env/NEW': '1', 'env/K': '2', 'env/SAME': '1' } })
  const changesOf = (desired: typeof after, ...observed: readonly ObservedSet[]) =>
    planOf(aDesiredState(desired), anObservedState(...observed)).facts.received.changes.map(
      ({ key, kind }) => `${key} ${kind}`,
    )
  expect(changesOf(after, before)).toEqual(['env/K value', 'env/NEW gained', 'env/OLD lost'])
  expect(changesOf(after)).toEqual(['env/K gained', 'env/NEW gained', 'env/SAME gained'])
  expect(changesOf({ ...after, stacks: [] }, before)).toEqual(['env/K lost', 'env/OLD lost', 'env/SAME lost'])
})
