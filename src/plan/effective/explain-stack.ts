import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId } from '../../model/ids.ts'
import type { ObservedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import type { ExplainedState, ReadableSet, StackWay } from './explanation.ts'
import { allSets, type PlacedSet, sameInOneSet } from './placed-set.ts'

interface AskedStack {
  readonly id: StackId
  readonly project?: ProjectId
}

/** The sets that a Stack may read (docs/service.md 13.1). Without `match`, the files are left out of account. */
export function readableSets(
  stack: AskedStack,
  observed: ObservedState,
  match: Match | undefined,
  state: ExplainedState,
): ReadableSet[] {
  const readable = (set: PlacedSet | undefined) => (set && waysOf(set, stack).length > 0 ? set : undefined)
  return allSets(observed, match)
    .flatMap(({ before, after }) => {
      const was = state === 'files' ? undefined : readable(before)
      const is = readable(after)
      const set = is ?? was
      return set
        ? [
            {
              set,
              isNew: before === undefined,
              change: state === 'difference' ? changeOf(was, is) : ('same' as const),
            },
          ]
        : []
    })
    .toSorted((a, b) => compareText(a.set.name, b.set.name) || compareText(a.set.id, b.set.id))
    .map(({ set, change }) => ({
      set: set.name,
      change,
      ways: waysOf(set, stack),
      variables: [...set.held]
        .map(([key, { secret }]) => ({ key, secret: secret || undefined }))
        .toSorted((a, b) => compareText(a.key, b.key)),
    }))
}

const waysOf = ({ global, projects, stacks }: PlacedSet, { id, project }: AskedStack): StackWay[] => [
  ...(stacks.includes(id) ? (['stack'] as const) : []),
  ...(project !== undefined && projects.includes(project) ? (['project'] as const) : []),
  ...(global ? (['global'] as const) : []),
]

function changeOf(was: PlacedSet | undefined, is: PlacedSet | undefined): ReadableSet['change'] {
  if (was === undefined || is === undefined) return was === undefined ? 'gained' : 'lost'
  const isSame =
    was.name === is.name &&
    was.held.size === is.held.size &&
    [...was.held].every(([key, before]) => {
      const after = is.held.get(key)
      return after !== undefined && sameInOneSet(key, before, after)
    })
  return isSame ? 'same' : 'changed'
}
