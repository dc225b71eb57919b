import { createHash } from 'node:crypto'
import { compareText, type Diagnostic, warning } from '../model/diagnostic.ts'
import {
  assignmentsOf,
  byKind,
  isProjectId,
  isVariableId,
  isVariableSetId,
  listsOf,
  TARGET_KINDS,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type TargetTable,
  type VariableId,
  type VariableSetId,
} from '../model/ids.ts'
import { isObject, listOf } from '../model/json.ts'
import { append } from '../model/lists.ts'
import {
  type Directory,
  type DirectoryEntry,
  type DirectoryLists,
  type ObservedSet,
  type ObservedVariable,
  partlyKnown,
} from '../model/variable-set.ts'
import type { JsonObject, StateObject } from './state-json.ts'

/** A set of a state, with the blocks that manage it. */
export interface StateSet {
  readonly organization: string | undefined
  readonly set: ObservedSet
  /** The kinds of assignments that the state has. */
  readonly knows: readonly TargetKind[]
  readonly objects: readonly StateObject[]
}

export interface StateSets {
  /** Sorted by name, then id. */
  readonly sets: readonly StateSet[]
  /** Workspaces, projects and Stacks that the state names. */
  readonly names: Directory
  /** For each sensitive variable whose value the state has: equal if the values are. The values are dropped. */
  readonly identities: ReadonlyMap<VariableId, string>
  /** Variables and assignments of each set that the state does not manage. */
  readonly parts: ReadonlyMap<string, readonly StateObject[]>
  readonly diagnostics: readonly Diagnostic[]
}

/** Where the provider keeps each kind: the block of one assignment with its id, and the list of the set itself. */
const RESOURCES = {
  workspaces: {
    named: 'tfe_workspace',
    assignment: 'tfe_workspace_variable_set',
    id: 'workspace_id',
    list: 'workspace_ids',
  },
  // The provider does not list the projects of a set.
  projects: {
    named: 'tfe_project',
    assignment: 'tfe_project_variable_set',
    id: 'project_id',
    list: undefined,
  },
  stacks: { named: 'tfe_stack', assignment: 'tfe_stack_variable_set', id: 'stack_id', list: 'stack_ids' },
} as const satisfies TargetTable<unknown>

/** The sets of a state with their variables and assignments, and the parts of sets that it does not manage. */
export function setsOfState(objects: readonly StateObject[]): StateSets {
  const read = new ReadState()
  for (const object of managedIn(objects, 'tfe_variable_set')) read.addSet(object)
  for (const object of managedIn(objects, 'tfe_variable')) read.addVariable(object)
  for (const kind of TARGET_KINDS)
    for (const object of managedIn(objects, RESOURCES[kind].assignment)) read.addAssignment(object, kind)
  const { identities, parts, diagnostics } = read
  const sets = [...read.drafts.values()].map(wholeSet)
  sets.sort((a, b) => compareText(a.set.name, b.set.name) || compareText(a.set.id, b.set.id))
  return { sets, names: namesOf(objects), identities, parts, diagnostics }
}

const managedIn = (objects: readonly StateObject[], type: string): StateObject[] =>
  objects.filter(object => object.type === type && !object.isData)

/** What was read so far: sets first, so that their parts find them. */
class ReadState {
  readonly drafts = new Map<string, SetDraft>()
  readonly identities = new Map<VariableId, string>()
  readonly parts = new Map<string, StateObject[]>()
  readonly diagnostics: Diagnostic[] = []

  addSet(object: StateObject): void {
    const id = textAt(object.values, 'id')
    if (id === undefined || !isVariableSetId(id)) this.#skip(object, 'it has no id')
    else this.drafts.set(id, { id, objects: [object], variables: [], foreign: [], targets: listedIn(object) })
  }

  addVariable(object: StateObject): void {
    const { values } = object
    // A variable of a workspace.
    if (textAt(values, 'variable_set_id') === undefined) return
    const draft = this.#draftOf(object)
    if (draft === undefined) return
    const id = textAt(values, 'id')
    const key = textAt(values, 'key')
    const category = textAt(values, 'category')
    if (id === undefined || !isVariableId(id) || key === undefined || category === undefined) {
      this.#skip(object, 'it has no id, no key or no category')
      return
    }
    draft.objects.push(object)
    if (category !== 'env' && category !== 'terraform') {
      draft.foreign.push({ id, key, category })
      return
    }
    const { value, identity, problem } = valueIn(object)
    if (identity !== undefined) this.identities.set(id, identity)
    if (problem !== undefined) this.diagnostics.push(problem)
    const description = textAt(values, 'description') ?? ''
    draft.variables.push({ id, key: `${category}/${key}`, value, description, hcl: values.hcl === true })
  }

