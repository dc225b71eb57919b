import fc from 'fast-check'
import { compareText } from '../../src/model/diagnostic.ts'
import { NO_FIELDS, ownerOf } from '../../src/model/fields.ts'
import type { VariableKey } from '../../src/model/ids.ts'
import type {
  DesiredValue,
  DesiredVariable,
  ObservedSet,
  ObservedState,
  ObservedValue,
  ResolvedSet,
  ResolvedState,
} from '../../src/model/variable-set.ts'
import { aDesiredState, anObservedState, keyOf, SOMEWHERE } from './states.ts'
import { PROJECTS, STACKS, WORKSPACES } from './world.ts'

/** Few names and keys, so that sets conflict and exchange variables and names. */
export const KEYS: readonly VariableKey[] = ['env/A', 'env/B', 'env/C', 'terraform/A', 'terraform/B'].map(
  keyOf,
)
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const

const text = fc.constantFrom('', '1', '2', 'two words')
const description = fc.constantFrom('', 'd')
const observedValue: fc.Arbitrary<ObservedValue> = fc.oneof(
  text.map(value => ({ text: value })),
  fc.constant({ hidden: true } as const),
)
const desiredValue: fc.Arbitrary<DesiredValue> = fc.oneof(
  { weight: 5, arbitrary: text.map(value => ({ text: value })) },
  { weight: 3, arbitrary: fc.constantFrom('S', 'T').map(name => ({ secret: { name } })) },
  { weight: 1, arbitrary: fc.constant({ external: true } as const) },
)

const variables = <V>(value: fc.Arbitrary<V>) =>
  fc.uniqueArray(fc.record({ key: fc.constantFrom(...KEYS), value, description, hcl: fc.boolean() }), {
    selector: variable => variable.key,
    maxLength: KEYS.length,
  })

const settings = { description, global: fc.boolean(), priority: fc.boolean() }
const workspaces = fc.subarray([...WORKSPACES])
const projects = fc.subarray([...PROJECTS])
const stacks = fc.subarray([...STACKS])
/** Most sets belong to the organization, and a global one does. */
const parent = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...PROJECTS) },
)
/** The set of a project is assigned only inside its project, whose workspaces and Stacks `aWorld` defines. */
const inside = <
  S extends {
    workspaces?: readonly string[] | undefined
    projects?: readonly string[] | undefined
    stacks?: readonly string[] | undefined
  },
>(
  set: S,
  owner: ResolvedSet['parent'],
): S =>
  owner === undefined
    ? set
    : {
        ...set,
        ...(set.projects && { projects: set.projects.filter(id => id === owner) }),
        ...(set.workspaces && {
          workspaces: set.workspaces.filter(
            id => PROJECTS[(WORKSPACES as readonly string[]).indexOf(id) % 2] === owner,
          ),
        }),
        ...(set.stacks && { stacks: owner === PROJECTS[0] ? set.stacks : [] }),
      }
const ownerIn = ({ global, parent }: { global: boolean; parent: ResolvedSet['parent'] | undefined }) =>
  ownerOf({ parent: global ? undefined : parent })

/** A valid observed state: unique names, no key in two global sets. */
export const observedState: fc.Arbitrary<ObservedState> = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES),
      ...settings,
      parent,
      variables: variables(observedValue),
      workspaces,
      projects,
      stacks,
    }),
    { selector: set => set.name, maxLength: 5 },
  )
  .map(sets => {
    const taken = new Set<string>()
    return anObservedState(
      ...sets.map(({ parent, ...shape }, i): ObservedSet => {
        const owner = ownerIn({ ...shape, parent })
        const set = inside(shape, owner.parent)
        const kept = set.global ? set.variables.filter(variable => !taken.has(variable.key)) : set.variables
        if (set.global) for (const variable of kept) taken.add(variable.key)
        const id = `varset-${'0'.repeat(15)}${i}` as const
        return {
          ...set,
          ...owner,
          id,
          foreignVariables: [],
          workspaces: set.workspaces.toSorted(),
          projects: set.projects.toSorted(),
          variables: kept
            .toSorted((a, b) => compareText(a.key, b.key))
            .map((variable, j) => ({
              ...variable,
              hcl: variable.hcl,
              id: `var-${'0'.repeat(14)}${i}${j}` as const,
            })),
        }
      }),
    )
  })

