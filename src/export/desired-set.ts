import { parseLiteral } from '../config/hcl-literal.ts'
import { lintVariable } from '../config/lint.ts'
import { compareText, type Diagnostic, startOf, warning } from '../model/diagnostic.ts'
import { detailsOf, hasEffect, mergedFields, NO_FIELDS, type ServiceName } from '../model/fields.ts'
import { Findings } from '../model/findings.ts'
import {
  byKind,
  nameOf,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type TargetLists,
  type VariableKey,
} from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import { freeName } from '../model/names.ts'
import type { KnownSecrets } from '../model/secret.ts'
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
export interface InFiles {
  readonly names: TargetNames
  /** The secret of a sensitive variable. Absent: its value stays in the service. */
  readonly secretOf?: (variable: ObservedVariable) => SecretRef | undefined
  /** Secrets that this run knows, and that the service may show in clear. */
  readonly known?: KnownSecrets
}

/** Gets a warning about a set, or about one of its variables. */
type Warn = (said: Diagnostic, key?: ObservedVariable['key']) => void

/**
 * The set in the form of a file, so that a plan has no changes. A hidden value stays in the service (`external`). So does a
 * readable value that a file cannot contain, with a warning.
 */
export function desiredSet(
  set: ObservedSet,
  pinned: boolean,
  { names, secretOf, known }: InFiles,
  warn: Warn,
): DesiredSet {
  const targets = byKind<TargetRefs>(kind => targetsOf(set, kind, names))
  const project = set.parent && names.projects(set.parent)
  const unlisted = set.others?.find(({ what }) => what === 'stacks')
  if (unlisted !== undefined)
    warn(
      notWritten(
        `The Stacks of "${set.name}" are left out: the service counts ${unlisted.count} and does not list them.`,
        UNMANAGED,
      ),
    )
  const foreign = set.foreignVariables.map(({ key, category }) => `${key} (${category})`).join(', ')
  if (foreign !== '')
    warn(
      notWritten(
        `"${set.name}" has variables of an unknown category: ${foreign}.`,
        'They stay unchanged in the service. No plan changes them.',
      ),
    )
  return {
    name: set.name,
    ...detailsOf(set),
    project,
    variables: set.variables.map(variable =>
      desiredVariable(set, variable, { secret: secretOf?.(variable), known }, warn),
    ),
    ...targets,
    id: pinned ? set.id : undefined,
    previousNames: [],
    source: NOWHERE,
  } satisfies Record<
    Exclude<keyof DesiredSet, keyof ServiceName | 'accept' | 'groups' | 'key' | TargetKind>,
    unknown
  >
}

/** Leaves out an empty list without a meaning: of a global set, or on a service without Stacks. */
function targetsOf<K extends TargetKind>(
  set: ObservedSet,
  kind: K,
  names: TargetNames,
): TargetRef<TargetIds[K]>[] | undefined {
  const { [kind]: ids = [] }: TargetLists = set
  if (ids.length === 0 && (set.global || TARGETS[kind].without === 'kind is unknown')) return undefined
  return ids.map(names[kind]).toSorted((a, b) => compareText(textOf(a), textOf(b)))
}

const textOf = (target: TargetRef<string>): string => ('id' in target ? target.id : target.name)

function desiredVariable(
  set: ObservedSet,
  observed: ObservedVariable,
  { secret, known }: { readonly secret: SecretRef | undefined; readonly known: KnownSecrets | undefined },
  warn: Warn,
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
  const problem = known?.hides(value.text) === true ? KNOWN_SECRET : problemOf(readable)
  if (problem === undefined) return readable
  const [code, words, hint] = problem
  const message = `${key} of "${set.name}" is written without its value (external: true). ${words}`
  warn(warning(code, message, hint), key)
  return variable({ external: true })
}

type WhyUnwritten = readonly [code: Diagnostic['code'], words: string, hint: string]

const READABLE_SECRET =
  'Everybody can read it in the service. Replace it and write `{ secret: NAME }` as its value.'
const KNOWN_SECRET: WhyUnwritten = [
  'looks-like-a-secret',
  'It contains a secret that this run knows.',
  READABLE_SECRET,
]