  addAssignment(object: StateObject, kind: TargetKind): void {
    const id = textAt(object.values, RESOURCES[kind].id)
    const draft = this.#draftOf(object)
    if (draft === undefined || id === undefined || !TARGETS[kind].isId(id)) return
    draft.objects.push(object)
    draft.targets.add(id)
  }

  /** The set of a part, if the state manages it. */
  #draftOf(object: StateObject): SetDraft | undefined {
    const id = textAt(object.values, 'variable_set_id')
    const draft = id === undefined ? undefined : this.drafts.get(id)
    if (draft === undefined) append(this.parts, id !== undefined && isVariableSetId(id) ? id : '', object)
    return draft
  }

  #skip({ address }: StateObject, why: string): void {
    this.diagnostics.push(
      warning(
        'state-incomplete',
        `${address} is left out: ${why}.`,
        'It stays with Terraform, and the plan shows whether its set is then complete.',
      ),
    )
  }
}

/** A set while its parts are collected. */
interface SetDraft {
  readonly id: VariableSetId
  /** Its own block first. */
  readonly objects: [StateObject, ...StateObject[]]
  readonly variables: ObservedVariable[]
  readonly foreign: ObservedSet['foreignVariables'][number][]
  readonly targets: Set<string>
}

/** The list of a kind in the block of a set, if the provider writes one. */
const listIn = ({ values }: StateObject, kind: TargetKind): unknown => {
  const { list } = RESOURCES[kind]
  return list === undefined ? undefined : values[list]
}

const listedIn = (block: StateObject): Set<string> =>
  new Set(
    TARGET_KINDS.flatMap(kind =>
      listOf(listIn(block, kind)).filter(one => typeof one === 'string' && TARGETS[kind].isId(one)),
    ),
  )

function wholeSet({ id, objects, variables, foreign, targets }: SetDraft): StateSet {
  const [block] = objects
  const { values } = block
  const parent = textAt(values, 'parent_project_id')
  const assigned = <K extends TargetKind>(kind: K): readonly TargetIds[K][] =>
    [...targets].filter(TARGETS[kind].isId).sort(compareText)
  return {
    organization: textAt(values, 'organization'),
    set: partlyKnown({
      id,
      name: textAt(values, 'name') ?? '',
      description: textAt(values, 'description') ?? '',
      global: values.global === true,
      priority: values.priority === true,
      variables: variables.toSorted((a, b) => compareText(a.key, b.key) || compareText(a.id, b.id)),
      foreignVariables: foreign,
      ...assignmentsOf(listsOf(assigned)),
      parent: parent !== undefined && isProjectId(parent) ? parent : undefined,
    }),
    knows: TARGET_KINDS.filter(kind => assigned(kind).length > 0 || Array.isArray(listIn(block, kind))),
    objects,
  }
}

interface StateValue {
  readonly value: ObservedVariable['value']
  /** Equal exactly if the values are. A sensitive value is hashed here and kept nowhere. */
  readonly identity?: string
  readonly problem?: Diagnostic
}

function valueIn({ address, values }: StateObject): StateValue {
  const isWriteOnly = typeof values.value_wo_version === 'number'
  const text = !isWriteOnly && typeof values.value === 'string' ? values.value : undefined
  if (values.sensitive === true) {
    // The text is also empty if the provider does not know the value.
    const identity = text && createHash('sha256').update(text).digest('hex')
    return { value: { hidden: true }, ...(identity && { identity }) }
  }
  if (text !== undefined) return { value: { text } }
  const problem = warning(
    'state-incomplete',
    `${address} is readable, but the state lacks its value. It is written as external.`,
    'To manage it, write its value.',
  )
  return { value: { hidden: true }, problem }
}

/** All names in the state, because names read better than ids. */
function namesOf(objects: readonly StateObject[]): Directory {
  const named = objects.map(({ type, values }) => ({
    type,
    id: textAt(values, 'id'),
    name: textAt(values, 'name'),
  }))
  const mapped = objects.flatMap(({ type, values }) =>
    type === 'tfe_workspace_ids' && isObject(values.ids)
      ? Object.entries(values.ids).map(([name, id]) => ({ type: RESOURCES.workspaces.named, id, name }))
      : [],
  )
  const ofKind = <K extends TargetKind>(kind: K): DirectoryEntry<TargetIds[K]>[] => {
    const { isId } = TARGETS[kind]
    return [...named, ...mapped].flatMap(({ type, id, name }) =>
      type === RESOURCES[kind].named && typeof id === 'string' && isId(id) && name !== undefined
        ? { id, name }
        : [],
    )
  }
  return { workspaces: [], projects: [], ...byKind<DirectoryLists>(ofKind) }
}

const textAt = (values: JsonObject, name: string): string | undefined => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}
