import type { Profile, SandboxSeed } from '../../../src/sandbox/index.ts'
import { allItemsOf } from '../schedules/state.ts'
import { meetsGoal } from './goal.ts'
import type { Pair, Race } from './race.ts'
import { runOnce } from './run.ts'

/** How many of the two runs ended with 0. */
export type Ending = 'both done' | 'one done' | 'none done'

export interface Verdict {
  readonly ending: Ending
  readonly violations: readonly string[]
  /** Two sets with one name remain, on a service that allows that. The next run reports it and changes nothing. */
  readonly isDoubled: boolean
}

/** Judges a race whose runs have both ended. `quiet`: results of later runs for each state, kept between races. */
export async function judge(
  race: Race,
  pair: Pair,
  profile: Partial<Profile>,
  quiet: Map<string, Promise<Quiet>>,
): Promise<Verdict> {
  const violations: string[] = []
  for (const [index, { ended, reached, recorded, wrote }] of race.runners.entries()) {
    const who = 'AB'[index]
    if (ended === undefined) violations.push(`crash: ${who} does not end`)
    if (ended?.bug !== undefined) violations.push(`crash: ${who}: ${ended.bug}`)
    if (ended?.exitCode === 0 && !reached)
      violations.push(
        `false-success: ${who} ends with 0, but the service never equalled its files since its last write`,
      )
    if (ended?.exitCode === 0 && !recorded)
      violations.push(
        `unrecorded: ${who} ends with 0, but its inventory never listed all of its sets since its last write to one`,
      )
    if (ended?.exitCode === 1 && wrote) violations.push(`dishonest-exit: ${who} ends with 1, but has written`)
  }
  const text = JSON.stringify(race.service.snapshot())
  const later = quiet.get(text) ?? rerun(race, pair, profile)
  quiet.set(text, later)
  const { violations: found, isDoubled } = await later
  const done = race.runners.filter(({ ended }) => ended?.exitCode === 0).length
  const ending = done === 2 ? 'both done' : done === 1 ? 'one done' : 'none done'
  return { ending, violations: [...violations, ...found], isDoubled }
}

export interface Quiet {
  readonly violations: readonly string[]
  readonly isDoubled: boolean
}

/** Both runs once more, one after the other, from the state after the race. */
async function rerun({ service, start }: Race, pair: Pair, profile: Partial<Profile>): Promise<Quiet> {
  const violations: string[] = []
  const foreign = foreignIn(pair, start)
  // A service may allow duplicate names, but a run must not choose one of the sets.
  const doubled = namesTwice(service.snapshot())
  const isDoubled = doubled.length > 0
  if (foreignIn(pair, service.snapshot()) !== foreign)
    violations.push('foreign-touched: the race changed an unmanaged set')
  if (isDoubled && (profile.duplicates ?? 'refuse') === 'refuse')
    violations.push(`duplicate: ${doubled.join(', ')}`)
  for (const [index, files] of pair.files.entries()) {
    const who = 'AB'[index]
    service.catchUp()
    const { exitCode, codes } = await runOnce(files, async request => service.handle(request), 1)
    const now = service.snapshot()
    if (foreignIn(pair, now) !== foreign)
      violations.push(`foreign-touched: the later run of ${who} changed an unmanaged set`)
    if (isDoubled && exitCode === 1 && codes.includes('ambiguous-set')) continue
    if (pair.refusal !== undefined && exitCode === 1 && codes.includes(pair.refusal)) continue
    if (exitCode !== 0)
      violations.push(`not-repaired: the later run of ${who} ends with ${exitCode} ${codes}`)
    else if (!meetsGoal(files, now))
      violations.push(
        `false-success: the later run of ${who} ends with 0, but the service does not equal its files`,
      )
    const left = [...(isDoubled ? [] : namesTwice(now)), ...keysTwice(now)]
    if (left.length > 0) violations.push(`duplicate: ${left.join(', ')} after the later run of ${who}`)
  }
  return { violations, isDoubled }
}

const twice = (texts: readonly string[]): string[] => texts.filter((text, at) => texts.indexOf(text) !== at)
const namesTwice = ({ sets = [] }: SandboxSeed): string[] => twice(sets.map(({ name }) => name))
const keysTwice = ({ sets = [] }: SandboxSeed): string[] =>
  sets.flatMap(({ name, variables = [] }) =>
    twice(variables.map(({ category, key }) => `${name}: ${category}/${key}`)),
  )

/** Sets that neither of the two runs mentions, with all their contents. */
function foreignIn({ seed, files }: Pair, { sets = [] }: SandboxSeed): string {
  const [a, b] = files.map(one => allItemsOf(seed, one).foreign)
  return JSON.stringify(sets.filter(({ id = '' }) => a?.has(id) === true && b?.has(id) === true))
}
