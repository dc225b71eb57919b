import { describe, expect, test } from 'vitest'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import { fingerprintsFrom } from '../../src/apply/resolve-secrets.ts'
import { type ReadSecret, Secret } from '../../src/model/secret.ts'
import type { ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import type { Asked } from '../../src/run/plan.ts'
import type { Profile } from '../../src/sandbox/index.ts'
import { type Transport, TransportError } from '../../src/wire/transport.ts'
import { appliedIn, plannedIn, preparedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld, type World } from '../support/world.ts'

const KEY = 'k'.repeat(32)
const OTHER_KEY = 'o'.repeat(32)

/** One of several repositories: an owner, its files, and the environment of its job. */
class Team {
  readonly world: World
  readonly owner: string
  secrets: Record<string, string> = { S: 'one', T: 'two' }
  key: string | undefined
  prune = false

  readonly secretOf: ReadSecret = name => {
    const text = this.secrets[name]
    return text === undefined ? undefined : new Secret(text)
  }

  constructor(world: World, owner: string) {
    this.world = world
    this.owner = owner
  }

  files(...sets: readonly ResolvedSet[]): ResolvedState {
    return { ...aDesiredState(...sets), owner: this.owner, prune: this.prune }
  }

  options({ base: _, ...request }: Asked) {
    return { ...request, fingerprintOf: fingerprintsFrom(this.secretOf, 'acme', this.key) }
  }

  async plan(files: ResolvedState, request: Asked = {}): Promise<Plan> {
    return (await preparedIn(this.world, files, this.options(request))).plan
  }

  async apply(files: ResolvedState, request: Asked = {}): Promise<ApplyResult> {
    const options = this.options(request)
    return await appliedIn(this.world, files, options, { secrets: this.secretOf })
  }

  /** A plan in short: its steps, its blocks, and the secrets that are not the same. */
  async says(files: ResolvedState, request: Asked = {}): Promise<string[]> {
    const { value: prepared, diagnostics } = await plannedIn(this.world, files, this.options(request))
    if (prepared === undefined) return diagnostics.map(({ code, message }) => `${code}: ${message}`)
    const { steps, blocks, facts } = prepared.plan
    return [
      ...steps.map(({ id, operation }) => ('rewrite' in operation ? `${id} (${operation.rewrite})` : id)),
      ...blocks.map(({ code }) => `blocked: ${code}`),
      ...facts.secrets.map(({ key, state }) => `${key} ${Object.values(state).map(printed).join(' ')}`),
      ...(facts.inventory.adopted.length > 0 ? [`adopts ${facts.inventory.adopted.join(', ')}`] : []),
    ]
  }
}

const team = async (owner = 'network', profile: Partial<Profile> = {}) =>
  new Team(await aWorld([], { profile }), owner)
const secret = (version?: string) => ({
  secret: { name: 'S', ...(version === undefined ? {} : { version }) },
})

/** Changes the service outside of Setpoint. */
async function changeLive(
  world: World,
  set: string,
  change: (id: string, variable: string | undefined) => [string, string, unknown],
): Promise<void> {
  const snapshot = world.sandbox.snapshot().sets?.find(({ name }) => name === set)
  const [method, path, data] = change(snapshot?.id ?? '', snapshot?.variables?.[0]?.id)
  const answer = await world.sandbox.transport({
    method: method as 'PATCH',
    path: `/api/v2/${path}`,
    headers: { authorization: `Bearer ${world.sandbox.token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data }),
  })
  expect(answer.status).toBeLessThan(300)
}

const inventories = (world: World) =>
  (world.sandbox.snapshot().sets ?? []).filter(({ name }) => name.startsWith('setpoint-inventory-'))

describe('the inventory', () => {
  test('is one set per repository, without assignments and with one entry per managed set, and a second apply writes nothing', async () => {
    const network = await team()
    const files = network.files(aSet('a', { variables: { 'env/X': secret('1') } }), aSet('b'))
    const first = await network.apply(files)
    expect([first.exitCode, first.requests.writes, first.inventory]).toEqual([
      0,
      3,
      { state: 'written', requests: 1 },
    ])
    expect(
      inventories(network.world).map(({ name, global, variables }) => [name, global, variables?.length]),
    ).toEqual([['setpoint-inventory-network', false, 2]])
    const second = await network.apply(files)
    expect([second.exitCode, second.requests.writes - first.requests.writes]).toEqual([0, 0])
    expect((await network.plan(files)).facts.inventory).toEqual({ adopted: [], taken: [], requests: 0 })
  })

  test('contains no value of a secret, with or without a fingerprint key', async () => {
    const network = await team()
    network.secrets = { S: 'canary-in-the-mine' }
    network.key = KEY
    await network.apply(network.files(aSet('a', { variables: { 'env/X': secret() } })))
    const text = JSON.stringify(inventories(network.world))
    expect(text).toContain('fingerprint')
    expect(text).not.toContain('canary')
    expect(text).not.toContain(KEY)
  })

  test('records the name of each set and what its external variables were, and is not written for these alone', async () => {
    const external = { external: true } as const
    const variables = { 'env/A': external, 'env/B': external, 'env/C': external } as const
    const network = await team()
    await network.apply(network.files(aSet('a', { variables: { 'env/A': secret(), 'env/B': '1' } })))
    const files = network.files(aSet('a', { variables }))
    expect((await network.apply(files)).exitCode).toBe(0)
    const entry = () => JSON.parse(inventories(network.world)[0]?.variables?.[0]?.value ?? '{}')
    const recorded = { 'env/A': 'sensitive', 'env/B': 'readable', 'env/C': 'missing' }
    expect(entry()).toMatchObject({ name: 'a', external: recorded })
    await changeLive(network.world, 'a', (id, variable) => [
      'DELETE',
      `varsets/${id}/relationships/vars/${variable}`,
      undefined,
    ])
    expect((await network.plan(files)).facts.inventory.requests).toBe(0)
    await network.apply(network.files(aSet('a', { priority: true, variables })))
    expect(entry()).toMatchObject({ external: { ...recorded, 'env/A': 'missing' } })
  })

  test('does not count as a set: it is not unmanaged, planned or pruned', async () => {
    const network = await team()
    network.prune = true
    await network.apply(network.files(aSet('a')))
    const plan = await network.plan(network.files(aSet('a')))
    expect([plan.facts.observedSets, plan.facts.undeclaredSets, plan.steps]).toEqual([1, 0, []])
  })
})

const printed = (member: unknown): string => (typeof member === 'string' ? member : JSON.stringify(member))

describe('rotation', () => {
  const files = (network: Team, version?: string) =>
    network.files(aSet('a', { variables: { 'env/X': secret(version) } }))

  test('a changed version is one planned write and needs no fingerprint key', async () => {
    const network = await team()
    await network.apply(files(network, '1'))
    expect(await network.says(files(network, '1'))).toEqual(['env/X same'])
    expect(await network.says(files(network, '2'))).toEqual([
      'update-variable a env/X (source-changed)',
      'env/X write source-changed {"name":"S","version":"1"}',
    ])
    await network.apply(files(network, '2'))
    expect(await network.says(files(network, '2'))).toEqual(['env/X same'])
  })

  test('a changed value is detected only with a fingerprint key', async () => {
    const network = await team()
    network.key = KEY
    await network.apply(files(network))
    expect(await network.says(files(network))).toEqual(['env/X same'])
    network.secrets = { S: 'rotated' }
    expect(await network.says(files(network))).toEqual([
      'update-variable a env/X (value-changed)',
      'env/X write value-changed',
    ])
    network.key = undefined
    expect(await network.says(files(network))).toEqual(['env/X not-compared no-version'])
    network.key = KEY
    network.secrets = {}
    expect(await network.says(files(network))).toEqual(['env/X not-compared no-version'])
  })

  test('a rewrite because of a changed value is not part of the digest', async () => {
    const network = await team()
    network.key = KEY
    await network.apply(files(network))
    const before = await network.plan(files(network))
    network.secrets = { S: 'rotated' }
    const after = await network.plan(files(network))
    expect(after.steps).toHaveLength(1)
    expect(after.digest).toBe(before.digest)
  })

  test('a rewrite that --rewrite requests is part of the digest', async () => {
    const network = await team()
    await network.apply(files(network, '1'))
    const before = await network.plan(files(network, '1'))
    const asked = await network.plan(files(network, '1'), { rewrite: ['a/X'] })
    expect([before.steps.length, asked.steps.length]).toEqual([0, 1])
    expect(asked.digest).not.toBe(before.digest)
  })

  test('another fingerprint key proves nothing, and the next write of the secret uses it', async () => {
    const network = await team()
    network.key = KEY
    await network.apply(files(network, '1'))
    network.key = OTHER_KEY
    network.secrets = { S: 'rotated' }
    expect(await network.says(files(network, '1'))).toEqual(['env/X same'])
    expect(await network.says(files(network, '2'))).toHaveLength(2)
    await network.apply(files(network, '2'))
    network.secrets = { S: 'turned' }
    expect(await network.says(files(network, '2'))).toEqual([
      'update-variable a env/X (value-changed)',
      'env/X write value-changed',
    ])
  })

  test('equal values in two places have different fingerprints', async () => {
    const network = await team()
    network.key = KEY
    await network.apply(network.files(aSet('a', { variables: { 'env/X': secret(), 'env/Y': secret() } })))
    const texts = JSON.stringify(inventories(network.world)).match(/[0-9a-f]{32}(?=\\")/g) ?? []
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts.length).toBeGreaterThanOrEqual(2)
  })

  test('--rewrite writes unchanged secrets again', async () => {
    const network = await team()
    await network.apply(files(network, '1'))
    for (const pattern of ['a', 'a/X', 'a/env/X', '*'])
      expect(await network.says(files(network, '1'), { rewrite: [pattern] })).toEqual([
        'update-variable a env/X (asked)',
        'env/X write asked',
      ])
    expect(await network.says(files(network, '1'), { rewrite: ['b', 'a/Y'] })).toEqual([
      'unmatched-selection: --rewrite "b" matches no secret in the files.',
      'unmatched-selection: --rewrite "a/Y" matches no secret in the files.',
    ])
  })
})

describe('changed outside', () => {
  const change =
    (value: string) =>
    (id: string, variable: string | undefined): [string, string, unknown] => [
      'PATCH',
      `varsets/${id}/relationships/vars/${variable}`,
      { type: 'vars', attributes: { value } },
    ]

  test('a secret that was changed outside is detected and written again', async () => {
    const network = await team()
    const files = network.files(aSet('a', { variables: { 'env/X': secret('1') } }))
    await network.apply(files)
    const { digest } = await network.plan(files)
    await changeLive(network.world, 'a', change('stolen'))
    expect((await network.plan(files)).digest).not.toBe(digest)
    expect(await network.says(files)).toEqual([
      'update-variable a env/X (changed-outside)',
      'env/X write changed-outside',
    ])
    expect((await network.apply(files)).exitCode).toBe(0)
    expect(await network.says(files)).toEqual(['env/X same'])
    const [set] = network.world.sandbox.snapshot({ sensitive: true }).sets ?? []
    expect(set?.variables?.[0]?.value).toBe('one')
  })

  test('a secret that was added outside is not deleted without approval', async () => {
    const network = await team()
    const files = network.files(aSet('a'))
    await network.apply(files)
    await changeLive(network.world, 'a', id => [
      'POST',
      `varsets/${id}/relationships/vars`,
      { type: 'vars', attributes: { key: 'NEW', value: 'x', category: 'env', sensitive: true } },
    ])
    expect(await network.says(files)).toEqual(['delete-variable a env/NEW', 'blocked: loses-secret'])
  })
})

/** A service on which every write to an inventory fails as `how` says. */
const unreliable = async (
  how: (next: Transport, ...asked: Parameters<Transport>) => ReturnType<Transport>,
) => {
  const between =
    (next: Transport): Transport =>
    (request, signal) => {
      const isAboutInventory =
        request.body?.includes('setpoint-inventory') === true || request.path.includes('/relationships/vars')
      return request.method !== 'GET' && isAboutInventory ? how(next, request, signal) : next(request, signal)
    }
  return new Team(await aWorld([], { between, profile: { duplicates: 'second' } }), 'network')
}

describe('a failing write to the inventory', () => {
  test('is read back if the response is lost, and never duplicated', async () => {
    const network = await unreliable(async (next, request, signal) => {
      await next(request, signal)
      throw new TransportError('cut', { sent: 'maybe', code: 'ECONNRESET' })
    })
    network.prune = true
    for (const files of [
      network.files(aSet('a')),
      network.files(aSet('a'), aSet('b')),
      network.files(aSet('a')),
    ]) {
      const { exitCode, inventory } = await network.apply(files)
      expect([exitCode, inventory?.state]).toEqual([0, 'written'])
      expect(inventories(network.world).map(({ variables }) => variables?.length)).toEqual([
        files.sets.length,
      ])
    }
  })

  test('succeeds if the change turns out to be done already', async () => {
    const network = await unreliable(async (next, request, signal) => {
      await next(request, signal)
      return await next(request, signal)
    })
    network.prune = true
    const both = network.files(aSet('a'), aSet('b'))
    await network.apply(network.files(aSet('a')))
    for (const { id } of inventories(network.world).slice(1))
      await network.world.writer().deleteSet(id as `varset-${string}`)
    expect((await network.apply(both)).inventory?.state).toBe('written')
    expect((await network.apply(network.files(aSet('a')))).inventory?.state).toBe('written')
    expect(inventories(network.world).map(({ variables }) => variables?.length)).toEqual([1])
  })
})

describe('a listing that omits a set', () => {
  const network = async () => {
    let hides = false
    const between =
      (next: Transport): Transport =>
      async (request, signal) => {
        const answer = await next(request, signal)
        if (!hides || request.method !== 'GET' || !request.path.endsWith('/varsets')) return answer
        const document = JSON.parse(answer.body)
        document.data = document.data.filter(
          (set: { attributes: { name: string } }) => set.attributes.name !== 'a',
        )
        document.meta.pagination['total-count'] = document.data.length
        return { ...answer, body: JSON.stringify(document) }
      }
    const team = new Team(await aWorld([], { between, profile: { duplicates: 'second' } }), 'network')
    await team.apply(team.files(aSet('a')))
    return { team, hide: () => (hides = true) }
  }

  test('that the inventory lists stops an apply that would create it again', { tags: ['F-15'] }, async () => {
    const { team, hide } = await network()
    hide()
    const before = JSON.stringify(team.world.sandbox.snapshot())
    await expect(team.apply(team.files(aSet('a'), aSet('b')))).rejects.toThrow('nothing was executed')
    expect(JSON.stringify(team.world.sandbox.snapshot())).toBe(before)
  })

  test('that was deleted does not stop an apply', async () => {
    const { team } = await network()
    const id = team.world.sandbox.snapshot().sets?.find(({ name }) => name === 'a')?.id ?? ''
    await team.world.writer().deleteSet(id as `varset-${string}`)
    expect((await team.apply(team.files(aSet('a'), aSet('b')))).exitCode).toBe(0)
  })
})

describe('a damaged inventory', () => {
  test('deleted: sets that equal the files are added again, and nothing is pruned', async () => {
    const network = await team()
    network.prune = true
    await network.apply(network.files(aSet('a'), aSet('b')))
    const id = inventories(network.world)[0]?.id ?? ''
    await network.world.writer().deleteSet(id as `varset-${string}`)
    expect(await network.says(network.files(aSet('a')))).toEqual(['adopts a'])
    expect((await network.apply(network.files(aSet('a')))).exitCode).toBe(0)
    expect(await network.says(network.files(aSet('a')))).toEqual([])
  })

  test.each([
    [
      'a secret with a version is sent',
      '1',
      ['update-variable a env/X (taken-charge)', 'env/X write taken-charge'],
    ],
    ['a secret without one is not compared', undefined, ['env/X not-compared not-recorded']],
  ] as const)(
    'edited: the set is still managed, %s, and the next apply repairs the inventory',
    async (_, version, said) => {
      const network = await team()
      const files = network.files(aSet('a', { variables: { 'env/X': secret(version) } }))
      await network.apply(files)
      await changeLive(network.world, 'setpoint-inventory-network', (id, variable) => [
        'PATCH',
        `varsets/${id}/relationships/vars/${variable}`,
        { type: 'vars', attributes: { value: '{"digest":"cut o' } },
      ])
      expect(await network.says(files)).toEqual(said)
      expect((await network.plan(files)).facts.inventory.requests).toBe(1)
      await network.apply(files)
      const { steps, facts } = await network.plan(files)
      expect([steps, facts.inventory.requests]).toEqual([[], 0])
    },
  )
})

describe('several owners', () => {
  const two = async () => {
    const world = await aWorld([])
    return { network: new Team(world, 'network'), data: new Team(world, 'data') }
  }

  test('a set of another owner is refused, and the error names the owner', async () => {
    const { network, data } = await two()
    await network.apply(network.files(aSet('a')))
    expect(await data.says(data.files(aSet('a')))).toEqual(['owned-by-another: "a" is owned by "network".'])
    const removing = { ...data.files(), removed: [{ name: 'a', source: { path: 's', line: 1, column: 1 } }] }
    expect(await data.says(removing)).toEqual(['owned-by-another: "a" is owned by "network".'])
    expect((await data.plan(data.files(aSet('b')))).facts.owners).toEqual([{ owner: 'network', sets: 1 }])
  })

  test('--adopt takes ownership of a set, and the previous owner no longer has it', async () => {
    const { network, data } = await two()
    await network.apply(network.files(aSet('a'), aSet('n')))
    expect((await data.apply(data.files(aSet('a')), { adopt: ['a'] })).exitCode).toBe(0)
    expect(await data.says(data.files(aSet('a')))).toEqual([])
    const { value: prepared } = await plannedIn(
      network.world,
      network.files(aSet('a'), aSet('n')),
      network.options({}),
    )
    expect([prepared?.plan.steps, prepared?.plan.diagnostics.map(({ message }) => message)]).toEqual([
      [],
      ['"a" moved to "data", and this run does not change it.'],
    ])
    network.prune = true
    expect(await network.says(network.files(aSet('n')))).toEqual([])
  })

  test('prune deletes only sets in the own inventory that `owns` matches', async () => {
    const { network, data } = await two()
    await data.apply(data.files(aSet('d')))
    await network.apply(network.files(aSet('net-a'), aSet('net-b'), aSet('x')))
    network.prune = true
    const files = { ...network.files(aSet('net-a')), owns: ['net-*'] }
    expect(await network.says(files)).toEqual(['delete-set net-b'])
    expect((await network.apply(files)).exitCode).toBe(0)
    expect(await network.says(files)).toEqual([])
    expect(await data.says(data.files(aSet('d')))).toEqual([])
  })

  test('an unmanaged set that equals the files is adopted, and one that differs is blocked by a guard', async () => {
    const { network } = await two()
    const unowned = aDesiredState(aSet('a', { variables: { 'env/X': '1' } }))
    await appliedIn(network.world, unowned)
    const same = network.files(aSet('a', { variables: { 'env/X': '1' } }))
    const other = network.files(aSet('a', { variables: { 'env/X': '2' } }))
    expect(await network.says(same)).toEqual(['adopts a'])
    expect(await network.says(other)).toEqual(['update-variable a env/X', 'blocked: adopts-different'])
    expect(await network.says(other, { adopt: ['a'] })).toEqual(['update-variable a env/X'])
    await network.apply(same)
    expect(await network.says(other)).toEqual(['update-variable a env/X'])
  })
})
