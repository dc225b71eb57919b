import { imbalanceOf } from '../config/hcl.ts'
import { lintVariable } from '../config/lint.ts'
import { compareText, type Diagnostic, startOf } from '../model/diagnostic.ts'
import { hasEffect, mergedFields, NO_FIELDS, settingsOf } from '../model/fields.ts'
import { Findings } from '../model/findings.ts'
import { byKind, TARGETS, type TargetIds, type TargetKind, type TargetLists } from '../model/ids.ts'
import type {
  DesiredSet,
  DesiredValue,
  DesiredVariable,
  DirectoryEntry,
  DirectoryLists,
  ObservedSet,
  ObservedVariable,
  SecretRef,
  TargetRef,
  TargetRefs,
} from '../model/variable-set.ts'

/** How to write a set's assignments and secrets. */
export interface Writing {
  readonly names: TargetNames
  /** The secret of a sensitive variable. Absent: its value stays in the service. */
  readonly secretOf?: (variable: ObservedVariable) => SecretRef | undefined
}

/**
 * The set in the form of a file, so that a plan has no changes. A hidden value stays in the service (`external`). So does a
 * readable value that a file cannot contain, with a warning.
 */
export function desiredSet(
  set: ObservedSet,
  pinned: boolean,
  { names, secretOf }: Writing,
  warnings: Diagnostic[],
): DesiredSet {
  const targets = byKind<TargetRefs>(kind => targetsOf(set, kind, names, warnings))
  const project = set.parent && names.projects(set.parent)
  const unlisted = set.others?.find(({ what }) => what === 'stacks')
  if (unlisted !== undefined)
    warnings.push(
      notWritten(
        `The Stacks of "${set.name}" are left out: the service counts ${unlisted.count} and does not list them.`,
        'They stay as they are in the service, and Setpoint does not manage them.',
      ),
    )
  if (set.foreignVariables.length > 0) warnings.push(foreignVariables(set))
  return {
    ...settingsOf(set),
    project,
    variables: set.variables.map(variable => desiredVariable(set, variable, secretOf?.(variable), warnings)),
    ...targets,
    id: pinned ? set.id : undefined,
    previousNames: [],
    source: NOWHERE,
  }
}

/** Leaves out an empty list without a meaning: of a global set, or on a service without Stacks. */
function targetsOf<K extends TargetKind>(
  set: ObservedSet,
  kind: K,
  names: TargetNames,
  warnings: Diagnostic[],
): TargetRef<TargetIds[K]>[] | undefined {
  const { [kind]: ids = [] }: TargetLists = set
  if (ids.length === 0 && (set.global || TARGETS[kind].without === 'kind is unknown')) return undefined
  const targets = ids.map(names[kind])
  const written = targets.filter(target => target !== undefined)
  if (written.length === targets.length) return written.toSorted((a, b) => compareText(textOf(a), textOf(b)))
  warnings.push(
    notWritten(
      `The ${TARGETS[kind].one}s of "${set.name}" are left out: one has an id that a file cannot name.`,
      'They stay as they are in the service, and Setpoint does not manage them.',
    ),
  )
  return undefined
}

const textOf = (target: TargetRef<string>): string => ('id' in target ? target.id : target.name)

function desiredVariable(
  set: ObservedSet,
  observed: ObservedVariable,
  secret: SecretRef | undefined,
  warnings: Diagnostic[],
): DesiredVariable {
  const { key, value } = observed
  const variable = (written: DesiredValue): DesiredVariable => ({
    key,
    value: written,
    ...mergedFields(observed, NO_FIELDS, name => !hasEffect(name, key)),
    source: NOWHERE,
  })
  if (!('text' in value)) return variable(secret === undefined ? { external: true } : { secret })
  const readable = variable(value)
  const problem = problemOf(readable)
  if (problem === undefined) return readable
  warnings.push({
    severity: 'warning',
    code: problem.code,
    message: `${key} of "${set.name}" is written without its value (external: true). ${problem.words}`,
    hint: problem.hint,
  })
  return variable({ external: true })
}

type UnwritableValue = Pick<Diagnostic, 'code'> & { readonly words: string; readonly hint: string }

