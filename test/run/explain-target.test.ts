import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { compareText } from '../../src/model/diagnostic.ts'
import { categoryOf, nameOf, type VariableKey } from '../../src/model/ids.ts'
import type { DesiredState } from '../../src/model/variable-set.ts'
import type { ExplainedState, Explanation } from '../../src/plan/effective/explanation.ts'
import { explainWorkspace } from '../../src/run/explain-target.ts'
import type { SetSeed } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { KEYS, observedState, strangers } from '../support/arbitrary.ts'
import { aDesiredState, aSet, asWritten, keyOf } from '../support/states.ts'
import { aWorld, PROJECTS, seedFrom, WORKSPACES, type World } from '../support/world.ts'

const [FIRST, SECOND] = WORKSPACES

/** Nothing is declared: the desired state is the live state. */
const FILES: DesiredState = { ...aDesiredState(), sets: [] }

async function explained(
  world: World,
  workspace: string,
  moment: ExplainedState = 'live',
  desired = FILES,
): Promise<Explanation> {
  const { value, diagnostics } = await explainWorkspace(desired, world, workspace, moment)
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return value
}

/** `env/A own`, `env/B set-name`: which source gives which variable. */
const givers = ({ variables }: Explanation, at: 'before' | 'after'): string[] =>
  variables.flatMap(variable => {
    const seen = variable[at]
    return seen === undefined ? [] : [`${variable.key} ${seen.set ?? 'own'}`]
  })

interface Answer {
  readonly data: readonly {
    readonly attributes: { readonly key: string; readonly category: string; readonly value: string | null }
    readonly relationships: { readonly varset?: { readonly data: { readonly id: string } } }
  }[]
}

/** The effective variables that the service returns, with their values. */
async function effectiveIn(world: World, workspace: string): Promise<(readonly [string, string | null])[]> {
  const { sets } = await observe(world.reader, 'acme')
  const names = new Map<string, string>(sets.map(({ id, name }) => [id, name]))
  const { body } = await world.sandbox.transport({
    method: 'GET',
    path: `/api/v2/workspaces/${workspace}/all-vars`,
    headers: { authorization: `Bearer ${world.sandbox.token}` },
  })
  const { data } = JSON.parse(body) as Answer
  return data
    .map(({ attributes: { key, category, value }, relationships: { varset } }) => {
      const set = varset === undefined ? 'own' : names.get(varset.data.id)
      return [`${category}/${key} ${set}`, value] as const
    })
    .toSorted(([one], [other]) => compareText(one, other))
}

/** More than one page of variables, so that those of the sets are on the second page. */
const FILLERS = Array.from({ length: 22 }, (_, i) => keyOf(`env/0${i}`))

/** Everything that can reach a workspace: sets of the state and unmanaged ones, two with the same name, its own variables. */
const everything = fc
  .tuple(observedState, strangers, fc.boolean(), fc.subarray([...KEYS]), fc.boolean())
  .map(([state, others, twice, own, paged]) => {
    // Each value names its set, because two have one name.
    const sets = [...others.map((set, i) => (twice && i === 0 ? { ...set, name: 'a' } : set)), ...state.sets]
    return {
      own: [...(paged ? FILLERS : []), ...own],
      seeds: sets.map(seedFrom).map(set => ({
        ...set,
        variables: (set.variables ?? []).map(one => ({
          ...one,
          ...(one.sensitive ? {} : { value: `${set.id}` }),
        })),
      })),
    }
  })

const own = (key: VariableKey) => ({
  data: { type: 'vars', attributes: { key: nameOf(key), category: categoryOf(key), value: 'own' } },
})

