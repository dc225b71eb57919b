import { createLookUps, type LookUps, settled } from '../api/look-ups.ts'
import { desiredSet, secretRefs, type TargetNames, targetNames } from '../export/desired-set.ts'
import { type EditedSet, editedText } from '../export/edit.ts'
import { type Exported, exportedSets, type FilesFor, readSetText } from '../export/exported-sets.ts'
import {
  type Checked,
  type Diagnostic,
  hasErrors,
  mistake,
  none,
  type SourceRange,
  warning,
} from '../model/diagnostic.ts'
import { listIn, listsOf, type VariableKey } from '../model/ids.ts'
import { append, grouped } from '../model/lists.ts'
import { selects } from '../model/names.ts'
import type { KnownSecrets } from '../model/secret.ts'
import type { DesiredState, Directory, ObservedSet, ObservedState, Wanted } from '../model/variable-set.ts'
import { matchStates } from '../plan/match-states.ts'
import { idIn, resolveNames } from '../plan/resolve-names.ts'
import { selectableSets, unmatchedSets } from '../plan/unmatched.ts'
import { liveEdits, type TargetLookup } from './live-edits.ts'
import { observeOrganization, type ReadOnly } from './service.ts'

export interface ExportRequest {
  readonly organization: string
  /** Patterns of set names; empty: everything. */
  readonly only: readonly string[]
  readonly owner?: string
  readonly owns: readonly string[]
  /** Sensitive variables become references to secrets; otherwise their values stay in the service. */
  readonly references?: boolean
  readonly filesFor?: FilesFor
  readonly known: KnownSecrets
  /** Only the sets that these files declare. */
  readonly declared?: DesiredState
}

/** An export with what it was made of. */
export interface ExportRun extends Exported {
  readonly observed: ObservedState
  readonly names: TargetNames
}

/** What files can hold of an organization. Rejects if the service cannot be read. */
export async function exportFrom(service: ReadOnly, wishes: ExportRequest): Promise<ExportRun> {
  const { organization, only, declared } = wishes
  const lookUps = createLookUps(service.reader, organization)
  const all = await observeOrganization(service, organization)
  const ours = declared && (await declaredSets(declared, all, lookUps))
  const observed = ours === undefined ? all : { ...all, sets: ours.sets }
  await lookUps.ask(namesFor(observed.sets.filter(set => only.length === 0 || selects(only, set))))
  const told = lookUps.told()
  // Of all sets, so that a name means the same secret if other sets are exported later.
  const refs = secretRefs(observed.sets, ({ value }) => wishes.references === true && 'hidden' in value)
  const names = targetNames(told)
  const exported = exportedSets(observed, {
    ...wishes,
    names,
    secretOf: ({ id }) => refs.get(id),
  })
  return {
    ...exported,
    diagnostics: [
      ...(ours?.diagnostics ?? []),
      ...exported.diagnostics,
      ...(declared === undefined ? idsInstead(told, organization) : []),
    ],
    observed: all,
    names,
  }
}

/** The live sets that the files declare. Errors are those of names that cannot be found. */
async function declaredSets(
  declared: DesiredState,
  observed: ObservedState,
  lookUps: LookUps,
): Promise<{ readonly sets: readonly ObservedSet[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { value, diagnostics } = await settled(lookUps, told => resolveNames(declared, told))
  if (value === undefined) return { sets: [], diagnostics }
  const { match } = matchStates(value, observed, [])
  const missing = match.pairs.flatMap(({ desired, observed: live }) =>
    live === undefined
      ? mistake(
          'not-written',
          `"${desired.name}" is in the files and not in the service.`,
          'First get a plan without changes: setpoint plan',
          desired.source,
        )
      : [],
  )
  return {
    sets: match.pairs.flatMap(({ observed: live }) => live ?? []),
    diagnostics: [...diagnostics, ...match.diagnostics, ...missing],
  }
}

/** What the sets are assigned to, and what owns them. Names of Stacks are no names in the whole organization. */
function namesFor(sets: readonly ObservedSet[]): Wanted {
  const owners = sets.flatMap(({ parent }) => parent ?? [])
  const ids = listsOf(kind => [...new Set(sets.flatMap(set => listIn(set, kind) ?? []))])
  return {
    ids: { ...ids, projects: [...new Set([...owners, ...(ids.projects ?? [])])] },
    all: ids.stacks === undefined || ids.stacks.length === 0 ? [] : ['stacks'],
  }
}

/** Ids are harder to read than names, and as correct. */
const idsInstead = ({ hidden = [] }: Directory, organization: string): Diagnostic[] => {
  const kinds = hidden.filter(kind => kind !== 'stacks')
  if (kinds.length === 0) return []
  return [
    warning(
      'no-look-up',
      `The service does not list the ${kinds.join(' and ')} of "${organization}" for this token.`,
      'The files have ids instead of names.',
    ),
  ]
}

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
  readonly known: KnownSecrets
}