/** Unmanaged sets, which matter only for precedence. Their names sort differently by code points and by UTF-16 units. */
export const strangers: fc.Arbitrary<ObservedSet[]> = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('o', '\u{1f600}', '\uffee', 'a owned'),
      priority: fc.boolean(),
      parent,
      workspaces,
      projects,
      stacks,
      keys: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 }),
    }),
    { selector: set => set.name, maxLength: 3 },
  )
  .map(sets =>
    sets.map(
      ({ keys, parent, ...set }, i): ObservedSet => ({
        ...set,
        id: `varset-${'1'.repeat(15)}${i}`,
        description: '',
        global: false,
        ...ownerOf({ parent: parent }),
        foreignVariables: [],
        variables: keys.map((key, j) => ({
          id: `var-${'1'.repeat(14)}${i}${j}`,
          key,
          value: { text: `${i}` },
          ...NO_FIELDS,
        })),
      }),
    ),
  )

/** What the files do with an observed set. */
const fate = fc.constantFrom('foreign', 'declared', 'declared', 'renamed', 'pinned', 'removed')

/** A desired state for an observed one: some sets declared, renamed, pinned, removed or unmanaged, and new ones. */
export const desiredFor = (observed: ObservedState): fc.Arbitrary<ResolvedState> =>
  fc
    .record({
      fates: fc.array(fate, { minLength: observed.sets.length, maxLength: observed.sets.length }),
      shapes: fc.array(
        fc.record({
          name: fc.constantFrom(...NAMES, 'g', 'h'),
          ...settings,
          parent,
          variables: variables(desiredValue),
          workspaces: fc.option(workspaces, { nil: undefined }),
          projects: fc.option(projects, { nil: undefined }),
          stacks: fc.option(stacks, { nil: undefined }),
        }),
        { minLength: observed.sets.length, maxLength: observed.sets.length + 2 },
      ),
    })
    .map(({ fates, shapes }) => {
      const used = new Set(observed.sets.filter((_, i) => fates[i] === 'foreign').map(set => set.name))
      const taken = new Set(
        observed.sets.flatMap((set, i) =>
          fates[i] === 'foreign' && set.global ? set.variables.map(variable => variable.key) : [],
        ),
      )
      const sets = shapes.flatMap((whole, i): ResolvedSet[] => {
        const set = observed.sets[i]
        const end = fates[i]
        // A set with an id keeps its owner.
        const isPinned = set !== undefined && end === 'pinned'
        const shape = isPinned
          ? { ...whole, parent: set.parent, global: whole.global && set.parent === undefined }
          : whole
        if (set !== undefined && (end === 'foreign' || end === 'removed')) return []
        const name = set !== undefined && end === 'declared' ? set.name : shape.name
        if (used.has(name)) return []
        used.add(name)
        const kept = shape.global
          ? shape.variables.filter(variable => !taken.has(variable.key))
          : shape.variables
        if (shape.global) for (const variable of kept) taken.add(variable.key)
        const owner = ownerIn(shape)
        const { workspaces, projects, stacks } = inside(shape, owner.parent)
        return [
          {
            name,
            description: shape.description,
            global: shape.global,
            priority: shape.priority,
            ...owner,
            variables: kept.map((variable): DesiredVariable => ({ ...variable, source: SOMEWHERE })),
            ...(workspaces === undefined ? {} : { workspaces }),
            ...(projects === undefined ? {} : { projects }),
            ...(stacks === undefined ? {} : { stacks }),
            ...(set !== undefined && end === 'pinned' ? { id: set.id } : {}),
            previousNames: set !== undefined && end === 'renamed' ? [set.name] : [],
            source: SOMEWHERE,
          },
        ]
      })
      const removed = observed.sets.flatMap((set, i) =>
        fates[i] === 'removed' && !sets.some(other => other.name === set.name)
          ? [{ name: set.name, source: SOMEWHERE }]
          : [],
      )
      return withNewOwners({ ...aDesiredState(...sets), removed }, observed)
    })

/** Lists sets under `removed`, by id, if the files declare one with the same or a later name and another owner. */
export function withNewOwners(desired: ResolvedState, observed: ObservedState): ResolvedState {
  const { sets } = desired
  const listed = new Set<string | undefined>(
    [...sets, ...desired.removed].flatMap(({ id, name }) => [id, name]),
  )
  const pinned = new Set(sets.map(({ id }) => id))
  const free = observed.sets.filter(({ id }) => !pinned.has(id))
  const removed = sets.flatMap(set => {
    if (set.id !== undefined) return []
    const isOurs = ({ parent }: ObservedSet): boolean => parent === set.parent
    const named = free.filter(({ name }) => name === set.name)
    const renamed = free.filter(({ name }) => set.previousNames.includes(name) && !listed.has(name))
    return [...named, ...(named.some(isOurs) ? [] : renamed)].filter(one => !isOurs(one))
  })
  return {
    ...desired,
    removed: [...desired.removed, ...removed.map(({ id }) => ({ id, source: SOMEWHERE }))],
  }
}

export const pairOfStates = observedState.chain(observed =>
  desiredFor(observed).map(desired => ({ desired, observed })),
)
