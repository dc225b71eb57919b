import { compareText } from '../model/diagnostic.ts'
import type { ProjectId } from '../model/ids.ts'
import { append, itemAt } from '../model/lists.ts'
import { audienceOf, type MemberNames } from '../plan/effective/audience.ts'
import type { Audience, Member, Received, ReceivedChange, ReceivedKind } from '../plan/effective/effect.ts'
import { isStack, isWorkspace } from '../plan/effective/members.ts'
import { isEffect } from '../plan/effective/received.ts'
import type { Plan } from '../plan/plan-data.ts'

/** Effects that the same workspaces see. A workspace sees at most one effect on a key. */
export interface EffectGroup {
  readonly members: readonly Member[]
  readonly audience: Audience
  readonly effects: readonly ReceivedChange[]
}

/** The order of a report: effects that no operation shows come first. */
const KINDS: readonly ReceivedKind[] = ['winner', 'lost', 'gained', 'value', 'source']

/** Each effect once, with all workspaces that see it, the most interesting ones first. */
export function effectGroups(plan: Plan): EffectGroup[] {
  const { changes, groups } = plan.facts.received
  const seeing = new Map<number, number[]>()
  for (const [at, group] of groups.entries())
    if (!group.members.every(isStack)) for (const change of group.changes) append(seeing, change, at)
  const alike = new Map<string, { readonly groups: readonly number[]; readonly effects: ReceivedChange[] }>()
  for (const [at, change] of changes.entries()) {
    const groups = seeing.get(at)
    if (groups === undefined || !isEffect(change)) continue
    const known = alike.get(groups.join())
    if (known === undefined) alike.set(groups.join(), { groups, effects: [change] })
    else known.effects.push(change)
  }
  const names = namesOfPlan(plan)
  return [...alike.values()]
    .map(({ groups: seen, effects }): EffectGroup => {
      const members = seen.flatMap(at => itemAt(groups, at).members.filter(member => !isStack(member)))
      return { members, audience: audienceOf(members, names), effects: effects.toSorted(byKind) }
    })
    .toSorted((a, b) => byInterest(a, b) || byFirst(a.audience, b.audience, names))
}

/** Names and projects of workspaces as the plan tells them; those without a name come last. */
export function namesOfPlan({ names, projectOf, facts }: Plan): MemberNames {
  const { sizes } = facts.received
  const nameOf = (id: string): string => names[id] ?? LAST
  return {
    compare: (a, b) => compareText(nameOf(a), nameOf(b)) || compareText(a, b),
    projectOf: id => projectOf[id] as ProjectId | undefined,
    sizeOf: project => sizes[project],
  }
}

/** Later than every name. */
const LAST = '\u{10ffff}'

const rankOf = ({ kind }: ReceivedChange): number => KINDS.indexOf(kind)

const byKind = (a: ReceivedChange, b: ReceivedChange): number =>
  rankOf(a) - rankOf(b) || compareText(a.key, b.key)

const byInterest = (a: EffectGroup, b: EffectGroup): number =>
  rankOf(itemAt(a.effects, 0)) - rankOf(itemAt(b.effects, 0)) ||
  Number(b.audience.others) - Number(a.audience.others) ||
  b.audience.count - a.audience.count ||
  compareText(itemAt(a.effects, 0).key, itemAt(b.effects, 0).key)

function byFirst(a: Audience, b: Audience, { compare }: MemberNames): number {
  const [[one], [other]] = [a.workspaces, b.workspaces]
  if (one === undefined || other === undefined) {
    const order = Number(one === undefined) - Number(other === undefined)
    return order || compareText(a.projects[0] ?? '', b.projects[0] ?? '')
  }
  return compare(one, other)
}

/** Whether a set with priority gives the variable, before or after: no variable of the workspace itself hides the change. */
const isCertain = ({ before, after }: ReceivedChange): boolean =>
  before?.priority === true || after?.priority === true

/** How many known workspaces see an effect, and how many of them whatever variables they have themselves. */
export function countsOf({ changes, groups }: Received): {
  readonly seeing: number
  readonly certain: number
  readonly isCertain: boolean
} {
  const effects = groups.map(group => ({
    members: group.members.filter(member => !isStack(member)),
    effects: group.changes.map(at => itemAt(changes, at)).filter(isEffect),
  }))
  const seeing = effects.flatMap(one => (one.effects.length > 0 ? one.members : []))
  const certain = effects.flatMap(one => (one.effects.some(isCertain) ? one.members : []))
  return {
    seeing: seeing.filter(isWorkspace).length,
    certain: certain.filter(isWorkspace).length,
    isCertain: certain.length === seeing.length,
  }
}