describe('explain', () => {
  test('names the same winners as the service, for all owners and more than one page of variables', async () => {
    let seen = 0
    await fc.assert(
      fc.asyncProperty(everything, async ({ seeds, own: keys }) => {
        const world = await aWorld(seeds)
        for (const key of keys)
          await world.sandbox.transport({
            method: 'POST',
            path: `/api/v2/workspaces/${FIRST}/vars`,
            headers: {
              authorization: `Bearer ${world.sandbox.token}`,
              'content-type': 'application/vnd.api+json',
            },
            body: JSON.stringify(own(key)),
          })
        for (const workspace of [FIRST, SECOND]) {
          const { variables } = await explained(world, workspace)
          const winners = variables.flatMap(({ key, before }) =>
            before === undefined ? [] : [[`${key} ${before.set ?? 'own'}`, before.text] as const],
          )
          const effective = await effectiveIn(world, workspace)
          expect(winners.map(([winner]) => winner).toSorted(compareText)).toEqual(
            effective.map(([winner]) => winner),
          )
          // A text that is a secret elsewhere is not shown.
          const shown = new Map<string, string | undefined>(winners.filter(([, text]) => text !== undefined))
          for (const [winner, value] of effective) expect(shown.get(winner) ?? value).toBe(value)
          seen += winners.length
        }
      }),
      { numRuns: 60, seed: 6 },
    )
    expect(seen).toBeGreaterThan(400)
  })

  test('shows the documented example: region from every source, and var1, which a workspace variable overrides', async () => {
    const set = (name: string, more: Partial<SetSeed>): SetSeed => ({
      name,
      variables: [{ key: 'region', category: 'terraform', value: name }],
      ...more,
    })
    const both = (name: string, more: Partial<SetSeed>): SetSeed => ({
      ...set(name, more),
      variables: ['region', 'var1'].map(key => ({ key, category: 'terraform', value: name })),
    })
    const world = await aWorld([
      // Named in the opposite order, so that no name decides.
      set('k', { global: true, priority: true }),
      set('j', { priority: true, projects: [PROJECTS[0]] }),
      set('i', { priority: true, workspaces: [FIRST] }),
      set('g', { priority: true, parent: PROJECTS[0], projects: [PROJECTS[0]] }),
      set('f', { priority: true, parent: PROJECTS[0], workspaces: [FIRST] }),
      both('e', { parent: PROJECTS[0], workspaces: [FIRST] }),
      set('d', { parent: PROJECTS[0], projects: [PROJECTS[0]] }),
      both('c', { workspaces: [FIRST] }),
      set('b', { projects: [PROJECTS[0]] }),
      set('a', { global: true }),
    ])
    for (const key of ['region', 'var1'])
      await world.sandbox.transport({
        method: 'POST',
        path: `/api/v2/workspaces/${FIRST}/vars`,
        headers: {
          authorization: `Bearer ${world.sandbox.token}`,
          'content-type': 'application/vnd.api+json',
        },
        body: JSON.stringify({
          data: { type: 'vars', attributes: { key, category: 'terraform', value: 'h' } },
        }),
      })
    const { variables, workspace } = await explained(world, 'workspace-1')
    expect(workspace).toEqual({
      id: FIRST,
      name: 'workspace-1',
      project: { id: PROJECTS[0], name: 'project-1' },
    })
    const printed = ({ set, rank, text }: { set?: string; rank: number; text?: string }): string =>
      `${rank} ${set ?? 'own'} ${text}`
    expect(
      variables.map(({ key, before }) => [key, ...(before ? [before, ...before.shadows].map(printed) : [])]),
    ).toEqual([
      [
        'terraform/region',
        ...['1 k k', '2 j j', '3 i i', '4 g g', '5 f f', '8 own h'],
        ...['9 e e', '10 d d', '11 c c', '12 b b', '13 a a'],
      ],
      ['terraform/var1', '8 own h', '9 e e', '11 c c'],
    ])
  })

  test('gives the reason if two sets have the same rank: the name', async () => {
    const set = (name: string): SetSeed => ({
      name,
      workspaces: [FIRST],
      variables: [{ key: 'A', category: 'env', value: name }],
    })
    const { variables } = await explained(await aWorld([set('\u{1f600}'), set('\uffee')]), FIRST)
    expect(variables.map(({ before }) => [before?.set, before?.shadows])).toEqual([
      ['\uffee', [{ set: '\u{1f600}', way: 'workspace', rank: 11, text: '\u{1f600}', why: 'name' }]],
    ])
  })

  test('marks variables that an apply changes, adds and removes, and shows no secret', async () => {
    const world = await aWorld([
      {
        name: 'a',
        workspaces: [FIRST],
        variables: [
          { key: 'KEPT', category: 'env', value: '1' },
          { key: 'OLD', category: 'env', value: '1' },
          { key: 'TURNS', category: 'env', value: 'in-clear' },
          { key: 'SEEN', category: 'env', value: 'canary', sensitive: true },
        ],
      },
    ])
    const secret = { secret: { name: 'S' } }
    const desired = {
      ...aDesiredState(
        aSet('a', {
          variables: { 'env/KEPT': '1', 'env/NEW': '2', 'env/TURNS': secret, 'env/SEEN': secret },
        }),
      ),
      sets: [
        aSet('a', {
          variables: { 'env/KEPT': '1', 'env/NEW': '2', 'env/TURNS': secret, 'env/SEEN': secret },
        }),
      ].map(asWritten),
    }
    const explanation = await explained(world, FIRST, 'difference', desired)
    expect(explanation.variables.map(({ key, change }) => `${key} ${change}`)).toEqual([
      'env/KEPT same',
      'env/NEW gained',
      'env/OLD lost',
      'env/SEEN same',
      'env/TURNS changed',
    ])
    expect(JSON.stringify(explanation)).not.toMatch(/in-clear|canary/)
  })

  test('computes the sets of a workspace if the service does not list them, and says so', async () => {
    const without: (next: Transport) => Transport = next => (request, signal) =>
      /\/workspaces\/[^/]+\/(varsets|vars)/.test(request.path)
        ? Promise.resolve({
            status: 404,
            headers: {},
            body: '{"errors":[{"status":"404","title":"not found"}]}',
          })
        : next(request, signal)
    const sets: readonly SetSeed[] = [
      { name: 'a', workspaces: [FIRST], variables: [{ key: 'A', category: 'env' }] },
      { name: 'p', projects: [PROJECTS[0]], variables: [{ key: 'B', category: 'env' }] },
    ]
    const bare = await explained(await aWorld(sets, { between: without }), 'workspace-1')
    const whole = await explained(await aWorld(sets), 'workspace-1')
    expect(givers(bare, 'before')).toEqual(['env/A a', 'env/B p'])
    expect(bare.variables).toEqual(whole.variables)
    expect(whole.notes).toEqual([])
    expect(bare.notes).toEqual([
      'The service does not list the sets of this workspace; they are computed from the sets of the organization.',
      'The service does not show the variables of the workspace itself; one of them may override these.',
    ])
  })

  test('uses the lists of the service', async () => {
    const world = await aWorld([
      { name: 'p', projects: [PROJECTS[0]], variables: [{ key: 'B', category: 'env' }] },
    ])
    const { variables } = await explained(world, 'workspace-1', 'live')
    expect(variables.map(({ before }) => [before?.set, before?.way])).toEqual([['p', 'project']])
  })

  test('has a hint if a name is unknown', async () => {
    const world = await aWorld([])
    const reported = async (written: string) =>
      (await explainWorkspace(FILES, world, written, 'live')).diagnostics.map(
        ({ code, hint }) => `${code}: ${hint}`,
      )
    expect(await reported('workspace-11')).toEqual(['unknown-name: Did you mean workspace-1?'])
    expect(await reported('ws-CCCCCCCCCCCCCCCC')).toEqual([
      'unknown-name: Use the name or the id of a workspace.',
    ])
  })
})
