import { compareText } from '../../model/diagnostic.ts'
import { categoryOf, type VariableKey } from '../../model/ids.ts'
import type { ObservedVariable } from '../../model/variable-set.ts'
import { type Hides, hiddenAmong, type LooksSecret } from '../secrecy.ts'
import type { ExplainedVariable, Given, Moment, Seen, Way } from './explanation.ts'
import { type Held, heldNow, sameInOneSet, sameInTwoSets } from './held.ts'
import type { PlacedSet } from './moving-set.ts'
import { byStrength, OWN_RANK, rankOf, reasonFor, type Source, type Ways } from './precedence.ts'

/** A set on its way to the workspace. */
export interface Coming {
  readonly set: PlacedSet
  readonly ways: Ways
}

/** What comes to one workspace. */
export interface Coverage {
  readonly before: readonly Coming[]
  readonly after: readonly Coming[]
  readonly own: ReadonlyMap<VariableKey, ObservedVariable>
}

interface Candidate extends Source {
  readonly held: Held
  readonly set: PlacedSet | undefined
  readonly way: Way
}

/** Every variable with its sources, sorted by key. */
export function explainVariables(
  coverage: Coverage,
  moment: Moment,
  looksSecret: LooksSecret,
): ExplainedVariable[] {
  const before = moment === 'files' ? new Map() : candidatesOf(coverage.before, coverage.own)
  const after = moment === 'live' ? new Map() : candidatesOf(coverage.after, coverage.own)
  const hides = hiddenAmong(holdersIn(coverage), looksSecret)
  const keys = [...new Set<VariableKey>([...before.keys(), ...after.keys()])].toSorted(compareText)
  return keys.map(key => {
    const was: readonly Candidate[] = before.get(key) ?? []
    const is: readonly Candidate[] = after.get(key) ?? []
    const seenBefore = seen(key, was, hides)
    const seenAfter = seen(key, is, hides)
    return {
      key,
      change: moment === 'difference' ? changeOf(key, was[0], is[0]) : 'same',
      ...(seenBefore === undefined ? {} : { before: seenBefore }),
      ...(seenAfter === undefined ? {} : { after: seenAfter }),
    }
  })
}

function changeOf(
  key: VariableKey,
  was: Candidate | undefined,
  is: Candidate | undefined,
): ExplainedVariable['change'] {
  if (was === undefined || is === undefined) return was === undefined ? 'gained' : 'lost'
  const same = was.id === is.id ? sameInOneSet(key, was.held, is.held) : sameInTwoSets(key, was.held, is.held)
  return same && was.id === is.id ? 'same' : 'changed'
}

/** For each key everything that gives it, the strongest first; of a set that comes on two ways the better one. */
function candidatesOf(
  coming: readonly Coming[],
  own: ReadonlyMap<VariableKey, ObservedVariable>,
): Map<VariableKey, Candidate[]> {
  const found = new Map<VariableKey, Candidate[]>()
  const add = (key: VariableKey, candidate: Candidate): void => {
    const known = found.get(key)
    if (known === undefined) found.set(key, [candidate])
    else known.push(candidate)
  }
  for (const [key, variable] of own)
    add(key, { rank: OWN_RANK, name: '', id: '', held: heldNow(variable), set: undefined, way: 'own' })
  for (const { set, ways } of coming) {
    const rank = rankOf(set, ways)
    if (rank === undefined) continue
    const way = wayOf(set, ways)
    for (const [key, held] of set.held) add(key, { rank, name: set.called, id: set.id, held, set, way })
  }
  for (const candidates of found.values()) candidates.sort(byStrength)
  return found
}

/** The way that counts: with priority the broadest, without it the closest. */
function wayOf({ priority }: PlacedSet, ways: Ways): Way {
  const order: readonly (keyof Ways)[] = priority
    ? ['global', 'project', 'workspace']
    : ['workspace', 'project', 'global']
  return order.find(way => ways[way]) ?? 'global'
}

function seen(key: VariableKey, [winner, ...others]: readonly Candidate[], hides: Hides): Seen | undefined {
  if (winner === undefined) return undefined
  return {
    ...givenOf(key, winner, hides),
    shadows: others.map(other => ({ ...givenOf(key, other, hides), why: reasonFor(winner, other) })),
  }
}

function givenOf(key: VariableKey, { held, set, way, rank }: Candidate, hides: Hides): Given {
  return {
    way,
    rank,
    ...(set === undefined ? {} : { set: set.name }),
    ...(set?.priority ? { priority: true } : {}),
    ...(set?.projectOwned ? { projectOwned: true } : {}),
    ...(held.secret
      ? { secret: true }
      : held.text === undefined || hides(key, held.text)
        ? {}
        : { text: held.text }),
    ...(!held.secret && held.hcl && categoryOf(key) === 'terraform' ? { hcl: true } : {}),
  }
}

const holdersIn = ({ before, after, own }: Coverage) => [
  ...[...before, ...after].map(({ set }) => set),
  { held: new Map([...own].map(([key, variable]) => [key, heldNow(variable)])) },
]
