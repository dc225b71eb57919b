import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { type SetOwner, serviceNameOf } from '../model/fields.ts'
import { listIn, type ProjectId, TARGET_KINDS, TARGETS } from '../model/ids.ts'
import { plural } from '../model/lists.ts'
import type { ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import { nameSlot } from './draft.ts'
import { hasOtherOwner, type Match } from './match.ts'
import type { Ownership } from './ownership.ts'

/**
 * Sets of the service that belong to another owner than the files say. The service never changes an owner, and a set that
 * is deleted is lost, so the files have to say which set they mean (docs/files.md#change-the-owner).
 */
export function checkSetOwners(
  { pairs }: Pick<Match, 'pairs'>,
  { sets, directory }: Pick<ResolvedState, 'sets' | 'directory'>,
  observed: ObservedState,
  ownership: Ownership,
): Diagnostic[] {
  const projects = new Map<string, string>(directory.projects.map(({ id, name }) => [id, name]))
  const taken = new Set([...sets.map(serviceNameOf), ...observed.sets.map(({ name }) => name)])
  return pairs.filter(hasOtherOwner).map(({ desired, observed: old }) => {
    const isRename = old.name !== serviceNameOf(desired)
    const which = isRename ? `"${old.name}" (${old.id}), which it renames,` : old.id
    const message = `"${desired.name}" is ${ownerText(desired, projects)} in the file, but ${which} is ${ownerText(old, projects)}. The service never changes the owner of a set.`
    const free = freeName(desired, projects, taken)
    const hint = ownership.isForeign(old)
      ? `The inventory of "${ownership.of(old)}" lists that set. Choose another name, such as "${free}".`
      : [keep(old, projects), ...newSet(desired, old, free), ...unmanaged(desired, old)].join('\n')
    return mistake('foreign-set', message, hint, desired.source)
  })
}

type Names = ReadonlyMap<string, string>

const ownerText = ({ parent }: SetOwner, projects: Names): string =>
  parent === undefined ? 'a set of the organization' : `a set of the project ${projectText(parent, projects)}`

/** The name as in a file, or the id if the name is unknown. */
function projectText(id: ProjectId, projects: Names): string {
  const name = projects.get(id)
  return name === undefined ? id : JSON.stringify(name)
}

/** A name that no set has, for the example in the hint. */
function freeName(set: ResolvedSet, projects: Names, taken: ReadonlySet<string>): string {
  const owner = set.parent === undefined ? 'organization' : (projects.get(set.parent) ?? 'project')
  const name = `${serviceNameOf(set)}-${owner}`
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}-${n}`
  return free
}

const keep = ({ parent }: ObservedSet, projects: Names): string =>
  `To keep that set: ${parent === undefined ? 'remove `project`' : `write \`project: ${projectText(parent, projects)}\``}.`

/** What to write for a new set with another name, and for one with the same name. */
function newSet(desired: ResolvedSet, old: ObservedSet, free: string): string[] {
  const unpin = desired.id === undefined ? [] : ['remove `id`']
  const removed = `write \`removed: [${old.id}]\` in a set file`
  const previous = desired.previousNames.includes(old.name)
    ? []
    : desired.previousNames.length > 0
      ? [`add ${JSON.stringify(old.name)} to its \`previousNames\``]
      : [`write \`previousNames: [${JSON.stringify(old.name)}]\` in it`]
  if (nameSlot(old.name) !== nameSlot(serviceNameOf(desired)))
    return [`To create a new set without a gap: ${listed([...unpin, ...previous, removed])}. ${FIRST}`]
  const name = `choose a name such as "${free}"`
  return [
    `To create a new set without a gap, with another name: ${listed([name, ...unpin, ...previous, removed])}. ${FIRST}`,
    `To create a new set with the same name: ${listed([...unpin, removed])}. ${GAP}`,
  ]
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`

const FIRST =
  'It is created before the old one is deleted. Stacks read sets by name, so change the name there, too.'
const GAP = 'The old one is deleted first. Until the new one is created, its variables are missing.'

/** A new set has only the assignments that the file lists. */
function unmanaged(desired: ResolvedSet, old: ObservedSet): string[] {
  const kinds = TARGET_KINDS.flatMap(kind => {
    const { length } = listIn(old, kind) ?? []
    const isManaged = desired[kind] !== undefined
    return isManaged || length === 0 ? [] : `\`${kind}\` (${plural(length, TARGETS[kind].one)})`
  })
  if (kinds.length === 0) return []
  return [`The file leaves out ${kinds.join(' and ')} of that set. List what a new set needs.`]
}