/**
 * The set files with the live values of the selected sets. Secrets and external values stay. Writes nothing. Rejects if the
 * service cannot be read.
 */
export async function updatedFiles(
  service: ReadOnly,
  { desired, patterns, read, known }: UpdateRequest,
): Promise<Checked<readonly UpdatedFile[]>> {
  const { organization } = desired
  const lookUps = createLookUps(service.reader, organization)
  const [named, observed] = await Promise.all([
    settled(lookUps, told => resolveNames(desired, told)),
    observeOrganization(service, organization),
  ])
  if (named.value === undefined) return none(...named.diagnostics)
  const { match } = matchStates(named.value, observed, patterns)
  const selectable = selectableSets(named.value, match)
  const diagnostics: Diagnostic[] = [
    ...named.diagnostics,
    // The owner is among what the file takes over.
    ...match.diagnostics.filter(({ code }) => code !== 'foreign-set'),
    ...unmatchedSets('--update', patterns, selectable, observed.sets),
  ]
  await lookUps.ask(namesFor(match.pairs.flatMap(one => one.observed ?? [])))
  const live: TargetLookup = { idOf: idIn(lookUps.told()), names: targetNames(lookUps.told()) }
  const byFile = new Map<string, EditedSet[]>()
  for (const pair of match.pairs) {
    const written = desired.sets.find(set => set.name === pair.desired.name)
    // As the service has it: a plan takes a value that was stored in another form for the one that was sent.
    const held = observed.sets.find(({ id }) => id === pair.observed?.id)
    // The plan afterwards says what became of a set that the service does not have.
    if (written === undefined || held === undefined) continue
    const warnings = new Map<VariableKey, Diagnostic>()
    const writing = { ...live, known }
    const target = desiredSet(held, false, writing, (said, key) => key && warnings.set(key, said))
    const edits = liveEdits(written, held, target, writing, diagnostics)
    if (edits.length === 0) continue
    if (known.in(edits) !== edits) {
      diagnostics.push(notEditable(written.name, CONTAINS_SECRET, written.source))
      continue
    }
    for (const edit of edits) {
      const said = edit.kind === 'variable' ? warnings.get(edit.variable.key) : undefined
      if (said !== undefined) diagnostics.push({ ...said, source: written.source })
    }
    for (const [path, some] of grouped(edits, one => (one.kind === 'entry' ? one.path : written.source.path)))
      append(byFile, path, { name: written.name, edits: some })
  }
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const files: UpdatedFile[] = []
  for (const [path, sets] of byFile) {
    const text = await editedFile(path, sets, desired, await read(path), diagnostics)
    files.push({ path, text, sets })
  }
  return { value: hasErrors(diagnostics) ? undefined : files, diagnostics }
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

const CONTAINS_SECRET = 'its description or a name contains a secret that this run knows'

const notEditable = (name: string, problem: string, source: SourceRange): Diagnostic =>
  mistake(
    'not-written',
    `"${name}" cannot be updated in place: ${problem}.`,
    'Nothing was written. Change the file by hand, or export the set again: setpoint export --only SET',
    source,
  )
