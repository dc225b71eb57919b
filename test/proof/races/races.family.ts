import { again, atLeast, type Done, type Family, sum } from '../family.ts'
import { code, table } from '../page.ts'
import { LONG_LIST } from '../schedules/cases.ts'
import { PROFILES } from '../schedules/profiles.ts'
import { type Explored, exploreAll, exploreRandom } from './explore.ts'
import { BIG, PAIRS, pairNamed } from './pairs.ts'

/** All orders of a pair on a service, up to `most` situations, or `count` random orders. */
type Task = { readonly pair: string; readonly profile: string } & (
  | { readonly most: number; readonly concurrency: number }
  | { readonly count: number; readonly seed: number }
)

type All = readonly Done<Task, Explored>[]

/** The most situations of a pair on a service, and the number of random orders of each longer pair. */
const COUNTS = {
  whole: { most: 600, random: 200 },
  part: { most: 60, random: 30 },
  sample: { most: 10, random: 2 },
} as const
const SERVICES = ['hcp', 'loose/second', 'hcp/late/second', 'terse', 'loose/replace'] as const
const servicesOf = (pair: string): readonly string[] =>
  pair.endsWith(LONG_LIST) ? ['hcp/20', 'terse/20'] : SERVICES

/** Two runs begin from one state, and a scheduler chooses whose request arrives next. */
const races: Family<Task, Explored> = {
  name: 'races',
  proves: ['F-24', 'I-25'],
  tasks(size, seed) {
    const { most, random } = COUNTS[size]
    // The whole proof tries each pair on every service. A part tries it on one, which depends on the seed.
    const some = <Item>(all: readonly Item[], turn: number): readonly Item[] =>
      size === 'whole' ? all : all.filter((_, index) => index === (turn + seed) % all.length)
    return [
      ...PAIRS.flatMap(({ name }, turn) =>
        some(SERVICES, turn).map(profile => ({ pair: name, profile, most, concurrency: 1 })),
      ),
      ...BIG.flatMap(({ name }, turn) =>
        some(servicesOf(name), turn).map(profile => ({
          ...{ pair: name, profile, count: random },
          seed: 1_000 * (seed - 1) + turn + 1,
        })),
      ),
    ]
  },
  seconds: task => ('most' in task ? task.most / 60 : task.count / 40),
  async run(task) {
    const pair = pairNamed(task.pair)
    const profile = PROFILES[task.profile]
    if (profile === undefined) throw new RangeError(`there is no profile "${task.profile}"`)
    return 'most' in task
      ? await exploreAll(pair, profile, task.concurrency, task.most)
      : await exploreRandom(pair, profile, task.count, task.seed)
  },
  conclude(done, size, isAll) {
    const every = done.filter(({ task }) => 'most' in task)
    const random = done.filter(({ task }) => 'count' in task)
    const complete = every.filter(({ found }) => found.complete).length
    return {
      figures: [
        ['situations of two short runs, in every order', total(every, ({ states }) => states)],
        ['pairs on a service, tried completely', complete],
        ['random orders of two long runs', total(random, one => one.races)],
      ],
      promises: [
        {
          promise: 'two short applies at once cause no silent damage, in any order',
          broken: brokenIn(every),
        },
        {
          promise: 'two long applies at once cause no silent damage, in random orders',
          broken: brokenIn(random),
        },
        ...(size === 'whole'
          ? [
              atLeast('20 pairs are tried completely', 20, complete, isAll),
              atLeast(
                '10,000 random orders are tried',
                10_000,
                total(random, one => one.races),
                isAll,
              ),
            ]
          : []),
      ],
      section: pageOf(every, random),
    }
  },
}

export default races

const total = (done: All, count: (explored: Explored) => number): number =>
  sum(done, ({ found }) => count(found))

const brokenIn = (done: All): string[] =>
  done.flatMap(({ task, found }) =>
    found.broken
      .slice(0, 3)
      .map(({ choices, violations }) =>
        [`${task.pair} on ${task.profile}, choices ${choices}`, ...violations, again('races', task)].join(
          '\n',
        ),
      ),
  )

function pageOf(all: All, random: All): string {
  const rows = PAIRS.map(({ name }) => {
    const done = all.filter(({ task }) => task.pair === name)
    const complete = done.filter(({ found }) => found.complete).length
    const ends = (['both done', 'one done', 'none done'] as const).map(ending =>
      total(done, ({ endings }) => endings[ending]),
    )
    return [
      ...[name, total(done, one => one.states), total(done, one => one.races)],
      ...[`${complete} of ${SERVICES.length}`, ...ends],
      ...[total(done, one => one.doubled), total(done, one => one.broken.length)],
    ]
  })
  const [both, one, none] = (['both done', 'one done', 'none done'] as const).map(ending =>
    total(random, ({ endings }) => endings[ending]),
  )
  const services = new Set(random.map(({ task }) => task.profile)).size
  return [
    `Two runs begin from one state. At each step, a scheduler chooses whose next request arrives. ${PAIRS.length} pairs of short plans on the services ${SERVICES.map(code).join(', ')}: every order is tried. A situation that occurred before (the same responses to both runs, the same state of the service) is tried only once. With more than ${COUNTS.whole.most} situations, only the first ${COUNTS.whole.most} are tried, and the pair is not complete on that service.`,
    'Silent damage means: a run ends with 0 although the service never equalled its files since its last write to a set; a run that wrote ends with 1; something changed that neither run reports; or afterwards, another run of either without a race does not end with 0 and equal files, or leaves a duplicate variable. On a service that accepts two sets with one name, a race can create two. Then the next run reports it and changes nothing (column *doubled*).',
    table(
      [
        'two runs',
        'situations',
        'ends',
        'complete on',
        'both 0',
        'one 0',
        'none 0',
        'doubled',
        'silent damage',
      ],
      rows,
    ),
    `Random orders, for two runs of each case of the schedules above, with one to four parallel requests in each run: ${total(random, ({ races }) => races)} races on ${services} services, silent damage in ${total(random, ({ broken }) => broken.length)}; both ended with 0 in ${both}, one in ${one}, none in ${none}.`,
  ].join('\n\n')
}
