import { describe, expect, test } from 'vitest'
import type { ResolvedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import type { SetSeed } from '../../../src/sandbox/index.ts'
import { aDesiredState, aSet } from '../../support/states.ts'
import { listsAll, meetsGoal } from './goal.ts'
import { type Pair, Race } from './race.ts'
import { runOnce } from './run.ts'

const text = (value: string) => ({ variables: { 'env/X': value } })
const secret = { variables: { 'env/S': { value: { secret: { name: 'S', version: '1' } } } } } as const

const owned = (owner: string, ...sets: readonly ResolvedSet[]): ResolvedState => ({
  ...aDesiredState(...sets),
  owner,
})

function aPair(name: string, a: Pair['files'][0], b: Pair['files'][1], sets: readonly SetSeed[] = []): Pair {
  return { name, files: [a, b], seed: { organizations: [{ name: 'acme' }], sets } }
}

const live = (name: string, value: string): SetSeed => ({
  id: `varset-${name}`,
  name,
  variables: [{ id: `var-${name}`, key: 'X', category: 'env', value }],
})

const PAIRS = [
  aPair(
    'the same new sets',
    owned('team', aSet('a', text('1')), aSet('b', text('1'))),
    owned('team', aSet('a', text('1')), aSet('b', text('1'))),
  ),
  aPair(
    'new sets, of which one is the same',
    owned('team', aSet('a', text('1')), aSet('b', text('1'))),
    owned('team', aSet('b', text('1')), aSet('c', secret)),
  ),
  aPair(
    'changes of different sets',
    owned('team', aSet('a', text('1')), aSet('b', text('0'))),
    owned('team', aSet('a', text('0')), aSet('b', text('1'))),
    [live('a', '0'), live('b', '0')],
  ),
  aPair(
    'a new set with a secret',
    owned('team', aSet('a', secret)),
    owned('team', aSet('a', secret), aSet('b', text('1'))),
  ),
]

/** More requests than a run of these takes. */
const LAST = 24
const ORDERS = 6

/** Two runs in a random order. Each is killed before its request of this number; without one, it ends. */
async function raced(pair: Pair, kills: readonly (number | undefined)[], seed: number): Promise<Race> {
  const random = seededRandom(seed)
  const race = new Race(pair, {}, 1)
  for (;;) {
    const choices = await race.choices()
    const possible = choices.filter(([at]) => (race.runners[at]?.requests ?? 0) < (kills[at] ?? Infinity))
    const choice = possible[Math.floor(random() * possible.length)]
    if (choice === undefined) return race
    race.arrive(choice)
  }
}

describe('an apply beside one that is killed, at any request and in any order', () => {
  test.each(PAIRS)('ends with 0 only if the service and its inventory have all of it: $name', async pair => {
    const wrong: string[] = []
    let done = 0
    for (let kill = 0; kill <= LAST; kill++)
      for (let order = 0; order < ORDERS; order++) {
        const at = `killed before request ${kill + 1}, order ${order}`
        const race = await raced(pair, [kill], 1_000 * kill + order)
        const [, second] = race.runners
        if (second?.ended === undefined) wrong.push(`${at}: the other one does not end`)
        if (second?.ended?.exitCode === 0) done++
        if (second?.ended?.exitCode === 0 && !(second.reached && second.recorded))
          wrong.push(`${at}: ends with 0, reached: ${second.reached}, recorded: ${second.recorded}`)
        // Both once more, one after the other.
        for (const files of pair.files.toReversed()) {
          const { exitCode } = await runOnce(files, async request => race.service.handle(request), 1)
          const now = race.service.snapshot()
          const names = (now.sets ?? []).map(({ name }) => name)
          if (exitCode !== 0 || !meetsGoal(files, now) || !listsAll(files, now))
            wrong.push(`${at}: the next run ends with ${exitCode}`)
          if (new Set(names).size < names.length) wrong.push(`${at}: ${names} has a name twice`)
        }
      }
    expect(wrong).toEqual([])
    // Otherwise nothing was said of success.
    expect(done).toBeGreaterThan(LAST)
  })
})

/** The second one of them is refused its inventory, because the name is taken meanwhile. */
describe('two first applies at once of different sets', () => {
  const PAIR = aPair('', owned('team', aSet('a', text('1'))), owned('team', aSet('b', secret)))

  test('write one inventory, and both end with 0', async () => {
    for (let order = 0; order < 60; order++) {
      const race = await raced(PAIR, [], order)
      expect([order, ...race.runners.map(({ ended }) => ended?.exitCode)]).toEqual([order, 0, 0])
      const now = race.service.snapshot()
      expect(PAIR.files.map(files => meetsGoal(files, now) && listsAll(files, now))).toEqual([true, true])
      expect(now.sets?.filter(({ name }) => name === 'setpoint-inventory-team')).toHaveLength(1)
    }
  })

  test('both killed at any request, are finished by one apply of each', async () => {
    for (let a = 0; a <= 8; a++)
      for (let b = 0; b <= 8; b++) {
        const race = await raced(PAIR, [a, b], 100 * a + b)
        for (const files of PAIR.files) {
          const { exitCode } = await runOnce(files, async request => race.service.handle(request), 1)
          const now = race.service.snapshot()
          expect([a, b, exitCode, meetsGoal(files, now), listsAll(files, now)]).toEqual([a, b, 0, true, true])
        }
      }
  })
})
