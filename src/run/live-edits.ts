import type { TargetNames } from '../export/desired-set.ts'
import type { SetEdit } from '../export/edit.ts'
import { compareText, type Diagnostic, mistake, warning } from '../model/diagnostic.ts'
import { DETAIL_NAMES, fieldsDiffer, hasEffect, mergedFields, NO_FIELDS } from '../model/fields.ts'
import {
  nameOf,
  TARGET_KINDS,
  type TargetIds,
  type TargetKind,
  type TargetLists,
  type VariableKey,
} from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type { KnownSecrets } from '../model/secret.ts'
import {
  type DesiredSet,
  type DesiredVariable,
  isSaidHarmless,
  type ObservedSet,
  type ObservedVariable,
  type TargetRef,
  type TargetRefs,
} from '../model/variable-set.ts'
import { changeOf, isLeft } from '../plan/equality.ts'

/** Names and ids of the service. */
export interface TargetLookup {
  readonly names: TargetNames
  readonly idOf: <K extends TargetKind>(kind: K, target: TargetRef<TargetIds[K]>) => string | undefined
}

/** The differences between a set in a file and the service, as edits of the file. `target` writes a live target as files do. */
export function liveEdits(
  written: DesiredSet,
  observed: ObservedSet,
  target: DesiredSet,
  live: TargetLookup & { readonly known: KnownSecrets },
  diagnostics: Diagnostic[],
): SetEdit[] {
  return [
    ...DETAIL_NAMES.filter(name => written[name] !== target[name]).map(
      (name): SetEdit => ({ kind: 'detail', name, value: target[name] }),
    ),
    ...ownerEdits(written, observed, target, live),
    ...variableEdits(written, observed, target, live.known, diagnostics),
    ...TARGET_KINDS.flatMap(kind => targetEdits(kind, written, observed, live)),
  ]
}

/** Writes the owner to the file, which is an error until then. */
function ownerEdits(
  { project }: DesiredSet,
  { parent }: ObservedSet,
  target: DesiredSet,
  { idOf }: TargetLookup,
): SetEdit[] {
  const isSame = (project && idOf('projects', project)) === parent
  if (isSame) return []
  return [{ kind: 'owner', project: target.project }]
}

function variableEdits(
  written: DesiredSet,
  observed: ObservedSet,
  target: DesiredSet,
  secrets: KnownSecrets,
  diagnostics: Diagnostic[],
): SetEdit[] {
  const there = new Map(observed.variables.map(variable => [variable.key, variable]))
  const wanted = new Map(target.variables.map(variable => [variable.key, variable]))
  const known = new Set<VariableKey>(written.variables.map(({ key }) => key))
  const edits: SetEdit[] = written.variables.flatMap((variable): SetEdit[] => {
    const now = there.get(variable.key)
    const after = wanted.get(variable.key)
    if (now === undefined || after === undefined) return removalOf(written, variable, diagnostics)
    if (changeOf(now, variable) === 'none') return []
    if ('secret' in variable.value && 'text' in now.value) diagnostics.push(readableNow(written, variable))
    const edited = taken(variable, after, now, secrets)
    return isSame(edited, variable) ? [] : [{ kind: 'variable', variable: edited, isNew: false }]
  })
  const added = target.variables.filter(({ key }) => !known.has(key))
  return [...edits, ...added.map((variable): SetEdit => ({ kind: 'variable', variable, isNew: true }))]
}

/** A secret or external value of the file stays; only the other fields of such a variable are taken over. */
function taken(
  variable: DesiredVariable,
  after: DesiredVariable,
  now: ObservedVariable,
  secrets: KnownSecrets,
): DesiredVariable {
  if (!('text' in variable.value))
    return { ...variable, ...mergedFields(after, variable, name => isLeft(name, now, variable)) }
  // Somebody reviewed it before and marked it as no secret.
  const kept = { accept: variable.accept, file: variable.file }
  if (!isSaidHarmless(variable) || !('text' in now.value) || secrets.hides(now.value.text))
    return { ...after, ...kept }
  const fields = mergedFields(now, NO_FIELDS, name => !hasEffect(name, now.key))
  return { ...after, value: now.value, ...fields, ...kept }
}