/** Why a file cannot have a readable value. */
function problemOf(variable: DesiredVariable): UnwritableValue | undefined {
  if ('text' in variable.value && /[\0\p{Surrogate}]/u.test(variable.value.text))
    return {
      code: 'not-written',
      words: 'It contains the character U+0000 or half of a surrogate pair, which no file can contain.',
      hint: 'It stays as it is in the service.',
    }
  const imbalance = variable.hcl && 'text' in variable.value ? imbalanceOf(variable.value.text) : undefined
  if (imbalance !== undefined)
    return {
      code: 'not-written',
      words: `Its HCL ${imbalance.words}.`,
      hint: 'It stays as it is in the service, where each run that uses it fails. Write a valid value.',
    }
  const findings = new Findings()
  lintVariable({ ...variable, ...NO_FIELDS }, false, findings)
  const found = findings.diagnostics[0]
  if (found === undefined) return undefined
  return {
    code: 'looks-like-a-secret',
    words: found.message,
    hint: 'Everybody can read it in the service. Replace it and write `secret: NAME`. If it is not a secret, write its value and `notSecret: true`.',
  }
}

function foreignVariables({ name, foreignVariables: foreign }: ObservedSet): Diagnostic {
  const keys = foreign.map(({ key, category }) => `${key} (${category})`).join(', ')
  return notWritten(
    `"${name}" has variables of an unknown category: ${keys}.`,
    'They stay as they are in the service. No plan changes them.',
  )
}

/** Warns about something that a file cannot contain. */
export const notWritten = (message: string, hint: string): Diagnostic => ({
  severity: 'warning',
  code: 'not-written',
  message,
  hint,
})

/** The place of something that is in no file. */
export const NOWHERE = startOf('')

/** How a file writes a workspace, a project or a Stack; `undefined` if it cannot. */
export type TargetNames = {
  readonly [K in TargetKind]: (id: TargetIds[K]) => TargetRef<TargetIds[K]> | undefined
}

/**
 * The name of an id if the name resolves to exactly this id, in the directory file first and then in the service, if it was
 * asked. Otherwise the id.
 */
export const targetNames = (filed: DirectoryLists, live: DirectoryLists | undefined): TargetNames =>
  byKind<TargetNames>(kind => namer(filed[kind] ?? [], live?.[kind], TARGETS[kind].isWrittenId))

function namer<Id extends string>(
  filed: readonly DirectoryEntry<Id>[],
  live: readonly DirectoryEntry<Id>[] | undefined,
  isWritten: (id: string) => boolean,
): (id: Id) => TargetRef<Id> | undefined {
  const inFile = new Names(filed)
  const inService = live === undefined ? undefined : new Names(live)
  const means = (name: string, id: Id): boolean =>
    isWritable(name) &&
    (inFile.has(name) ? inFile.isOnly(name, id) : inService?.isOnly(name, id) === true) &&
    inService?.isOnly(name, id) !== false
  return id => {
    const names = [inService?.nameOf(id), inFile.nameOf(id)]
    const name = names.find(one => one !== undefined && means(one, id))
    if (name !== undefined) return { name, source: NOWHERE }
    return isWritten(id) ? { id, source: NOWHERE } : undefined
  }
}

class Names<Id extends string> {
  readonly #ids = new Map<string, Set<Id>>()
  readonly #names = new Map<Id, string>()

  constructor(entries: readonly DirectoryEntry<Id>[]) {
    for (const { name, id } of entries) {
      this.#names.set(id, name)
      this.#ids.set(name, (this.#ids.get(name) ?? new Set()).add(id))
    }
  }

  has(name: string): boolean {
    return this.#ids.has(name)
  }

  isOnly(name: string, id: Id): boolean {
    const ids = this.#ids.get(name)
    return ids?.size === 1 && ids.has(id)
  }

  nameOf(id: Id): string | undefined {
    return this.#names.get(id)
  }
}

/** A file can hold it as a name. */
const isWritable = (name: string): boolean => /\S/.test(name) && !/[\0\p{Surrogate}]/u.test(name)
