import { readSetFile, type SetFile } from '../config/set-file.ts'
import { setsForm } from '../config/sets-valid.gen.ts'
import { resolvedYaml } from '../config/write.ts'
import { documentIn } from '../config/yaml-documents.ts'
import { type Checked, compareText, type Diagnostic, hasErrors, warning } from '../model/diagnostic.ts'
import { detailsOf, fieldsOf, serviceNameOf } from '../model/fields.ts'
import { Findings } from '../model/findings.ts'
import { TARGET_KINDS, type VariableSetId } from '../model/ids.ts'
import { ownersOf } from '../model/inventory.ts'
import { toCompactJson } from '../model/json.ts'
import { append, grouped, plural, shortList } from '../model/lists.ts'
import { flagWith, freeName, matchesAny, selects, unmatchedPatterns } from '../model/names.ts'
import type { DesiredSet, ObservedSet, ObservedState, TargetRef } from '../model/variable-set.ts'
import { desiredSet, type InFiles, notWritten } from './desired-set.ts'

interface ExportOptions extends InFiles {
  /** Patterns of set names; empty: everything. */
  readonly only: readonly string[]
  /** Our owner. Sets in the inventory of another owner are left out of files for this organization. */
  readonly owner?: string
  /** Which organization the files are for. Default: `this`. */
  readonly filesFor?: FilesFor
  /** Patterns of the names that our files may declare; empty: any. */
  readonly owns: readonly string[]
  /** The sets are those of a Terraform state, which messages say. */
  readonly isState?: boolean
}

/** A copy for another organization declares nothing that somebody else manages. */
export type FilesFor = 'this' | 'another' | 'unknown'

/** Sets as files say them, sorted by name, and diagnostics for everything that the files leave out. */
export interface Exported {
  readonly sets: readonly DesiredSet[]
  /** The same sets by their ids in the service. */
  readonly ids: ReadonlyMap<VariableSetId, DesiredSet>
  readonly diagnostics: readonly Diagnostic[]
}

/** Everything that files can hold of the observed sets. A plan of the result has nothing to do. */
export function exportedSets(observed: ObservedState, options: ExportOptions): Exported {
  const { only, filesFor = 'this' } = options
  const othersOf = othersIn(observed, options)
  const selected = observed.sets
    .filter(set => only.length === 0 || selects(only, set))
    .map(set => ({ set, other: othersOf(set) }))
  // A copy for another organization declares sets of every inventory.
  const isLeftOut = ({ other }: Selected): boolean =>
    other !== undefined && (other.owner === undefined || filesFor === 'this')
  const byIdentity = grouped(observed.sets, identityOf)
  const reasonAgainst = reasonsFor(observed, byIdentity)
  const diagnostics = unmatchedIn(options, observed)
  const written = new Map<VariableSetId, DesiredSet>()
  for (const one of selected) {
    if (isLeftOut(one)) continue
    const { set } = one
    const reason = reasonAgainst(set)
    const isAmbiguous = (byIdentity.get(identityOf(set))?.length ?? 0) > 1
    const { desired, said } =
      reason === undefined ? writtenSet(set, isAmbiguous, options) : { said: [reason] }
    diagnostics.push(...said)
    if (desired !== undefined) written.set(set.id, desired)
  }
  diagnostics.push(...leftOut(selected.filter(isLeftOut)))
  if (filesFor === 'unknown') diagnostics.push(...inInventories(selected))
  const ids = withKeys(written, observed)
  return { sets: [...ids.values()].toSorted((a, b) => compareText(a.name, b.name)), ids, diagnostics }
}

/** A selected set, and why it may belong to others. */
interface Selected {
  readonly set: ObservedSet
  readonly other: ReturnType<ReturnType<typeof othersIn>>
}

const unmatchedIn = ({ only, isState }: ExportOptions, { sets }: ObservedState): Diagnostic[] =>
  unmatchedPatterns(
    { flag: '--only', of: `set in the ${isState === true ? 'state' : 'service'}` },
    only,
    sets,
  )

