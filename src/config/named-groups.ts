import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import type { WorkspaceId } from '../model/ids.ts'
import { didYouMean } from '../model/names.ts'
import type { Rule } from '../model/rule.ts'
import type { Group, TargetRef } from '../model/variable-set.ts'
import { type Budget, CHARACTERS_EACH } from './loader-limits.ts'

/** The groups of the files, as sets name them. */
export class GroupsOfFiles {
  readonly #groups: ReadonlyMap<string, Group>
  readonly #budget: Budget
  /** Every group file could be read, so an unknown group is a mistake. */
  readonly #complete: boolean
  readonly #used = new Set<string>()

  constructor(groups: readonly Group[], complete: boolean, budget: Budget) {
    this.#groups = new Map(groups.map(group => [group.name, group]))
    this.#complete = complete
    this.#budget = budget
  }

  /** The workspaces of a group that a set names at `source`; none, and a report, if there is no such group. */
  membersOf(name: string, source: SourceRange, findings: Findings): readonly TargetRef<WorkspaceId>[] {
    const group = this.#groups.get(name)
    if (group === undefined) {
      if (this.#complete)
        findings.error(
          'unknown-name',
          source,
          `There is no group "${name}".`,
          () => didYouMean(name, this.#groups.keys()) ?? 'Define it in groups.yaml, beside setpoint.yaml.',
        )
      return []
    }
    this.#used.add(name)
    const isWithin = this.#budget.take(group.members.length * CHARACTERS_EACH, source)
    return isWithin ? group.members.map(member => ({ id: member.id, source, member })) : []
  }

  /** Warns of groups that no set names and no rule mentions. Ask after all sets. */
  reportUnused(rules: readonly Rule[], findings: Findings): void {
    const expressions = rules.flatMap(({ require, when }) => [require.text, when?.text ?? ''])
    const isMentioned = (name: string): boolean =>
      expressions.some(text => ['"', "'"].some(quote => text.includes(`${quote}${name}${quote}`)))
    for (const { name, source } of this.#groups.values())
      if (!this.#used.has(name) && !isMentioned(name))
        findings.warning(
          'unused-group',
          source,
          `No set and no rule names the group "${name}".`,
          `Write \`group:${name}\` under \`workspaces\` of a set, or remove the group.`,
        )
  }
}
