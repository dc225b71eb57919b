import type { ObservedSet, ObservedState } from '../../src/model/variable-set.ts'
import type { Operation } from '../../src/plan/operation.ts'
import type { Plan } from '../../src/plan/plan-data.ts'

/**
 * * The effective variables of a workspace, computed like the table of docs/workspaces.md#who-wins: each way in which a set reaches it is a
 * * row, the rows are sorted, and the first row of a key wins. Slow, and independent of the code that it checks.
 */
const TABLE = [
  'priority organization global',
  'priority organization project',
  'priority organization workspace',
  'priority project project',
  'priority project workspace',
  'plain project workspace',
  'plain project project',
  'plain organization workspace',
  'plain organization project',
  'plain organization global',
]

export interface Seen {
  readonly set: string
  readonly name: string
  readonly secret: boolean
  readonly text: string
  readonly hcl: boolean
  /** The id of the variable. */
  readonly variable: string
}

/** A variable of a set as a workspace receives it. The row with the least `order` wins. */
export interface Row {
  readonly key: string
  readonly order: readonly number[]
  readonly seen: Seen
}

export function rowsOf(set: ObservedSet, workspace: string | undefined, project: string | undefined): Row[] {
  const ids = (list: readonly string[]): readonly string[] => list
  const ways = [
    ...(set.global ? ['global'] : []),
    ...(workspace !== undefined && ids(set.workspaces).includes(workspace) ? ['workspace'] : []),
    ...(project !== undefined && ids(set.projects).includes(project) ? ['project'] : []),
  ]
  const kind = `${set.priority ? 'priority' : 'plain'} ${set.parent === undefined ? 'organization' : 'project'}`
  return ways.flatMap(way =>
    set.variables.map(variable => ({
      key: variable.key,
      order: [TABLE.indexOf(`${kind} ${way}`), ...codePoints(set.name), END_OF_NAME, ...codePoints(set.id)],
      seen: {
        set: set.id,
        name: set.name,
        secret: 'hidden' in variable.value,
        text: 'text' in variable.value ? variable.value.text : '',
        hcl: variable.hcl,
        variable: variable.id,
      },
    })),
  )
}

export function seenBy(
  sets: readonly ObservedSet[],
  workspace: string | undefined,
  project: string | undefined,
): Map<string, Seen> {
  const rows = sets.flatMap(set => rowsOf(set, workspace, project))
  rows.sort((a, b) => lexical(a.order, b.order))
  const winners = new Map<string, Seen>()
  for (const { key, seen } of rows.toReversed()) winners.set(key, seen)
  return winners
}

const codePoints = (text: string): number[] => [...text].map(letter => letter.codePointAt(0) ?? 0)

/** Less than any letter: a name comes before every longer one that begins with it. */
const END_OF_NAME = -1

export function lexical(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index])
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1)
}

/** The sets after every operation of a plan, one after the other. Secrets are references of the plan. */
export function performed({ sets }: ObservedState, { steps }: Pick<Plan, 'steps'>): ObservedSet[] {
  return steps.reduce((now, { operation }) => performOne(now, operation), [...sets])
}

type Sent = Extract<Operation, { type: 'create-set' }>['after']['variables'][number]

const written = ({ value, ...variable }: Sent, id: string): ObservedSet['variables'][number] => ({
  ...variable,
  id: `var-${id}`,
  value: 'text' in value ? { text: value.text } : { hidden: true },
})

function performOne(sets: ObservedSet[], operation: Operation): ObservedSet[] {
  if (operation.type === 'create-set') {
    const { variables, workspaces, projects, ...settings } = operation.after
    const id = `varset-new ${operation.subject.name}` as const
    const created: ObservedSet = {
      ...settings,
      id,
      variables: variables.map(variable => written(variable, variable.key)),
      foreignVariables: [],
      workspaces,
      projects,
    }
    return [...sets, created]
  }
  if (operation.type === 'delete-set') return sets.filter(({ id }) => id !== operation.subject.id)
  return sets.map(set => (set.id === operation.subject.id ? changed(set, operation) : set))
}

type Inside = Exclude<Operation, { type: 'create-set' | 'delete-set' }>

function changed(set: ObservedSet, operation: Inside): ObservedSet {
  switch (operation.type) {
    case 'update-set':
      return { ...set, ...operation.after }
    case 'create-variable':
      return { ...set, variables: [...set.variables, written(operation.after, operation.after.key)] }
    case 'delete-variable':
      return { ...set, variables: set.variables.filter(({ id }) => id !== operation.variableId) }
    case 'update-variable':
      return {
        ...set,
        variables: set.variables.map(variable => {
          if (variable.id !== operation.variableId) return variable
          const after = written(operation.after, variable.id)
          return 'external' in operation.after.value
            ? { ...after, value: variable.value, id: variable.id }
            : { ...after, id: variable.id }
        }),
      }
    case 'assign':
    case 'unassign': {
      const { kind, ids } = operation.targets
      const others = ((set[kind] ?? []) as readonly string[]).filter(
        id => !(ids as readonly string[]).includes(id),
      )
      return { ...set, [kind]: operation.type === 'assign' ? [...others, ...ids] : others }
    }
  }
}
