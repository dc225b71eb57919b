import { createNameLookup } from '../api/directory.ts'
import { indexesOf, resolveNames } from '../api/names.ts'
import { observe } from '../api/observe.ts'
import { desiredSet, secretRefs, targetNames } from '../export/desired-set.ts'
import { type EditedSet, editedText } from '../export/edit.ts'
import { type Exported, exportedSets, readSetText } from '../export/sets.ts'
import {
  type Checked,
  type Diagnostic,
  hasErrors,
  mistake,
  none,
  type SourceRange,
  warning,
} from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { TARGET_KINDS, type TargetKind, type VariableKey } from '../model/ids.ts'
import { append } from '../model/lists.ts'
import { selects } from '../model/names.ts'
import type {
  DesiredSet,
  DesiredState,
  Directory,
  ObservedSet,
  ObservedState,
} from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import { matchStates } from '../plan/match-states.ts'
import { type SelectableSet, selectableSets, unmatchedPatterns } from '../plan/unmatched.ts'
import { shellWord } from '../report/neutralise.ts'
import { liveEdits, type TargetLookup } from './live-edits.ts'
import type { ReadOnly } from './prepare.ts'

export interface ExportRequest {
  readonly organization: string
  /** Patterns of set names; empty: everything. */
  readonly only: readonly string[]
  readonly owner?: string
  readonly owns: readonly string[]
  /** What the directory file says. */
  readonly directory: Directory
  /** Sensitive variables become references to secrets; otherwise their values stay in the service. */
  readonly references?: boolean
}

/** An export with what it was made of. */
export interface ExportRun extends Exported {
  readonly observed: ObservedState
  /** Names from the service, if it was asked and shows them. */
  readonly live?: Directory
}

/**
 * What files can hold of an organization. The service is asked for names only if the directory file lacks one. Rejects if
 * the service cannot be read.
 */
export async function exportFrom({ reader }: ReadOnly, wishes: ExportRequest): Promise<ExportRun> {
  const { organization, only, directory } = wishes
  const observed = await observe(reader, organization)
  const lookUp = createNameLookup(reader, organization, directory.projects)
  const unnamed = unnamedKinds(observed, only, directory)
  const [asked, stacks] = await Promise.all([
    unnamed.includes('workspaces') || unnamed.includes('projects') ? lookUp.places() : undefined,
    unnamed.includes('stacks') ? lookUp.stacks() : undefined,
  ])
  const live =
    asked?.value === undefined && stacks === undefined
      ? undefined
      : { ...directory, ...asked?.value, ...(stacks && { stacks }) }
  // Of all sets, so that a name means the same secret if other sets are exported later.
  const refs = secretRefs(observed.sets, ({ value }) => wishes.references === true && 'hidden' in value)
  const exported = exportedSets(observed, {
    ...wishes,
    names: targetNames(directory, live),
    secretOf: ({ id }) => refs.get(id),
  })
  return {
    ...exported,
    diagnostics: [...exported.diagnostics, ...(asked?.diagnostics ?? []).map(idsInstead)],
    observed,
    live,
  }
}

/** The kinds of which the directory file lacks an id: one that a set is assigned to, or that owns it. */
function unnamedKinds({ sets }: ObservedState, only: readonly string[], directory: Directory): TargetKind[] {
  const selected = sets.filter(set => only.length === 0 || selects(only, set))
  return TARGET_KINDS.filter(kind => {
    const known = new Set<string>((directory[kind] ?? []).map(({ id }) => id))
    const idsOf = (set: ObservedSet): readonly string[] => [
      ...(set[kind] ?? []),
      ...(kind === 'projects' && set.parent !== undefined ? [set.parent] : []),
    ]
    return selected.some(set => idsOf(set).some(id => !known.has(id)))
  })
}

/** Ids are harder to read than names, and as correct. */
const idsInstead = (diagnostic: Diagnostic): Diagnostic => ({
  ...diagnostic,
  severity: 'warning',
  hint: 'The files have ids instead of names.',
})

/** A file with what it becomes. */
export interface UpdatedFile {
  /** Relative to the repository's root. */
  readonly path: string
  readonly text: string
  readonly sets: readonly EditedSet[]
}

interface UpdateRequest {
  readonly desired: DesiredState
  /** Patterns of set names. */
  readonly patterns: readonly string[]
  /** Text of a file of the repository. */
  readonly read: (path: string) => Promise<string>
}

/**
 * The set files with the live values of the selected sets. Secrets and external values stay. Writes nothing. Rejects if the
 * service cannot be read.
 */
