import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import type { WorkspaceId } from '../model/ids.ts'
import { didYouMean } from '../model/names.ts'
import type { Group, TargetRef } from '../model/variable-set.ts'
import { type Budget, CHARACTERS_EACH } from './loader-limits.ts'

/** The groups of the files, as sets name them. */
export class GroupsOfFiles {
  readonly #groups: ReadonlyMap<string, Group>
  readonly #budget: Budget
  /** Every group file could be read, so an unknown group is a mistake. */
  readonly #complete: boolean

  constructor(groups: readonly Group[], complete: boolean, budget: Budget) {
    this.#groups = new Map(groups.map(group => [group.name, group]))
    this.#complete = complete
    this.#budget = budget
  }

  /** The group that is named at `source`; `undefined`, and a report, if there is none. */
  find(name: string, source: SourceRange, findings: Findings): Group | undefined {
    const group = this.#groups.get(name)
    if (group === undefined && this.#complete)
      findings.error(
        'unknown-name',
        `There is no group "${name}".`,
        () =>
          didYouMean(name, this.#groups.keys(), near => JSON.stringify(`group:${near}`)) ??
          'Define it in groups.yaml, beside setpoint.yaml.',
        source,
      )
    return group
  }

  /** The workspaces of a group as a set is assigned to them at `source`. */
  membersOf(group: Group | undefined, source: SourceRange): readonly TargetRef<WorkspaceId>[] {
    if (group === undefined) return []
    const isWithin = this.#budget.take(group.members.length * CHARACTERS_EACH, source)
    return isWithin ? group.members.map(member => ({ id: member.id, source, member })) : []
  }
}
