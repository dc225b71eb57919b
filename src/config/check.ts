import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { TARGET_KINDS } from '../model/ids.ts'
import { append, holderOf } from '../model/lists.ts'
import { INVENTORY_PREFIX, matchesAny } from '../model/names.ts'
import type { DesiredSet, RemovedSet, TargetRef } from '../model/variable-set.ts'
import { checkLabels, sameOwnerIn } from './combine.ts'
import type { SetpointFile } from './setpoint-file.ts'

/** Checks the rules across all sets, removals and the configuration. */
export function checkSets(
  sets: readonly DesiredSet[],
  removed: readonly RemovedSet[],
  settings: SetpointFile,
  findings: Findings,
): void {
  const declared = checkDeclared(sets, findings)
  checkPreviousNames(sets, declared, findings)
  checkRemoved(removed, sets, declared, findings)
  checkNames(sets, removed, settings, findings)
  checkGlobal(sets, findings)
  if (settings.owner === undefined) checkVersions(sets, findings)
}

function checkDeclared(sets: readonly DesiredSet[], findings: Findings): ReadonlyMap<string, DesiredSet> {
  const byName = new Map<string, DesiredSet[]>()
  const byLook = new Map<string, DesiredSet>()
  const byId = new Map<string, DesiredSet>()
  for (const set of sets) {
    const namesakes = byName.get(set.name)
    const same = namesakes && sameOwnerIn(namesakes, set)
    const alike = namesakes === undefined ? holderOf(byLook, lookalikeForm(set.name), set) : undefined
    const sameId = set.id === undefined ? undefined : holderOf(byId, set.id, set)
    if (same !== undefined) reportSame(set, same, findings)
    else if (alike !== undefined) reportAlike(set, alike, findings)
    if (sameId !== undefined) reportSameId(set, sameId, findings)
    if (same === undefined) append(byName, set.name, set)
  }
  checkLabels([...byName.values()], findings)
  return byNameAndLabel([...byName.values()])
}

/** The first set of each name, and sets that share a name also by their labels. */
function byNameAndLabel(named: readonly (readonly DesiredSet[])[]): Map<string, DesiredSet> {
  const declared = new Map<string, DesiredSet>()
  for (const [first] of named) if (first !== undefined) declared.set(first.name, first)
  const labelled = named.flatMap(namesakes => (namesakes.length > 1 ? namesakes : []))
  for (const set of labelled) if (set.key !== undefined) holderOf(declared, set.key, set)
  return declared
}

const reportSame = (set: DesiredSet, same: DesiredSet, findings: Findings): void =>
  findings.error(
    'duplicate-set',
    `The set "${set.name}" is already declared at ${lineOf(same.source)}.`,
    'Merge the two, or rename one.',
    set.source,
  )

const reportAlike = (set: DesiredSet, alike: DesiredSet, findings: Findings): void =>
  findings.warning(
    'duplicate-set',
    `"${set.name}" looks like "${alike.name}" at ${lineOf(alike.source)}.`,
    'Rename one. The names differ only in case or Unicode form, so the service may treat them as the same.',
    set.source,
  )

const reportSameId = (set: DesiredSet, other: DesiredSet, findings: Findings): void =>
  findings.error(
    'duplicate-set',
    `"${set.name}" and "${other.name}" at ${lineOf(other.source)} have the same id.`,
    'Keep the id in one of the two.',
    set.source,
  )

function checkPreviousNames(
  sets: readonly DesiredSet[],
  declared: ReadonlyMap<string, DesiredSet>,
  findings: Findings,
): void {
  const claimed = new Map<string, DesiredSet>()
  for (const set of sets) {
    for (const name of set.previousNames) {
      const holder = declared.get(name)
      const other = holderOf(claimed, name, set)
      if (holder !== undefined)
        findings.error(
          'previous-name-declared',
          `"${name}" is a previous name of "${set.name}", but it is declared at ${lineOf(holder.source)}.`,
          'Remove it from `previousNames`, or remove the declaration.',
          set.source,
        )
      else if (other !== undefined)
        findings.error(
          'previous-name-declared',
          `"${name}" is a previous name of "${set.name}" and of "${other.name}" at ${lineOf(other.source)}.`,
          'Remove it from one of the two.',
          set.source,
        )
    }
  }
}

