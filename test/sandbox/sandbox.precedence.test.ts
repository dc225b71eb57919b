import { describe, expect, test } from 'vitest'
import { createSandbox, type SetSeed } from '../../src/sandbox/index.ts'

/** The ranks of docs/workspaces.md#who-wins that a service can see, strongest first. */
const RANKS: readonly SetSeed[] = [
  { name: 'priority global', priority: true, global: true },
  { name: 'priority, project', priority: true, projects: ['core'] },
  { name: 'priority, workspace', priority: true, workspaces: ['prod'] },
  { name: 'priority, owned, project', priority: true, parent: 'core', projects: ['core'] },
  { name: 'priority, owned, workspace', priority: true, parent: 'core', workspaces: ['prod'] },
  { name: 'own' },
  { name: 'owned, workspace', parent: 'core', workspaces: ['prod'] },
  { name: 'owned, project', parent: 'core', projects: ['core'] },
  { name: 'workspace', workspaces: ['prod'] },
  { name: 'project', projects: ['core'] },
  { name: 'global', global: true },
]

/** The value of KEY in the workspace. The value in each set is its name, or what `told` returns. */
async function winner(sets: readonly SetSeed[], told = ({ name }: SetSeed) => name): Promise<unknown[]> {
  const variables = (name: string) => [{ key: 'KEY', category: 'env', value: name }]
  const own = sets.some(set => set.name === 'own') ? { variables: variables('own') } : {}
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ name: 'core' }],
      workspaces: [{ name: 'prod', id: 'ws-prod', project: 'core', ...own }],
      sets: sets.filter(set => set.name !== 'own').map(set => ({ ...set, variables: variables(told(set)) })),
    },
  })
  const answer = await sandbox.transport({
    method: 'GET',
    path: '/api/v2/workspaces/ws-prod/all-vars',
    headers: { authorization: `Bearer ${sandbox.token}` },
  })
  const { data } = JSON.parse(answer.body) as { data: readonly { attributes: { value: unknown } }[] }
  return data.map(one => one.attributes.value)
}

describe('the value that a workspace receives', () => {
  for (const [rank, set] of RANKS.entries()) {
    test(`"${set.name}" overrides everything below it`, async () => {
      expect(await winner(RANKS.slice(rank).toReversed())).toEqual([set.name])
    })
  }

  test('among equal ranks, the first name by code point wins, and among equal names the first id', async () => {
    const of = (name: string): SetSeed => ({ name, workspaces: ['prod'] })
    expect(await winner(['b', 'a_', 'a'].map(of))).toEqual(['a'])
    expect(await winner(['a', 'B'].map(of))).toEqual(['B'])
    expect(await winner(['\u{1f600}', '\uffee'].map(of))).toEqual(['\uffee'])
    const twice = ['varset-b', 'varset-a'].map(id => ({ ...of('same'), id }))
    expect(await winner(twice, set => `${set.id}`)).toEqual(['varset-a'])
    const first = (name: string): SetSeed => ({ ...of(name), priority: true })
    expect(await winner(['z', 'y'].map(first))).toEqual(['y'])
  })

  test('a set that applies in two ways has the better rank', async () => {
    const both: SetSeed = { name: 'both', workspaces: ['prod'], projects: ['core'] }
    expect(await winner([both, { name: 'a', projects: ['core'] }])).toEqual(['both'])
    const global: SetSeed = { name: 'z both', global: true, priority: true, workspaces: ['prod'] }
    expect(await winner([global, { name: 'a', priority: true, projects: ['core'] }])).toEqual(['z both'])
  })

  test('a set without assignments gives no value', async () => {
    expect(await winner([{ name: 'nowhere' }])).toEqual([])
  })
})