/** A set as a file says it, if one can hold it, and what there is to say about it. */
function writtenSet(
  set: ObservedSet,
  isAmbiguous: boolean,
  options: ExportOptions,
): { readonly desired?: DesiredSet; readonly said: readonly Diagnostic[] } {
  const said: Diagnostic[] = []
  const desired = desiredSet(set, isAmbiguous, options, one => said.push(one))
  const isClean = options.known === undefined || options.known.in(desired) === desired
  const refused = isClean ? whyNotHeld(desired) : NOT_CLEAN
  return refused === undefined ? { desired, said } : { said: [notHeld(set, refused)] }
}

/** Sets that are left out, in groups, because there may be hundreds. */
const leftOut = (selected: readonly Selected[]): Diagnostic[] =>
  [...grouped(selected, ({ other }) => other?.group.slice(0, 2).join(' '))].flatMap(([, sets]) => {
    const group = sets[0]?.other?.group
    if (group === undefined) return []
    const [code, words, hint] = group
    return warning(code, `Left out ${plural(sets.length, 'set')} ${words}: ${namesIn(sets)}.`, hint)
  })

/** Sets of other inventories that the files declare. */
const inInventories = (selected: readonly Selected[]): Diagnostic[] =>
  [...grouped(selected, ({ other }) => other?.owner)].flatMap(([owner, sets]) =>
    owner === undefined
      ? []
      : warning(
          'owned-by-another',
          `${plural(sets.length, 'set')} in the inventory of "${owner}": ${namesIn(sets)}.`,
          `In files for another organization this is right. In files for this one, leave them to "${owner}".`,
        ),
  )

const namesIn = (sets: readonly Selected[]): string => shortList(sets.map(({ set: { name } }) => `"${name}"`))

/**
 * Sets of one name get keys (docs/files.md#sets-of-projects): the organization's set keeps the name, the others add their project to it. No key
 * is the name of an observed set.
 */
