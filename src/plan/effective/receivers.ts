import { compareText } from '../../model/diagnostic.ts'
import { audienceOf, namesIn } from './audience.ts'
import type { Audience, Member } from './effect.ts'
import { isWorkspace, type KnownMembers, receiversOf } from './members.ts'
import type { SetState } from './set-state.ts'

/** Sets with the same targets share their receivers, and the audience of these. */
export class Receivers {
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
