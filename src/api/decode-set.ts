import { compareText } from '../model/diagnostic.ts'
import { ownerOf } from '../model/fields.ts'
import {
  assignmentsOf,
  categoryOf,
  isProjectId,
  isVariableSetId,
  listsOf,
  nameOf,
  TARGET_KINDS,
  TARGETS,
  type TargetIds,
  type TargetKind,
} from '../model/ids.ts'
import { type Inventory, type InventoryEntry, readEntryContent } from '../model/inventory.ts'
import { isObject, parseJson } from '../model/json.ts'
import { INVENTORY_PREFIX } from '../model/names.ts'
import type { ObservedSet, ObservedVariable, OtherReach } from '../model/variable-set.ts'
import { includedVariables, variablesOf } from './decode-variable.ts'
import {
  flagAt,
  type Members,
  optionalCountAt,
  optionalFlagAt,
  optionalTextAt,
  type Resource,
  relatedAt,
  relatedId,
  relatedIds,
  resourceOf,
  textAt,
} from './document.ts'

/** A set as one response shows it, and how much of it arrived. What did not arrive is empty in `set`. */
export interface SetResponse {
  readonly set: ObservedSet
  /** All variables came with their attributes, as many as `var-count` says. */
  readonly variablesArrived: boolean
  /** Kinds of assignments whose list is missing or shorter than its count (docs/fault-model.md F-37). */
  readonly missing: readonly TargetKind[]
  readonly variableCount?: number
  /** The organization that the response names. Responses to writes name none. */
  readonly organization?: string
}

/** The set under `data` of a document. */
export const decodeSet = (document: Members, tool: string): SetResponse =>
  decodeSetAt(document.data, 'data', includedVariables(document), tool)

export function decodeSetAt(
  value: unknown,
  at: string,
  included: ReadonlyMap<string, Members>,
  tool: string,
): SetResponse {
  const resource = resourceOf(value, 'varsets', isVariableSetId, at)
  const variableCount = optionalCountAt(resource, 'var-count') ?? referencesOf(resource)
  const decoded = variablesOf(resource, included, variableCount, tool)
  const missing = TARGET_KINDS.filter(kind => !hasArrived(resource, kind))
  const parent = relatedId(resource, 'parent', 'projects', isProjectId)
  const others = othersOf(resource, missing)
  const updatedAt = resource.attributes['updated-at']
  const organization = organizationOf(resource)
  return {
    set: {
      id: resource.id,
      name: textAt(resource, 'name'),
      description: optionalTextAt(resource, 'description'),
      global: flagAt(resource, 'global'),
      priority: optionalFlagAt(resource, 'priority'),
      variables: decoded?.variables ?? [],
      foreignVariables: decoded?.foreignVariables ?? [],
      ...assignmentsOf(listsOf(kind => assignedIn(resource, kind, missing))),
      ...ownerOf({ parent }),
      ...(others.length > 0 && { others }),
      ...(!mayChange(resource) && { unwritable: true }),
      ...(relatedAt(resource, 'parent') === undefined && { ownerNotShown: true }),
      ...(!speaksOfProjects(resource) && { projectsNotShown: true }),
      ...(typeof updatedAt === 'string' && { updatedAt }),
    },
    variablesArrived: decoded !== undefined,
    missing,
    variableCount,
    organization,
  }
}

/** A service without `var-count` still shows how many variables there are if it refers to them. */
function referencesOf(resource: Resource): number | undefined {
  const related = relatedAt(resource, 'vars')
  return Array.isArray(related) ? related.length : undefined
}

function hasArrived(resource: Resource, kind: TargetKind): boolean {
  const ids = relatedAt(resource, kind)
  const count = optionalCountAt(resource, TARGETS[kind].count)
  if (ids === undefined) return count === undefined ? TARGETS[kind].without !== 'answer is cut' : count === 0
  return count === undefined || count === relatedIds(resource, kind, TARGETS[kind].isId)?.length
}

