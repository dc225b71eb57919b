import { compareText } from '../../model/diagnostic.ts'
import { audienceOf, namesIn } from './audience.ts'
import type { Audience, Member } from './effect.ts'
import { isProject, isWorkspace, type KnownMembers, receiversOf } from './members.ts'
import type { SetState } from './set-state.ts'

/** Sets with the same targets share their receivers, and the audience of these. */
export class Receivers {
  readonly #known: KnownMembers
  readonly #byTargets = new Map<string, ReadonlySet<Member>>()
  readonly #audiences = new Map<ReadonlySet<Member>, Audience>()
  readonly #counts = new Map<ReadonlySet<Member>, number | undefined>()

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

  /** The number of workspaces among them; `undefined` if a project or all others stand for workspaces that are not told. */
  countOf(members: ReadonlySet<Member>): number | undefined {
    if (!this.#counts.has(members)) this.#counts.set(members, told(members, this.#known))
    return this.#counts.get(members)
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

function told(members: ReadonlySet<Member>, { isWhole, membersOf }: KnownMembers): number | undefined {
  let count = 0
  for (const member of members) {
    if (member === 'others' || (isProject(member) && !isWhole && !membersOf.has(member))) return undefined
    if (isWorkspace(member)) count++
  }
  return count
}
