import { compareText } from '../../model/diagnostic.ts'
import type { VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { AddedExposure, Exposure, GlobalExposure, SecretExposure } from './effect.ts'
import { type KnownMembers, stacksReading } from './members.ts'
import type { Reception } from './reception.ts'
import type { ChangedSet, SetState } from './set-state.ts'

/** The variables that newly reach targets, even if other sets override them there. */
export function exposureOf({ moving, members }: Pick<Reception, 'moving' | 'members'>): Exposure {
  const sets = moving.toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
  const added = sets.flatMap(set => addedTo(set, members))
  const secrets = sets.flatMap(set => newSecrets(set, members))
  const global = sets.flatMap(set => newlyGlobal(set, members))
  return { added: added.length > 0 ? added : undefined, secrets, global }
}

const nameOf = ({ before, after }: ChangedSet): string => (after ?? before)?.name ?? ''

/** A set that becomes global or gains priority is reported as that, and not here. */
function addedTo({ before, after }: ChangedSet, members: KnownMembers): AddedExposure[] {
  if (before === undefined || after === undefined) return []
  const global = before.global && after.global
  const priority = before.priority && after.priority
  const keys = [...after.held.keys()].filter(key => !before.held.has(key))
  if ((!global && !priority) || keys.length === 0) return []
  return [
    {
      set: after.name,
      keys,
      global,
      priority,
      count: workspacesOf(after, members)?.length,
    },
  ]
}

const newlyGlobal = ({ before, after }: ChangedSet, members: KnownMembers): GlobalExposure[] =>
  after?.global && !before?.global
    ? [
        {
          set: after.name,
          keys: [...after.held.keys()],
          count: workspacesOf(after, members)?.length,
          stackCount: stacksReading(after, members).length || undefined,
        },
      ]
    : []

/** New targets receive every secret of the set, the others those that are new in it. */
function newSecrets({ before, after }: ChangedSet, members: KnownMembers): SecretExposure[] {
  if (after === undefined) return []
  const keys = [...after.held].flatMap(([key, { secret }]) => (secret ? [key] : []))
  // A readable variable that becomes a secret reaches nobody new.
  const known = keys.filter(key => before?.held.has(key))
  const fresh = keys.filter(key => !before?.held.has(key))
  const widened = secretExposure(known, after, before, members)
  const added = secretExposure(fresh, after, undefined, members)
  const isSame = JSON.stringify({ ...widened, keys }) === JSON.stringify({ ...added, keys })
  if (widened && added && isSame) return [{ ...widened, keys }]
  return [widened, added].filter(exposure => exposure !== undefined)
}

/** `before`: the set, if its targets already have these keys. */
function secretExposure(
  keys: readonly VariableKey[],
  after: SetState,
  before: SetState | undefined,
  members: KnownMembers,
): SecretExposure | undefined {
  if (keys.length === 0 || before?.global) return undefined
  const everywhere = after.global
  const knownStacks = before === undefined ? [] : stacksReading(before, members)
  const workspaces = everywhere ? [] : without(after.workspaces, before?.workspaces)
  const projects = everywhere ? [] : without(after.projects, before?.projects)
  const stacks = everywhere ? [] : without(after.stacks, knownStacks)
  const reached = workspacesOf({ global: everywhere, workspaces, projects }, members)
  const count = reached && without(reached, before && workspacesOf(before, members)).length
  if (!everywhere && count === 0 && projects.length + stacks.length === 0) return undefined
  const allStacks = stacksReading({ global: everywhere, stacks, projects }, members)
  return {
    set: after.name,
    keys,
    everywhere,
    workspaces,
    projects,
    stacks: stacks.length > 0 ? stacks : undefined,
    count,
    stackCount: (members.stacks && without(allStacks, knownStacks).length) || undefined,
  }
}

/** `undefined` if the workspaces, or those of a project, are unknown. */
function workspacesOf(
  { global, workspaces, projects }: Pick<SetState, 'global' | 'workspaces' | 'projects'>,
  { isWhole, projectOf, membersOf }: KnownMembers,
): readonly WorkspaceId[] | undefined {
  if (!isWhole && (global || projects.some(project => !membersOf.has(project)))) return undefined
  if (global) return [...projectOf.keys()]
  return [...new Set([...workspaces, ...projects.flatMap(project => membersOf.get(project) ?? [])])]
}

const without = <Id>(ids: readonly Id[], others: readonly Id[] = []): Id[] => {
  const known = new Set(others)
  return ids.filter(id => !known.has(id))
}
