import { nameOf } from '../model/ids.ts'
import { itemAt } from '../model/lists.ts'
import type { PlanFacts } from '../plan/plan-data.ts'
import type { PlanFinding } from '../plan/plan-findings.ts'
import { counted, groupedBy, listed, name, type Phrase, say } from './phrase.ts'

interface FindingPhrase extends Pick<PlanFinding, 'kind' | 'set' | 'workspaces' | 'source'> {
  readonly keys: readonly PlanFinding['key'][]
  readonly phrase: Phrase
}

/** One for each kind and set. Where they concern most, first. */
export const findingPhrases = ({ findings }: Pick<PlanFacts, 'findings'>): FindingPhrase[] =>
  groupedBy(findings, ({ kind, set }) => `${kind} ${set}`)
    .map(group => {
      const { kind, set, workspaces, source } = itemAt(group, 0)
      const keys = group.map(({ key }) => key)
      const phrase = kind === 'missing' ? missing(set, keys, workspaces) : readable(set, keys, workspaces)
      return { kind, set, workspaces, source, keys, phrase }
    })
    .toSorted((a, b) => (b.workspaces ?? 0) - (a.workspaces ?? 0))

/** `payments DB_PASSWORD is external and not in the service: set it there; 17 workspaces receive payments without it`. */
function missing(set: string, keys: FindingPhrase['keys'], workspaces: number | undefined): Phrase {
  const [are, it] = keys.length === 1 ? ['is', 'it'] : ['are', 'them']
  const without =
    workspaces !== undefined &&
    workspaces > 0 &&
    say`; ${counted(workspaces, 'workspace')} ${workspaces === 1 ? 'receives' : 'receive'} ${name(set)} without ${it}`
  return say`${name(set)} ${listed(keys.map(nameOf))} ${are} external and not in the service: set ${it} there${without}`
}

/** `payments DB_PASSWORD was sensitive, and everybody who may read the set can read it now; 17 workspaces receive it`. */
function readable(set: string, keys: FindingPhrase['keys'], workspaces: number | undefined): Phrase {
  const [was, it] = keys.length === 1 ? ['was', 'it'] : ['were', 'them']
  const received =
    workspaces !== undefined &&
    workspaces > 0 &&
    say`; ${counted(workspaces, 'workspace')} ${workspaces === 1 ? 'receives' : 'receive'} ${it}`
  return say`${name(set)} ${listed(keys.map(nameOf))} ${was} sensitive, and everybody who may read the set can read ${it} now${received}`
}
