import { hasErrors } from '../model/diagnostic.ts'
import type { RuleHit, RuleLevel } from '../model/rule.ts'
import { hitText, isIdle } from '../plan/rule-hits.ts'
import {
  type Alert,
  type AlertContext,
  type AlertGroup,
  type AlertKind,
  alert,
  condensed,
  MOST_EACH,
} from './alert.ts'
import { figure, groupedBy, message } from './phrase.ts'

const KIND_OF: Readonly<Record<RuleLevel, AlertKind>> = { warn: 'rule', block: 'blocked', error: 'forbidden' }

/** Rules that the plan violates, grouped by rule, and rules that could not be evaluated. */
export const ruleAlerts = ({ plan }: AlertContext): AlertGroup[] => [
  failures(plan.diagnostics),
  ...groupedBy(plan.hits ?? [], ({ rule, level }) => `${level} ${rule}`).map(group => {
    const every = group.map(hit => alertOf(hit, plan))
    return condensed(every, every, MOST_EACH + 1, rest => [
      `${figure(rest.length)} more ${rest.length === 1 ? 'violates' : 'violate'} the rule ${group[0]?.rule}`,
    ])
  }),
]

const alertOf = (hit: RuleHit, plan: AlertContext['plan']): Alert => {
  const { set, key } = hit.item
  return alert(hit.level === 'block' && isIdle(plan) ? 'rule' : KIND_OF[hit.level], [message(hitText(hit))], {
    sets: set === undefined ? [] : [set],
    keys: isKey(key) ? [key] : [],
    source: hit.source,
  })
}

const isKey = (key: string | undefined): key is Alert['keys'][number] => key !== undefined

/** A plan has no other errors than those of rules. */
function failures(diagnostics: AlertContext['plan']['diagnostics']): AlertGroup {
  const every = diagnostics
    .filter(one => hasErrors([one]) && one.code !== 'rule-violated')
    .map(one => alert('forbidden', [message(one.message)], { source: one.source }))
  return { every, shown: every }
}
