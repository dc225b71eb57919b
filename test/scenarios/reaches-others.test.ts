import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace, type Place } from '../support/place.ts'
import { preparedIn } from '../support/round.ts'
import { aDesiredState, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld } from '../support/world.ts'

const STACKS = ['st-aaaaaaaaaaaaaaaa', 'st-bbbbbbbbbbbbbbbb', 'st-cccccccccccccccc']
const KEPT = 'variableSets: { kept: {} }\n'
const GOES = { 'sets/a.yaml': `${KEPT}removed: [goes]\n` }

/** The set as `live` prints it. */
const GOES_LIVE = 'goes  -> Stack stack-a, Stack stack-b, Stack stack-c'

const withGoes = (more: Partial<SetSeed>) => ({ sets: [{ name: 'kept' }, { name: 'goes', ...more }] })

const planOf = async (place: Place, flags: readonly string[] = []) =>
  JSON.parse((await place.setpoint(['plan', '--format', 'json', ...flags])).stdout)

/** The message of a refused plan, and the result of approving exactly this plan. */
async function refusedThenApproved(place: Place) {
  const refused = await place.setpoint(['apply', '--auto-approve'])
  const before = place.live()
  const { blocks, digest } = await planOf(place)
  const approved = await place.setpoint(['apply', '--approve', digest])
  return { codes: [refused.code, approved.code], before, blocks, after: place.live(), refused }
}

describe('deleting a set that reaches Stacks requires approval', () => {
  test('by `removed`', async () => {
    const result = await refusedThenApproved(await aPlace(GOES, withGoes({ stacks: STACKS })))
    expect(result.codes).toEqual([4, 0])
    expect(result.refused.stdout).toContain('"goes" is deleted while it still reaches 3 Stacks.')
    expect(result.blocks).toEqual([
      {
        code: 'reaches-others',
        message: '"goes" is deleted while it still reaches 3 Stacks.',
        item: { kind: 'set', set: 'goes' },
        source: { path: 'sets/a.yaml', line: 2, column: 11 },
      },
    ])
    expect([result.before, result.after]).toEqual([[GOES_LIVE, 'kept'], ['kept']])
  })

  test('by pruning', async () => {
    const owned = 'organization: acme\nowner: us\nprune: true\n'
    const place = await aPlace(
      { 'setpoint.yaml': owned, 'sets/a.yaml': 'variableSets: { kept: {}, goes: {} }\n' },
      withGoes({ stacks: STACKS.slice(0, 1) }),
    )
    await place.setpoint(['apply', '--auto-approve'])
    place.write({ 'sets/a.yaml': KEPT })
    const result = await refusedThenApproved(place)
    expect(result.codes).toEqual([4, 0])
    expect(result.blocks.map(({ message }: { message: string }) => message)).toEqual([
      '"goes" is deleted while it still reaches 1 Stack.',
    ])
  })

  test('in a plan from a snapshot', async () => {
    const place = await aPlace(GOES, withGoes({ stacks: STACKS }))
    await place.setpoint(['snapshot', '--out', 'snapshot.json'])
    const offline = await planOf(place, ['--snapshot', 'snapshot.json'])
    expect(offline.blocks).toEqual((await planOf(place)).blocks)
    expect(offline.blocks).toHaveLength(1)
  })

  test('and the approval of a plan without Stacks does not cover a plan with them', async () => {
    const place = await aPlace(GOES, withGoes({}))
    const { digest, blocked } = await planOf(place)
    place.change(withGoes({ stacks: STACKS }).sets)
    const { code } = await place.setpoint(['apply', '--approve', digest])
    expect({ blocked, code, live: place.live() }).toEqual({
      blocked: false,
      code: 4,
      live: [GOES_LIVE, 'kept'],
    })
  })
})

test('deleting a set with assignments that this version does not know requires approval', async () => {
  // What a later service may count for a set and relate to it.
  const later: (next: Transport) => Transport = next => async (request, signal) => {
    const answer = await next(request, signal)
    const { data } = JSON.parse(answer.body)
    for (const set of data) {
      set.attributes['fleet-count'] = 2
      set.relationships.friends = { data: [{ id: 'friend-1', type: 'friends' }] }
    }
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), data }) }
  }
  const world = await aWorld([{ name: 'kept' }, { name: 'goes' }], { between: later })
  const { plan } = await preparedIn(world, {
    ...aDesiredState(aSet('kept')),
    removed: [{ name: 'goes', source: SOMEWHERE }],
  })
  expect(plan.blocks.map(({ message }) => message)).toEqual([
    '"goes" is deleted while it still reaches something that this version of Setpoint does not know (fleet-count: 2, friends: 1).',
  ])
})

test('updating a set keeps its Stacks', async () => {
  const place = await aPlace(
    { 'sets/a.yaml': 'variableSets: { kept: {}, goes: { env: { A: 1 } } }\n' },
    withGoes({ stacks: STACKS }),
  )
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  expect(place.sandbox.snapshot().sets?.find(set => set.name === 'goes')?.stacks).toEqual(STACKS)
})