function problemOf(variable: DesiredVariable): WhyUnwritten | undefined {
  if (!('text' in variable.value)) return undefined
  const { text } = variable.value
  if (!isWritable(text))
    return [
      'not-written',
      'It contains the character U+0000 or half of a surrogate pair, which no file can contain.',
      'It stays unchanged in the service.',
    ]
  const parsed = variable.hcl ? parseLiteral(text) : undefined
  if (parsed !== undefined && 'mistake' in parsed)
    return [
      'not-written',
      `Its HCL ${parsed.mistake.words}.`,
      'It stays unchanged in the service, where runs that use it may fail. Files have only literal values: write one.',
    ]
  const findings = new Findings()
  lintVariable({ ...variable, ...NO_FIELDS }, findings)
  const found = findings.diagnostics[0]
  return (
    found && [
      'looks-like-a-secret',
      found.message,
      `${READABLE_SECRET} If it is not a secret, write its value and \`accept: [looks-like-a-secret]\`.`,
    ]
  )
}

export const notWritten = (message: string, hint: string): Diagnostic => warning('not-written', message, hint)

const UNMANAGED = 'They stay unchanged in the service, and Setpoint does not manage them.'

/** The place of something that is in no file. */
export const NOWHERE = startOf('')

/** How a file writes a workspace, a project or a Stack. */
export type TargetNames = {
  readonly [K in TargetKind]: (id: TargetIds[K]) => TargetRef<TargetIds[K]>
}

/** The name of an id if the name resolves to exactly this id. Otherwise the id. */
export const targetNames = (told: DirectoryLists): TargetNames =>
  byKind<TargetNames>(kind => namer(told[kind] ?? []))

function namer<Id extends string>(entries: readonly DirectoryEntry<Id>[]): (id: Id) => TargetRef<Id> {
  const ids = idsByName(entries)
  const names = new Map(entries.map(({ name, id }) => [id, name]))
  const isMeant = (name: string): boolean => /\S/.test(name) && isWritable(name) && ids.get(name)?.size === 1
  return id => {
    const name = names.get(id)
    return name !== undefined && isMeant(name) ? { name, source: NOWHERE } : { id, source: NOWHERE }
  }
}

function idsByName<Id extends string>(entries: readonly DirectoryEntry<Id>[]): ReadonlyMap<string, Set<Id>> {
  const ids = new Map<string, Set<Id>>()
  for (const { name, id } of entries) ids.set(name, (ids.get(name) ?? new Set()).add(id))
  return ids
}

/** A file can contain it. */
const isWritable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

/**
 * A reference for each of the variables that `isSecret` picks, named like its key: `DB_PASSWORD`. Several share a name only if all are
 * known to be equal. Otherwise the name of the set comes before the key, and a number after it if that is not enough. `identities` are
 * equal exactly if the values are, absent if a value is unknown, and never shown or stored. `used` are names of other secrets.
 */
export function secretRefs<Id, Variable extends { readonly id: Id; readonly key: VariableKey }>(
  sets: readonly { readonly name: string; readonly variables: readonly Variable[] }[],
  isSecret: (variable: Variable) => boolean,
  identities: ReadonlyMap<Id, string> = new Map(),
  used: readonly string[] = [],
): ReadonlyMap<Id, SecretRef> {
  const secrets = sets.flatMap(({ name: set, variables }) =>
    variables.filter(isSecret).map(({ id, key }) => ({ id, set, key: nameOf(key) })),
  )
  const byKey = grouped(secrets, ({ key }) => nameFrom(key))
  const taken = new Set([...byKey.keys(), ...used])
  const refs = new Map<Id, SecretRef>()
  for (const [name, group] of byKey) {
    const values = new Set(group.map(({ id }) => identities.get(id)))
    const isEqual = group.length === 1 || (values.size === 1 && !values.has(undefined))
    const isOne = isEqual && !used.includes(name)
    for (const { id, set, key } of group) {
      const long = nameFrom(`${set}_${key}`)
      refs.set(id, { name: isOne ? name : freeName(long, taken, n => `${long}_${n}`) })
    }
  }
  return refs
}

/** In the usual form of an environment variable. */
function nameFrom(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100)
  return /^[A-Z]/.test(plain) ? plain : `SECRET${plain === '' ? '' : `_${plain}`}`
}