export async function updatedFiles(
  { reader }: ReadOnly,
  { desired, patterns, read }: UpdateRequest,
): Promise<Checked<readonly UpdatedFile[]>> {
  const { organization } = desired
  const lookUp = createNameLookup(reader, organization)
  const [named, observed] = await Promise.all([resolveNames(desired, lookUp), observe(reader, organization)])
  if (named.value === undefined) return none(...named.diagnostics)
  const match = matchStates(named.value, observed, patterns).match
  const selectable = selectableSets(named.value, match)
  const diagnostics: Diagnostic[] = [
    ...named.diagnostics,
    // The owner is among what the file takes over.
    ...match.diagnostics.filter(({ code }) => code !== 'foreign-set'),
    ...patterns.flatMap(pattern => unmatched(pattern, selectable, observed)),
  ]
  const indexes = indexesOf(desired.directory, named.value.directory.live && named.value.directory)
  const places = (await lookUp.places()).value
  const stacks = needsStacks(match, desired.directory) ? await lookUp.stacks() : undefined
  const live: TargetLookup = {
    idOf: (kind, target) => ('id' in target ? target.id : indexes[kind](target, new Findings())),
    names: targetNames(desired.directory, { ...places, stacks: stacks ?? places?.stacks }),
  }
  const byFile = new Map<string, EditedSet[]>()
  for (const pair of match.pairs) {
    const written = desired.sets.find(set => set.name === pair.desired.name)
    if (written === undefined) continue
    if (pair.observed === undefined) {
      diagnostics.push(notThere(written))
      continue
    }
    const warnings = new Map<VariableKey, Diagnostic>()
    const target = desiredSet(pair.observed, false, live, (said, key) => key && warnings.set(key, said))
    const edits = liveEdits(written, pair.observed, target, live, diagnostics)
    if (edits.length === 0) continue
    for (const edit of edits) {
      const said = edit.kind === 'variable' ? warnings.get(edit.variable.key) : undefined
      if (said !== undefined) diagnostics.push({ ...said, source: written.source })
    }
    append(byFile, written.source.path, { name: written.name, edits })
  }
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const files: UpdatedFile[] = []
  for (const [path, sets] of byFile) {
    const text = await editedFile(path, sets, desired, await read(path), diagnostics)
    files.push({ path, text, sets })
  }
  return { value: hasErrors(diagnostics) ? undefined : files, diagnostics }
}

/** Whether a file takes over a Stack whose name the directory file lacks. */
function needsStacks({ pairs }: Match, { stacks = [] }: Directory): boolean {
  const filed = new Set(stacks.map(({ id }) => id))
  return pairs.some(
    ({ desired, observed }) => desired.stacks !== undefined && observed?.stacks?.some(id => !filed.has(id)),
  )
}

function editedFile(
  path: string,
  sets: readonly EditedSet[],
  desired: DesiredState,
  before: string,
  diagnostics: Diagnostic[],
): string {
  // Places in the text are counted without a byte order mark.
  const mark = before.startsWith('\ufeff') ? '\ufeff' : ''
  const { text, problems } = editedText(before.slice(mark.length), sets)
  for (const { name, problem } of problems)
    diagnostics.push(notEditable(name, problem, sourceOf(desired, name, path)))
  if (problems.length > 0) return before
  const broken = readSetText(path, text).diagnostics.find(({ severity }) => severity === 'error')
  if (broken !== undefined)
    for (const { name } of sets)
      diagnostics.push(notEditable(name, broken.message, sourceOf(desired, name, path)))
  return mark + text
}

const sourceOf = ({ sets }: DesiredState, name: string, path: string): SourceRange =>
  sets.find(set => set.name === name)?.source ?? { path, line: 1, column: 1 }

/** A set that no file has is exported instead. */
function unmatched(
  pattern: string,
  selectable: readonly SelectableSet[],
  { sets }: ObservedState,
): Diagnostic[] {
  const found = unmatchedPatterns('--update', [pattern], selectable, sets)
  const live = sets.find(({ name, id }) => name === pattern || id === pattern)
  if (live === undefined) return found
  const hint = `The service has it. Export it: setpoint export --only ${shellWord(pattern)} --out sets`
  return found.map(said => (said.code === 'unmatched-selection' ? { ...said, hint } : said))
}

const notEditable = (name: string, problem: string, source: SourceRange): Diagnostic =>
  mistake(
    'not-written',
    `"${name}" cannot be updated in place: ${problem}.`,
    'Nothing was written. Change the file by hand, or export the set again: setpoint export --only SET',
    source,
  )

const notThere = ({ name, source }: DesiredSet): Diagnostic =>
  warning(
    'not-written',
    `"${name}" is not in the service.`,
    'If it was deleted for good, remove it from the file.',
    source,
  )