/** `undefined` if the response does not mention the kind, or shows only a part of it. */
function assignedIn<K extends TargetKind>(
  resource: Resource,
  kind: K,
  missing: readonly TargetKind[],
): readonly TargetIds[K][] | undefined {
  const { without, count, isId } = TARGETS[kind]
  const ids = relatedIds(resource, kind, isId)
  const isSilent = ids === undefined && optionalCountAt(resource, count) === undefined
  if (without === 'kind is unknown' && (isSilent || missing.includes(kind))) return undefined
  return (ids ?? []).toSorted(compareText)
}

const speaksOfProjects = (resource: Resource): boolean =>
  relatedAt(resource, 'projects') !== undefined ||
  optionalCountAt(resource, TARGETS.projects.count) !== undefined

/** A hint for people. In any other form it is ignored. */
const mayChange = ({ attributes: { permissions } }: Resource): boolean =>
  !(isObject(permissions) && permissions['can-update'] === false)

export function organizationOf(resource: Resource): string | undefined {
  const related = relatedAt(resource, 'organization')
  return isObject(related) && typeof related.id === 'string' ? related.id : undefined
}

const KNOWN_COUNTS = ['var-count', ...TARGET_KINDS.map(kind => TARGETS[kind].count)]
const KNOWN_RELATIONS: readonly string[] = ['vars', ...TARGET_KINDS]

/** Everything else that the service counts for the set or relates to it: newer services have more than this client knows. */
function othersOf({ attributes, relationships }: Resource, missing: readonly TargetKind[]): OtherReach[] {
  const found = new Map<string, number>()
  const add = (what: string, count: number): void => {
    if (count > 0) found.set(what, count)
  }
  const counted = (name: string): number => {
    const count = Math.ceil(Number(attributes[name]))
    return Number.isSafeInteger(count) ? count : 0
  }
  const related = (name: string): number => {
    const relationship = relationships[name]
    const data = isObject(relationship) ? relationship.data : undefined
    return Array.isArray(data) ? data.length : 0
  }
  for (const kind of missing)
    if (TARGETS[kind].without === 'kind is unknown')
      add(kind, Math.max(counted(TARGETS[kind].count), related(kind)))
  for (const name of Object.keys(attributes))
    if (name.endsWith('-count') && !KNOWN_COUNTS.includes(name)) add(name, counted(name))
  for (const name of Object.keys(relationships)) if (!KNOWN_RELATIONS.includes(name)) add(name, related(name))
  return [...found].map(([what, count]) => ({ what, count })).sort((a, b) => compareText(a.what, b.what))
}

/**
 * Separates the inventories from a list: after the decoder nobody treats them as sets (docs/secrets.md#the-inventory). A list by name
 * has them by owner.
 */
export function withoutInventories(listed: readonly ObservedSet[]): {
  readonly sets: readonly ObservedSet[]
  readonly inventories: readonly Inventory[]
} {
  const isInventory = (set: ObservedSet): boolean =>
    set.parent === undefined && set.name.startsWith(INVENTORY_PREFIX)
  const inventories = listed.filter(isInventory).map(set => ({
    owner: set.name.slice(INVENTORY_PREFIX.length),
    id: set.id,
    entries: set.variables.flatMap(entryOf),
    ...(set.unwritable && { unwritable: set.unwritable }),
    ...(set.updatedAt !== undefined && { updatedAt: set.updatedAt }),
  }))
  return { sets: listed.filter(set => !isInventory(set)), inventories }
}

/** Anything that is not an entry was added by hand and is left alone. */
function entryOf(variable: ObservedVariable): InventoryEntry[] {
  const setId = nameOf(variable.key)
  if (!isVariableSetId(setId) || categoryOf(variable.key) !== 'terraform') return []
  const base = { setId, variableId: variable.id }
  const content = 'text' in variable.value ? readEntryContent(parseJson(variable.value.text)) : undefined
  return [
    content === undefined
      ? { ...base, digest: '', secrets: {}, damaged: true }
      : { ...base, ...content, damaged: false },
  ]
}
