import { nameOf, type VariableKey } from '../model/ids.ts'
import { itemAt } from '../model/lists.ts'
import type { PlanFacts } from '../plan/plan-data.ts'
import type { PlanFinding } from '../plan/plan-findings.ts'
import { counted, groupedBy, listed, name, type Phrase, say } from './phrase.ts'

interface FindingPhrase extends Pick<PlanFinding, 'kind' | 'set' | 'workspaces' | 'source'> {
  readonly keys: readonly VariableKey[]
  readonly phrase: Phrase
}

/** One for each kind and set; of what is overridden, for each other set and number of workspaces. Where they concern most, first. */
export const findingPhrases = ({ findings }: Pick<PlanFacts, 'findings'>): FindingPhrase[] =>
  groupedBy(findings, one =>
    JSON.stringify([one.kind, one.set, one.kind === 'overridden' && [one.by.id, one.workspaces]]),
  )
    .map(group => {
      const { kind, set, workspaces, source } = itemAt(group, 0)
      const keys = group.flatMap(one => (one.kind === 'unassigned' ? [] : one.key))
      return { kind, set, workspaces, source, keys, phrase: phraseOf(group, keys) }
    })
    .toSorted((a, b) => (b.workspaces ?? 0) - (a.workspaces ?? 0))

function phraseOf(group: readonly PlanFinding[], keys: FindingPhrase['keys']): Phrase {
  const finding = itemAt(group, 0)
  const { set, workspaces } = finding
  switch (finding.kind) {
    case 'missing':
      return missing(set, keys, workspaces)
    case 'readable':
      return readable(set, keys, workspaces)
    case 'overridden':
      return overridden(finding, keys)
    case 'unassigned':
      return unassigned(
        set,
        group.flatMap(one => (one.kind === 'unassigned' ? one.member.name : [])),
      )
  }
}

/** `rogue, unmanaged, overrides AWS_REGION of aws-prd in 17 workspaces`. */
function overridden(
  { by, set, workspaces }: Extract<PlanFinding, { readonly kind: 'overridden' }>,
  keys: FindingPhrase['keys'],
): Phrase {
  const whose = by.owner === undefined ? 'unmanaged' : `owned by "${by.owner}"`
  const where = workspaces !== undefined && say` in ${counted(workspaces, 'workspace')}`
  return say`${name(by.set)}, ${whose}, overrides ${listed(keys.map(nameOf))} of ${name(set)}${where}`
}

/** `payments is not assigned to api: its group has another name for it than the service`. */
function unassigned(set: string, members: readonly string[]): Phrase {
  const [group, it] =
    members.length === 1 ? ['its group has another name', 'it'] : ['their groups have other names', 'them']
  return say`${name(set)} is not assigned to ${listed(members)}: ${group} for ${it} than the service`
}

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
