import { compareText, type SourceRange } from '../../src/model/diagnostic.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import { byKind, isVariableKey, type VariableKey } from '../../src/model/ids.ts'
import type {
  DesiredSet,
  DesiredValue,
  DesiredVariable,
  ObservedSet,
  ObservedState,
  ObservedValue,
  ObservedVariable,
  ResolvedSet,
  ResolvedState,
  TargetRefs,
} from '../../src/model/variable-set.ts'

export const SOMEWHERE: SourceRange = { path: 'sets/test.yaml', line: 1, column: 1 }

export function keyOf(text: string): VariableKey {
  if (!isVariableKey(text)) throw new TypeError(`${text} is not the key of a variable`)
  return text
}

/** The desired state with every readable value changed. */
export const withTexts = (state: ResolvedState, change: (text: string) => string): ResolvedState => ({
  ...state,
  sets: state.sets.map(set => ({
    ...set,
    variables: set.variables.map(variable =>
      'text' in variable.value ? { ...variable, value: { text: change(variable.value.text) } } : variable,
    ),
  })),
})

/** A string is a readable value; an object is the value itself. */
type Values<V> = Readonly<
  Record<string, string | (V & object) | { value: string | V; description?: string; hcl?: boolean }>
>

interface SetShape<V> {
  readonly description?: string
  readonly global?: boolean
  readonly priority?: boolean
  readonly variables?: Values<V>
}

/** `{ 'env/A': 'x', 'env/B': { secret: { name: 'S' } } }` */
export function aSet(
  name: string,
  shape: SetShape<DesiredValue> & Partial<Omit<ResolvedSet, 'variables'>> = {},
): ResolvedSet {
  const { variables, ...rest } = shape
  return {
    name,
    description: '',
    global: false,
    priority: false,
    previousNames: [],
    source: SOMEWHERE,
    ...rest,
    variables: Object.entries(variables ?? {})
      .map(([key, value]): DesiredVariable => ({ ...fields<DesiredValue>(key, value), source: SOMEWHERE }))
      .toSorted((a, b) => compareText(a.key, b.key)),
  }
}

/** The set as a file contains it, with assignments by id. */
export const asWritten = (set: ResolvedSet): DesiredSet => {
  const { workspaces: _, projects: __, stacks: ___, parent, ...rest } = set
  const project = parent === undefined ? {} : { project: { id: parent, source: SOMEWHERE } }
  return {
    ...rest,
    ...project,
    ...byKind<TargetRefs>(kind => set[kind]?.map(id => ({ id, source: SOMEWHERE }))),
  }
}

export function anObserved(
  id: string,
  name: string,
  shape: SetShape<ObservedValue> & Partial<Omit<ObservedSet, 'variables'>> = {},
): ObservedSet {
  const { variables, ...rest } = shape
  return {
    id: `varset-${id}`,
    name,
    description: '',
    global: false,
    priority: false,
    foreignVariables: [],
    workspaces: [],
    projects: [],
    ...rest,
    variables: Object.entries(variables ?? {})
      .map(
        ([key, value], i): ObservedVariable => ({
          ...fields<ObservedValue>(key, value),
          id: `var-${id}${i}`,
        }),
      )
      .toSorted((a, b) => compareText(a.key, b.key)),
  }
}

function fields<V>(key: string, given: Values<V>[string]) {
  const long = typeof given === 'object' && 'value' in given ? given : { value: given as string | V }
  const value = (typeof long.value === 'string' ? { text: long.value } : long.value) as V
  return { ...NO_FIELDS, ...long, key: keyOf(key), value }
}

export const aDesiredState = (...sets: readonly ResolvedSet[]): ResolvedState => ({
  organization: 'acme',
  owns: [],
  prune: false,
  guards: { deletions: 30, losses: 30, protect: [] },
  sets: sets.toSorted((a, b) => compareText(a.name, b.name)),
  removed: [],
  directory: { workspaces: [], projects: [] },
  files: 1,
})

export const anObservedState = (...sets: readonly ObservedSet[]): ObservedState => ({
  organization: 'acme',
  sets: sets.toSorted((a, b) => compareText(a.name, b.name)),
  pages: 1,
})