function checkRemoved(
  removed: readonly RemovedSet[],
  sets: readonly DesiredSet[],
  declared: ReadonlyMap<string, DesiredSet>,
  findings: Findings,
): void {
  const ids = new Map(sets.flatMap(set => (set.id === undefined ? [] : [[set.id, set] as const])))
  const previous = new Map(sets.flatMap(set => set.previousNames.map(name => [name, set] as const)))
  const seen = new Map<string, SourceRange>()
  for (const { name, id, source } of removed) {
    const written = id ?? name ?? ''
    const set = id === undefined ? declared.get(written) : ids.get(id)
    const renamed = id === undefined ? previous.get(written) : undefined
    const earlier = holderOf(seen, `${id === undefined ? 'name' : 'id'} ${written}`, source)
    if (set !== undefined)
      findings.error(
        'removed-and-declared',
        `"${written}" is listed under \`removed\`, but it is declared at ${lineOf(set.source)}.`,
        'Keep one of the two.',
        source,
      )
    else if (renamed !== undefined)
      findings.error(
        'removed-and-declared',
        `"${written}" is listed under \`removed\`, but it is a previous name of "${renamed.name}" at ${lineOf(renamed.source)}.`,
        'To delete the set, remove the name from `previousNames`. To rename it, remove the name from `removed`.',
        source,
      )
    if (earlier !== undefined)
      findings.error(
        'duplicate-set',
        `"${written}" is already listed at ${lineOf(earlier)}.`,
        undefined,
        source,
      )
  }
}

/** The most steps that matching all names may take: a `*` can be tried at each place of a name. */
const MOST_STEPS = 2e9

function checkNames(
  sets: readonly DesiredSet[],
  removed: readonly RemovedSet[],
  { source, owns }: SetpointFile,
  findings: Findings,
): void {
  const names = [
    ...sets.flatMap(({ name, previousNames, source }) =>
      [name, ...previousNames].map(name => ({ name, source })),
    ),
    ...removed.flatMap(({ name, source }) => (name === undefined ? [] : [{ name, source }])),
  ]
  const signs = owns.reduce((sum, pattern) => sum + (pattern.includes('*') ? pattern.length : 1), 0)
  const characters = names.reduce((sum, { name }) => sum + name.length, 0)
  if (signs * characters > MOST_STEPS) {
    findings.error(
      'file-limit',
      `Matching the ${owns.length} patterns of \`owns\` against ${names.length} names is too much work.`,
      'Use fewer or shorter patterns.',
      source,
    )
    return
  }
  for (const { name, source } of names)
    if (name.startsWith(INVENTORY_PREFIX))
      findings.error(
        'reserved-name',
        `Names that begin with "${INVENTORY_PREFIX}" are reserved for inventories.`,
        'Choose another name.',
        source,
      )
    else if (owns.length > 0 && !matchesAny(owns, name))
      findings.error(
        'not-owned',
        `"${name}" is outside what this repository owns.`,
        () => `Rename the set, or add a pattern to \`owns\` in setpoint.yaml, which has: ${owns.join(', ')}.`,
        source,
      )
}

/** Two global sets must not hold the same variable (docs/service.md 1.2). */
function checkGlobal(sets: readonly DesiredSet[], findings: Findings): void {
  const holders = new Map<string, DesiredSet>()
  for (const set of sets) {
    if (!set.global) continue
    if (set.project !== undefined)
      findings.error(
        'global-with-project',
        `"${set.name}" is global and owned by a project.`,
        'Remove `global` or `project`. A set that a project owns reaches only that project.',
        set.project.source,
      )
    const targets = TARGET_KINDS.flatMap((kind): readonly TargetRef<string>[] => set[kind] ?? [])
    const beside = targets.find(({ entry }) => entry !== undefined)?.source
    if (targets.length > 0)
      findings.warning(
        'global-with-assignments',
        `"${set.name}" is global and has assignments${beside === undefined ? '' : `, one at ${lineOf(beside)}`}.`,
        'Remove the assignments, or `global`. A global set applies to all workspaces anyway.',
        set.source,
      )
    for (const variable of set.variables) {
      const holder = holderOf(holders, variable.key, set)
      if (holder !== undefined && holder.name !== set.name)
        findings.error(
          'global-conflict',
          `${variable.key} is in two global sets, "${holder.name}" and "${set.name}".`,
          'Remove it from one of the two, or make one set not global.',
          variable.source,
        )
    }
  }
}

function checkVersions(sets: readonly DesiredSet[], findings: Findings): void {
  for (const set of sets)
    for (const { key, value, source } of set.variables)
      if ('secret' in value && value.secret.version !== undefined)
        findings.error(
          'needs-owner',
          `The secret of ${key} has a \`version\`, which needs an inventory.`,
          'Write `owner: NAME` in setpoint.yaml, or remove the version.',
          source,
        )
}

/** Equal for two names that a reader or a service may confuse. */
const lookalikeForm = (name: string): string => name.normalize('NFKC').toLowerCase()

const lineOf = (source: SourceRange): string => `${source.path}:${source.line}`
