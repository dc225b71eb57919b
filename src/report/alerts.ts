import { hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { nameOf, type VariableKey } from '../model/ids.ts'
import { itemAt } from '../model/lists.ts'
import type { RuleHit, RuleLevel } from '../model/rule.ts'
import type { ObservedValue, Variable } from '../model/variable-set.ts'
import type { ChangedPart, ChangedSet, ChangedVariable } from '../plan/changed-sets.ts'
import { hitText, isIdle, type Plan } from '../plan/plan-data.ts'
import type { PlanFinding } from '../plan/plan-findings.ts'
import {
  type Alert,
  type AlertContext,
  type AlertGroup,
  type AlertKind,
  alert,
  alertContextOf,
  condensed,
  MOST_EACH,
  type Review,
  reviewOf,
} from './alert.ts'
import { displacedValues } from './displaced.ts'
import { becomeGlobal, gainPriority, secretsThatReach } from './exposure.ts'
import { findingPhrases } from './finding-text.ts'
import { gapAlerts } from './gap-text.ts'
import { counted, figure, groupedBy, listed, message, name, type Phrase, present, say } from './phrase.ts'

/** All findings. Does not look at the views of sets, whose values may be long. */
export function alertsOf(plan: Plan, kind: 'plan' | 'drift' | 'apply'): Review {
  const context = alertContextOf(plan)
  return reviewOf([
    ...blocks(plan),
    ...ruleAlerts(plan),
    ...secretsThatGo(context),
    adopted(plan),
    missing(plan),
    alone(originAlerts(plan, kind)),
    ...becomeGlobal(context),
    ...gainPriority(context),
    ...secretsThatReach(context),
    ...displacedValues(context),
    gapAlerts(plan),
    changedOutside(plan),
    alone(unknown(plan)),
  ])
}

const alone = (every: readonly Alert[]): AlertGroup => ({ every, shown: every })

/** A line for each owner that loses sets. */
const adopted = ({ facts }: Plan): AlertGroup =>
  condensed(
    groupedBy(facts.inventory.taken, ({ owner }) => owner).map(group => {
      const sets = group.map(({ set }) => set)
      const more = sets.length - MOST_EACH
      const named =
        more > 0 ? say`${listed(sets.slice(0, MOST_EACH))} and ${figure(more)} more` : listed(sets)
      const phrase = say`${named} ${sets.length === 1 ? 'is' : 'are'} taken from "${name(itemAt(group, 0).owner)}"`
      return alert('adopted', phrase, { sets })
    }),
  )

const ALERTS = {
  missing: 'missing',
  readable: 'readable',
  overridden: 'override',
  unassigned: 'missing',
} as const satisfies Record<PlanFinding['kind'], AlertKind>

/** A line for each set. */
const missing = ({ facts }: Plan): AlertGroup =>
  condensed(
    findingPhrases(facts).map(({ kind, set, keys, phrase, workspaces, source }) =>
      alert(ALERTS[kind], phrase, {
        source,
        sets: [set],
        keys,
        breadth: workspaces,
      }),
    ),
  )

function changedOutside(plan: Plan): AlertGroup {
  const every = plan.steps.flatMap(({ operation, source }) => {
    if (operation.type !== 'update-variable' || operation.rewrite !== 'changed-outside') return []
    const { key } = operation.after
    const what = say`${name(operation.subject.name)} ${name(nameOf(key))}`
    const phrase = say`${what} may have been changed outside; it is written again (to keep it: put it into its source, and raise its version)`
    return [alert('drift', phrase, { source, sets: [operation.subject.name], keys: [key] })]
  })
  return condensed(every)
}

/** Grouped by the guard that blocks. Rules are reported by their hits. */
const blocks = (plan: Plan): AlertGroup[] => {
  const told = plan.blocks.filter(({ code }) => code !== 'violates-rule')
  return groupedBy(told, ({ code }) => code).map(group => {
    const every = group.map(({ message: text, source }) => alert('blocked', [message(text)], { source }))
    return condensed(every, MOST_EACH + 1)
  })
}

const KIND_OF: Readonly<Record<RuleLevel, AlertKind>> = { warn: 'rule', block: 'blocked', error: 'forbidden' }

/** Rules that the plan violates, grouped by rule, and rules that could not be evaluated. */
const ruleAlerts = (plan: Plan): AlertGroup[] => [
  alone(failures(plan)),
  ...groupedBy(plan.hits ?? [], ({ rule, level }) => `${level} ${rule}`).map(group => {
    const every = group.map(hit => hitAlert(hit, plan))
    return condensed(every, MOST_EACH + 1)
  }),
]

function hitAlert(hit: RuleHit, plan: Plan): Alert {
  const { set, key } = hit.item
  const kind = hit.level === 'block' && isIdle(plan) ? 'rule' : KIND_OF[hit.level]
  return alert(kind, [message(hitText(hit))], {
    sets: present(set),
    keys: [key].filter(isKey),
    source: hit.source,
  })
}

const isKey = (key: string | undefined): key is VariableKey => key !== undefined

/** A plan has no other errors than those of rules. */
const failures = ({ diagnostics }: Plan): Alert[] =>
  diagnostics
    .filter(one => hasErrors([one]) && one.code !== 'rule-violated')
    .map(one => alert('forbidden', [message(one.message)], { source: one.source }))

/** Secrets that the service loses: deleted, or replaced by a readable value; and values that may be in no other place. */
const secretsThatGo = ({ sets }: AlertContext): AlertGroup[] => [
  condensed(lost(sets)),
  condensed(onlyThere(sets)),
  condensed(
    sets.flatMap(({ name: set, changes }) =>
      changes.filter(isVariable).flatMap(({ key, loses, source }) => {
        if (loses !== 'readable') return []
        const phrase = say`${name(set)} ${name(nameOf(key))} is no longer sensitive`
        return [alert('readable', phrase, { source, sets: [set], keys: [key] })]
      }),
    ),
  ),
]

/** A line for each set. */
const lost = (sets: readonly ChangedSet[]): Alert[] =>
  sets
    .map(({ name: set, changes }) => ({
      set,
      gone: changes.filter(isVariable).filter(({ loses }) => loses === 'deleted'),
    }))
    .toSorted((a, b) => b.gone.length - a.gone.length)
    .flatMap(({ set, gone }) => {
      if (gone.length === 0) return []
      const keys = gone.map(({ key }) => key)
      const are = keys.length === 1 ? 'is' : 'are'
      const phrase = say`${name(set)} ${listed(keys.map(nameOf))} ${are} deleted and cannot be recovered`
      return [alert('lost', phrase, { source: sourceOf(gone), sets: [set], keys })]
    })

/** Readable values that look like secrets, and that are in no file: whoever kept them out of Git has them in the service alone. */
const onlyThere = (sets: readonly ChangedSet[]): Alert[] =>
  sets.flatMap(({ name: set, changes }) => {
    const gone = changes
      .filter(isVariable)
      .filter(({ before, after, moves }) => isWithheld(before) && after === undefined && moves.length === 0)
    if (gone.length === 0) return []
    const keys = gone.map(({ key }) => key)
    const [look, their] =
      keys.length === 1
        ? ['looks like a secret and is', 'its value']
        : ['look like secrets and are', 'their values']
    const phrase = say`${name(set)} ${listed(keys.map(nameOf))} ${look} deleted; ${their} may be in no other place`
    return [alert('lost', phrase, { source: sourceOf(gone), sets: [set], keys })]
  })

const isVariable = (change: ChangedPart): change is ChangedVariable => change.kind === 'variable'

const isWithheld = (before: Variable<ObservedValue> | undefined): boolean =>
  before !== undefined && 'withheld' in before.value

const sourceOf = ([first]: readonly ChangedVariable[]): SourceRange | undefined => first?.steps[0]?.source

/** Missing information that could change the findings above. */
const unknown = ({ steps, facts }: Plan): Alert[] =>
  steps.length > 0 && facts.received.partial === true ? [alert('unknown', [NOT_IN_SNAPSHOT])] : []

const NOT_IN_SNAPSHOT =
  'the snapshot does not contain the values and workspaces of unmanaged sets, so it is unknown which of them this overrides'

/** Rules of the base count in this plan, whatever the change does to them. */
function loosenedPhrase(setting: string, base: string, head: string): Phrase {
  const rule = /^rules\.(.*)$/.exec(setting)?.[1]
  if (rule === undefined)
    return say`${name(setting)} protects less than before: ${name(base)} -> ${name(head)}`
  const what = head === 'deleted' ? 'deleted' : `changed from ${base} to ${head}`
  return say`the rule ${name(rule)} is ${what}; here it still counts as in the base`
}

/** What somebody changed, and a plan of one change writes because the change edits it. */
const overwrittenAlerts = ({ onlyThisChange }: Plan): Alert[] =>
  (onlyThisChange?.overwritten ?? []).map(({ set, items }) => {
    const names = items.map(item => item.slice(item.indexOf('/') + 1))
    const phrase = say`${name(set)} ${listed(names)} differed before this change, and ${items.length === 1 ? 'is' : 'are'} overwritten`
    return alert('drift', phrase, { sets: [set] })
  })

/** Settings that a change loosens, and manual changes that a plan reverts. */
function originAlerts(plan: Plan, kind: 'plan' | 'drift' | 'apply'): Alert[] {
  const loosened = (plan.facts.base?.loosened ?? []).map(({ setting, base, head }) =>
    alert('loosened', loosenedPhrase(setting, base, head)),
  )
  const origins = plan.facts.origins.flatMap(({ items }) => Object.values(items))
  const reverted = origins.filter(origin => origin === 'outside').length
  const overwritten = kind === 'plan' ? overwrittenAlerts(plan) : []
  if (kind !== 'plan' || reverted === 0) return [...loosened, ...overwritten]
  const phrase = `${counted(reverted, 'change')} made outside ${reverted === 1 ? 'is' : 'are'} reverted`
  return [...loosened, alert('drift', [phrase])]
}
