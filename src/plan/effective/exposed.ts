import { compareText } from '../../model/diagnostic.ts'
import { audienceOf, namesIn } from './audience.ts'
import type { Audience, Exposed, Member } from './effect.ts'
import { isWorkspace, type KnownMembers, receiversOf } from './members.ts'
import type { Reception } from './reception.ts'
import type { ChangedSet, SetState } from './set-state.ts'

/** The variables that newly reach somebody, even if other sets override them there. By set. */
export const exposureOf = ({ moving, members }: Pick<Reception, 'moving' | 'members'>): Exposed[] =>
  moving
    .toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
    .flatMap(({ before, after }) => (after === undefined ? [] : exposedBy(before, after, members)))

const nameOf = ({ before, after }: ChangedSet): string => (after ?? before)?.name ?? ''

/** The projects of the set, with the number of these members in each. */
function throughProjects(
  { projects, global }: SetState,
  members: ReadonlySet<Member>,
  { inProject }: KnownMembers,
): Audience['whole'] {
  const whole = projects.flatMap(project => {
    const count = (inProject.get(project) ?? []).filter(one => isWorkspace(one) && members.has(one)).length
    return count === 0 ? [] : { project, count }
  })
  if (global || whole.length === 0) return undefined
  return whole.toSorted((a, b) => b.count - a.count || compareText(a.project, b.project))
}

function exposedBy(before: SetState | undefined, after: SetState, known: KnownMembers): Exposed[] {
  const all = receiversOf(after, known)
  const had = before === undefined ? new Set<Member>() : receiversOf(before, known)
  const fresh = [...all].filter(member => !had.has(member))
  const exposed = (
    kind: Exposed['kind'],
    keys: Exposed['keys'],
    to: readonly Member[] | ReadonlySet<Member>,
  ): Exposed => ({
    kind,
    set: after.name,
    keys,
    global: after.global || undefined,
    priority: after.priority || undefined,
    audience: { ...audienceOf(to, namesIn(known)), whole: throughProjects(after, new Set(to), known) },
  })
  const secret = (keys: Exposed['keys'], to: readonly Member[]): Exposed[] =>
    keys.length === 0 || to.length === 0 ? [] : [exposed('secret', keys, to)]
  const keys = [...after.held.keys()]
  const added = keys.filter(key => !before?.held.has(key))
  const secrets = keys.filter(key => after.held.get(key)?.secret)
  const isOverall = before && ((before.global && after.global) || (before.priority && after.priority))
  return [
    ...newSecrets(),
    ...(after.global && !before?.global ? [exposed('global', keys, all)] : []),
    ...(isOverall && added.length > 0 ? [exposed('added', added, all)] : []),
  ]

  /** New members receive every secret of the set, the others those that are new in it. A readable variable that becomes a secret reaches nobody new. */
  function newSecrets(): Exposed[] {
    if (fresh.length === all.size) return secret(secrets, fresh)
    const isAdded = new Set(added)
    return [
      ...secret(
        secrets.filter(key => !isAdded.has(key)),
        fresh,
      ),
      ...secret(
        secrets.filter(key => isAdded.has(key)),
        [...all],
      ),
    ]
  }
}