const isSame = (a: DesiredVariable, b: DesiredVariable): boolean => a.value === b.value && !fieldsDiffer(a, b)

const readableNow = ({ name }: DesiredSet, { key, source }: DesiredVariable): Diagnostic =>
  warning(
    'not-written',
    `${key} of "${name}" is a secret in the file, but readable in the service. The file keeps the secret.`,
    'The next apply makes it sensitive again. To keep it readable, write its value in the file.',
    source,
  )

function removalOf(
  { name }: DesiredSet,
  { key, value, base, source }: DesiredVariable,
  diagnostics: Diagnostic[],
): SetEdit[] {
  // Its value is set in the service, and a plan allows that it does not exist yet.
  if ('external' in value) return []
  if (base === undefined) return [{ kind: 'removal', key }]
  diagnostics.push(
    mistake(
      'not-written',
      `"${name}" no longer has ${nameOf(key)} in the service, but its base sets it at ${base.path}:${base.line}.`,
      'Nothing was written. Remove it from the base, or write the variables of this set without the base.',
      source,
    ),
  )
  return []
}

function targetEdits<K extends TargetKind>(
  kind: K,
  written: DesiredSet,
  { [kind]: observed = [] }: TargetLists,
  live: TargetLookup,
): SetEdit[] {
  const lists = itemsIn(kind, written)
  if (lists === undefined) return []
  const isThere = (id: string | undefined): boolean => observed.some(one => one === id)
  const idsOf = (refs: readonly TargetRef<TargetIds[K]>[]) => refs.map(target => live.idOf(kind, target))
  // A group stays if the set has all of its workspaces. Otherwise the rest of them are listed.
  const stays = (refs: readonly TargetRef<TargetIds[K]>[]): boolean => idsOf(refs).every(isThere)
  const gone = new Set(lists.own.flatMap((refs, index) => (stays(refs) ? [] : [index])))
  const leaving = lists.beside.filter(refs => !stays(refs))
  const kept = new Set([...lists.own, ...lists.beside].filter(stays).flatMap(idsOf))
  const added = observed
    .filter(id => !kept.has(id))
    .map(id => live.names[kind](id))
    .sort((a, b) => compareText('id' in a ? a.id : a.name, 'id' in b ? b.id : b.name))
  return [
    ...(gone.size + added.length === 0 ? [] : [{ kind: 'targets', name: kind, gone, added } as const]),
    ...leaving.flatMap(([ref]): SetEdit[] =>
      ref?.entry === undefined ? [] : [{ kind: 'entry', name: kind, path: ref.source.path, ...ref.entry }],
    ),
  ]
}

/** The targets of each item of a list in the files, one or the workspaces of a group: of the set's list, and of those beside the sets. */
function itemsIn<K extends TargetKind>(kind: K, set: DesiredSet) {
  const { [kind]: refs }: TargetRefs = set
  if (refs === undefined) return undefined
  const listed = refs.filter(({ entry }) => entry === undefined)
  const isOf = ({ source, entry }: TargetRef<TargetIds[K]>) =>
    entry && `${source.path} ${entry.item} ${entry.key}`
  const beside = [
    ...grouped(
      refs.filter(({ entry }) => entry !== undefined),
      isOf,
    ).values(),
  ]
  if (kind !== 'workspaces' || set.groups === undefined) return { own: listed.map(ref => [ref]), beside }
  const groupOf = (ref: TargetRef<TargetIds[K]>) => ('id' in ref ? ref.member?.group : undefined)
  const own = listed.filter(ref => groupOf(ref) === undefined).map(ref => [ref])
  for (const { name, item } of set.groups)
    own.splice(
      item,
      0,
      listed.filter(ref => groupOf(ref) === name),
    )
  return { own, beside }
}
