/** A second, simplest implementation of the rules of the interface, to check the sandbox. */

export interface Draft {
  readonly key: string
  readonly category: 'env' | 'terraform'
  readonly value: string
  readonly sensitive: boolean
}

export interface ModelVariable extends Draft {
  readonly name: number
}

export interface ModelSet {
  readonly name: string
  readonly global: boolean
  readonly priority: boolean
  readonly variables: readonly ModelVariable[]
  readonly workspaces: readonly number[]
  readonly projects: readonly number[]
}

export type Command =
  | {
      readonly type: 'create'
      readonly name: string
      readonly global: boolean
      readonly priority: boolean
      readonly variables: readonly Draft[]
      readonly workspaces: readonly number[]
    }
  | {
      readonly type: 'update'
      readonly set: number
      readonly name?: string | undefined
      readonly global?: boolean | undefined
      readonly priority?: boolean | undefined
      readonly variables?: readonly Draft[] | undefined
      readonly workspaces?: readonly number[] | undefined
    }
  | { readonly type: 'delete'; readonly set: number }
  | { readonly type: 'add'; readonly set: number; readonly variable: Draft }
  | {
      readonly type: 'change'
      readonly set: number
      readonly variable: number
      readonly to: { readonly [Name in keyof Draft]?: Draft[Name] | undefined }
    }
  | { readonly type: 'drop'; readonly set: number; readonly variable: number }
  | {
      readonly type: 'assign' | 'unassign'
      readonly set: number
      readonly kind: 'workspaces' | 'projects'
      readonly targets: readonly number[]
    }

/** Sets and variables by a number in order of creation. Numbers of deleted ones are not reused. */
export type Model = ReadonlyMap<number, ModelSet>

export interface Step {
  readonly status: 200 | 204 | 404 | 422
  readonly model: Model
}

/** The expected effect of a command. A new set has the number `next`, and its variables the following ones. */
export function step(model: Model, command: Command, next: number): Step {
  const named = (drafts: readonly Draft[]) =>
    drafts.map((draft, index) => ({ ...draft, name: next + 1 + index }))
  if (command.type === 'create') {
    const { name, global, priority, workspaces } = command
    const set = { name, global, priority, variables: named(command.variables), workspaces, projects: [] }
    return put(model, next, set, 200)
  }
  const set = model.get(command.set)
  if (set === undefined) return { status: 404, model }
  const into = (changed: Partial<ModelSet>, status: 200 | 204 = 200) =>
    put(model, command.set, { ...set, ...changed }, status)
  switch (command.type) {
    case 'update':
      return into({
        name: command.name ?? set.name,
        global: command.global ?? set.global,
        priority: command.priority ?? false,
        variables: [...set.variables, ...named(command.variables ?? [])],
        workspaces: command.workspaces ?? set.workspaces,
      })
    case 'delete':
      return { status: 204, model: new Map([...model].filter(([number]) => number !== command.set)) }
    case 'add':
      return into({ variables: [...set.variables, ...named([command.variable])] })
    case 'change':
    case 'drop': {
      const before = set.variables.find(one => one.name === command.variable)
      if (before === undefined) return { status: 404, model }
      if (command.type === 'drop')
        return into({ variables: set.variables.filter(one => one !== before) }, 204)
      const said = Object.fromEntries(Object.entries(command.to).filter(([, value]) => value !== undefined))
      const after: ModelVariable = { ...before, ...said }
      if (before.sensitive && (!after.sensitive || after.key !== before.key)) return { status: 422, model }
      return into({ variables: set.variables.map(one => (one === before ? after : one)) })
    }
    case 'assign':
      return into({ [command.kind]: [...new Set([...set[command.kind], ...command.targets])] }, 204)
    case 'unassign':
      return into({ [command.kind]: set[command.kind].filter(one => !command.targets.includes(one)) }, 204)
  }
}

function put(model: Model, number: number, set: ModelSet, status: 200 | 204): Step {
  const after = new Map([...model, [number, set]])
  return isLegal(after) ? { status, model: after } : { status: 422, model }
}

/** No duplicate name, and no duplicate key and category in a set or among global sets (docs/service.md 1.2). */
function isLegal(model: Model): boolean {
  const sets = [...model.values()]
  const slots = (some: readonly ModelSet[]) =>
    some.flatMap(set => set.variables.map(one => `${one.category}/${one.key}`))
  return (
    isDistinct(sets.map(set => set.name)) &&
    sets.every(set => isDistinct(slots([set]))) &&
    isDistinct(slots(sets.filter(set => set.global)))
  )
}

const isDistinct = (texts: readonly string[]) => new Set(texts).size === texts.length
