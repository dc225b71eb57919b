import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { type SetOwner, serviceNameOf } from '../model/fields.ts'
import type { ProjectId } from '../model/ids.ts'
import { freeName } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../model/variable-set.ts'
import { nameSlot } from './draft.ts'
import { hasOtherOwner, type Match } from './match.ts'
import type { Ownership } from './ownership.ts'

/**
 * Sets of the service that belong to another owner than the files say. The service never changes an owner, and a set that
 * is deleted is lost, so the files have to say which set they mean (docs/files.md#move-a-set-to-another-project).
 */
export function checkSetOwners(
  { pairs }: Pick<Match, 'pairs'>,
  { sets, directory }: Pick<ResolvedState, 'sets' | 'directory'>,
  observed: ObservedState,
  ownership: Ownership,
): Diagnostic[] {
  const projects = new Map<string, string>(directory.projects.map(({ id, name }) => [id, name]))
  const names = [...sets.map(serviceNameOf), ...observed.sets.map(({ name }) => name)]
  return pairs.filter(hasOtherOwner).map(({ desired, observed: old }) => {
    const name = serviceNameOf(desired)
    const which = old.name === name ? old.id : `"${old.name}" (${old.id})`
    const message = `"${desired.name}" is ${ownerText(desired, projects)} in the file, but ${which} is ${ownerText(old, projects)}, and the service cannot move a set.`
    const owner = desired.parent === undefined ? 'organization' : (projects.get(desired.parent) ?? 'project')
    const taken = new Set(names.map(one => one.normalize('NFC')))
    const free = freeName(`${name}-${owner}`, taken, n => `${name}-${owner}-${n}`)
    const hint = ownership.isOfAnotherOwner(old)
      ? `The inventory of "${ownership.of(old)}" lists that set. Choose another name, such as "${free}".`
      : linesToWrite(desired, old, free)
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

/** A new set with another name, created before the old one goes; and one with the same name, which a gap precedes. */
function linesToWrite(desired: ResolvedSet, old: ObservedSet, free: string): string {
  const unpin = desired.id === undefined ? [] : ['remove `id`']
  const removed = `write \`removed: [${old.id}]\` in a set file`
  const { previousNames } = desired
  const previous = previousNames.includes(old.name)
    ? []
    : [`write \`previousNames: ${JSON.stringify([...previousNames, old.name])}\` in it`]
  const isSameName = nameSlot(old.name) === nameSlot(serviceNameOf(desired))
  const another = isSameName ? [`choose another name, such as "${free}"`] : []
  return [
    `For a new set, created before the old one is deleted: ${listed([...another, ...unpin, ...previous, removed])}.`,
    ...(isSameName
      ? [`For one with the same name, with a gap between the two: ${listed([...unpin, removed])}.`]
      : []),
    ...(desired.parent !== undefined && old.parent === undefined
      ? ['To keep it a set of the organization, as on a server that has no others: remove `project`.']
      : []),
  ].join('\n')
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`
