import { compareText } from '../../model/diagnostic.ts'
import { audienceOf, namesIn } from './audience.ts'
import type { Audience, Exposed, Member } from './effect.ts'
import { isWorkspace, type KnownMembers, receiversOf } from './members.ts'
import type { Reception } from './reception.ts'
import type { ChangedSet, SetState } from './set-state.ts'

/** The variables that newly reach somebody, even if other sets override them there. By set. */
export function exposureOf({ moving, members }: Pick<Reception, 'moving' | 'members'>): Exposed[] {
  const receivers = new Receivers(members)
  return moving
    .toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
    .flatMap(({ before, after }) => (after === undefined ? [] : exposedBy(before, after, receivers)))
}

/** Sets with the same targets share their receivers, and the audience of these. */
class Receivers {
  readonly #known: KnownMembers
  readonly #byTargets = new Map<string, ReadonlySet<Member>>()
  readonly #audiences = new Map<ReadonlySet<Member>, Audience>()

  constructor(known: KnownMembers) {
    this.#known = known
  }

  of(set: SetState): ReadonlySet<Member> {
    const { global, workspaces, projects, stacks } = set
    const targets = JSON.stringify([global, workspaces, projects, stacks])
    const members = this.#byTargets.get(targets) ?? receiversOf(set, this.#known)
    this.#byTargets.set(targets, members)
    return members
  }

  /** `members`: all receivers of the set, or some. */
  audienceOf(set: SetState, members: ReadonlySet<Member>): Audience {
    const shared = this.#audiences.get(members)
    if (shared !== undefined) return shared
    const audience = {
      ...audienceOf(members, namesIn(this.#known)),
      whole: throughProjects(set, members, this.#known),
    }
    if (members === this.of(set)) this.#audiences.set(members, audience)
    return audience
  }
}

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

function exposedBy(before: SetState | undefined, after: SetState, receivers: Receivers): Exposed[] {
  const all = receivers.of(after)
  const had = before && receivers.of(before)
  const fresh =
    had === undefined ? all : had === all ? new Set<Member>() : new Set([...all].filter(one => !had.has(one)))
  const exposed = (kind: Exposed['kind'], keys: Exposed['keys'], to: ReadonlySet<Member>): Exposed => ({
    kind,
    set: after.name,
    keys,
    global: after.global || undefined,
    priority: after.priority || undefined,
    audience: receivers.audienceOf(after, to),
  })
  const secret = (keys: Exposed['keys'], to: ReadonlySet<Member>): Exposed[] =>
    keys.length === 0 || to.size === 0 ? [] : [exposed('secret', keys, to)]
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
    if (fresh.size === all.size) return secret(secrets, fresh)
    const isAdded = new Set(added)
    return [
      ...secret(
        secrets.filter(key => !isAdded.has(key)),
        fresh,
      ),
      ...secret(
        secrets.filter(key => isAdded.has(key)),
        all,
      ),
    ]
  }
}