function withKeys(written: Exported['ids'], observed: ObservedState): Exported['ids'] {
  const taken = new Set(observed.sets.map(({ name }) => name.normalize('NFC')))
  const counts = new Map<string, number>()
  for (const { name } of written.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const keyOf = ({ name, project }: DesiredSet): string => {
    if (project === undefined) return name
    const key = `${name}-${'id' in project ? project.id : project.name}`
    return freeName(key, taken, n => `${key}-${n}`)
  }
  return new Map(
    [...written].map(([id, set]) => [
      id,
      counts.get(set.name) === 1 ? set : { ...set, name: keyOf(set), serviceName: set.name },
    ]),
  )
}

type LeftOutGroup = readonly [code: Diagnostic['code'], words: string, hint: string]

const NOT_CLEAN = 'It contains a secret that this run knows, outside of a value.'

function othersIn(
  { inventories = [] }: ObservedState,
  { owner: ours, owns }: ExportOptions,
): (set: ObservedSet) => { readonly group: LeftOutGroup; readonly owner?: string } | undefined {
  const own = inventories.filter(({ owner }) => owner === ours)
  // A set that our inventory lists as well is ours, as in a plan.
  const owners = new Map([...ownersOf(inventories), ...ownersOf(own)])
  return ({ id, name }) => {
    const owner = owners.get(id)
    if (owner !== undefined && owner !== ours)
      return {
        group: [
          'owned-by-another',
          `in the inventory of "${owner}"`,
          'They are managed from another repository.',
        ],
        owner,
      }
    if (owns.length === 0 || matchesAny(owns, name)) return undefined
    const hint = `\`owns\` in setpoint.yaml has: ${owns.join(', ')}.`
    return { group: ['not-owned', 'outside of what this repository owns', hint] }
  }
}

/** Why no file can hold a set beside the others, if none can. */
function reasonsFor(
  { sets }: ObservedState,
  byIdentity: ReadonlyMap<string, readonly ObservedSet[]>,
): (set: ObservedSet) => Diagnostic | undefined {
  const globalHolders = new Map<string, ObservedSet[]>()
  for (const set of sets)
    if (set.global) for (const key of new Set(keysOf(set))) append(globalHolders, key, set)
  return set => {
    const { id, name, parent } = set
    const [first] = byIdentity.get(identityOf(set)) ?? []
    if (first !== undefined && first.id !== id)
      return warning(
        'ambiguous-set',
        `${id} is left out: ${first.id} has the same name "${name}" and the same owner, and is written with its id.`,
        `Rename one of the two in the service. Then: ${exportOf(id)}`,
      )
    const seen = new Set<string>()
    const double = keysOf(set).find(key => seen.size === seen.add(key).size)
    if (double !== undefined)
      return notWritten(
        `"${name}" (${id}) is left out: it has ${double} twice, and a file can declare it only once.`,
        `Delete one of the two in the service. Then: ${exportOf(name)}`,
      )
    if (!set.global) return undefined
    if (parent !== undefined)
      return notHeld(set, 'It is global and owned by a project, which a file cannot declare.')
    for (const key of keysOf(set)) {
      const holder = globalHolders.get(key)?.find(other => other.id !== id)
      if (holder !== undefined)
        return warning(
          'global-conflict',
          `"${name}" is left out: it is global and has ${key}, as the global set "${holder.name}" does.`,
          `A key and category can be in one global set only. Remove it from one of the two in the service. Then: ${exportOf(name)}`,
        )
    }
    return undefined
  }
}

/** Writes one more set beside the files that an export has written. */
const exportOf = (set: string): string => `setpoint export ${flagWith('--only', set)} --out sets`

/** What identifies a set in a file: its name and its owner. */
const identityOf = ({ name, parent }: ObservedSet): string => `${parent ?? ''} ${name}`

const keysOf = ({ variables }: ObservedSet): string[] => variables.map(({ key }) => key)

const notHeld = ({ name, id }: ObservedSet, why: string): Diagnostic =>
  notWritten(`"${name}" (${id}) is left out. ${why}`, 'It stays unchanged in the service.')

/**
 * Why a file cannot hold a set, or `undefined` if it can. The set is written, read back by the parts of the loader, and compared,
 * so an export is correct whatever the service holds.
 */
function whyNotHeld(set: DesiredSet): string | undefined {
  const { value, diagnostics } = readSetText('export.yaml', resolvedYaml({ sets: [set], removed: [] }))
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error !== undefined) return error.message
  const [read] = value?.sets ?? []
  return read !== undefined && meaning(read) === meaning(set)
    ? undefined
    : 'The loader would read it back as something else.'
}

/** A set without its places in files. */
const meaning = (set: DesiredSet): string =>
  toCompactJson({
    settings: [serviceNameOf(set), detailsOf(set), set.id, set.previousNames],
    variables: set.variables
      .map(variable => toCompactJson([variable.key, variable.value, fieldsOf(variable)]))
      .toSorted(compareText),
    project: set.project && writtenTarget(set.project),
    targets: TARGET_KINDS.map(kind => set[kind]?.map(writtenTarget)),
  })

const writtenTarget = (target: TargetRef<string>): string =>
  'id' in target ? `id ${target.id}` : `name ${target.name}`

/**
 * Reads a set file from its text alone, to check a file before it is written. `file:` has no text here, and rules across files
 * are not checked.
 */
export function readSetText(path: string, text: string): Checked<SetFile> {
  const findings = new Findings()
  const document = documentIn(path, Buffer.from(text), setsForm, findings)
  const value =
    document && readSetFile(document.tree, { file: document.file, findings, textOf: () => undefined })
  const { diagnostics } = findings
  return { value: hasErrors(diagnostics) ? undefined : value, diagnostics }
}
