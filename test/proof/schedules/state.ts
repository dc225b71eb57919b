import type { DesiredVariable, ResolvedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import type { SandboxSeed, SetSeed, VariableSeed } from '../../../src/sandbox/index.ts'
import { secretText } from './case.ts'

/** The state of an organization for the judge: managed sets without ids, and all others unchanged. */
export interface Held {
  /** One text for each set, sorted. */
  readonly managed: readonly string[]
  /** Names that our inventory lists. */
  readonly listed: readonly string[]
  readonly foreign: string
  readonly duplicates: readonly string[]
}

/** Ids of live sets before the first run. */
export interface Parts {
  /** Sets that the files do not mention. */
  readonly foreign: ReadonlySet<string>
  /** Sets that the files change and that keep their ids. */
  readonly kept: ReadonlySet<string>
  /** The name of our own inventory. */
  readonly inventory?: string
}

const knownHeld = new WeakMap<SandboxSeed, Held>()

/** Cached, because a snapshot always has the same parts. */
export function held(snapshot: SandboxSeed, parts: Parts): Held {
  const known = knownHeld.get(snapshot) ?? heldIn(snapshot, parts)
  knownHeld.set(snapshot, known)
  return known
}

function heldIn(snapshot: SandboxSeed, { foreign, kept, inventory }: Parts): Held {
  const sets = snapshot.sets ?? []
  const managed = sets.filter(set => !foreign.has(set.id ?? '') && set.name !== inventory)
  return {
    managed: managed.map(set => knownText(set, setText)).sort(),
    listed: listedIn(inventory, sets),
    foreign:
      JSON.stringify(sets.filter(set => foreign.has(set.id ?? ''))) +
      foreignVariables(managed.filter(set => kept.has(set.id ?? ''))),
    duplicates: [...repeated(sets.map(set => set.name)), ...sets.flatMap(doubleKeys)],
  }
}

const texts = new WeakMap<SetSeed, string>()

function knownText(set: SetSeed, textOf: (set: SetSeed) => string): string {
  const text = texts.get(set) ?? textOf(set)
  texts.set(set, text)
  return text
}

function listedIn(inventory: string | undefined, sets: readonly SetSeed[]): string[] {
  if (inventory === undefined) return []
  const entries = sets.filter(set => set.name === inventory).flatMap(set => set.variables ?? [])
  // An entry of a deleted set has no effect, and the next run removes it.
  return entries.flatMap(({ key }) => sets.find(({ id }) => id === key)?.name ?? []).sort()
}

const setText = (set: SetSeed): string =>
  JSON.stringify({
    name: set.name,
    parent: set.parent,
    description: set.description ?? '',
    global: set.global === true,
    priority: set.priority === true,
    workspaces: [...(set.workspaces ?? [])].sort(),
    projects: [...(set.projects ?? [])].sort(),
    stacks: [...(set.stacks ?? [])].sort(),
    variables: (set.variables ?? []).filter(known).map(variableText).sort(),
  })

const known = ({ category }: VariableSeed): boolean => category === 'env' || category === 'terraform'

/** `hcl` has no effect under `env` (docs/service.md 2.2). */
const variableText = (variable: VariableSeed): string =>
  JSON.stringify([
    `${variable.category}/${variable.key}`,
    variable.value ?? '',
    variable.description ?? '',
    variable.category !== 'env' && variable.hcl === true,
    variable.sensitive === true,
  ])

/** Variables of an unknown category, in managed sets. */
const foreignVariables = (sets: readonly SetSeed[]): string =>
  JSON.stringify(
    sets
      .flatMap(set =>
        (set.variables ?? []).filter(variable => !known(variable)).map(one => ({ set: set.id, ...one })),
      )
      .sort((a, b) => ((a.set ?? '') < (b.set ?? '') ? -1 : 1)),
  )

const doubleKeys = (set: SetSeed): string[] =>
  repeated((set.variables ?? []).map(({ category, key }) => `${set.name}: ${category}/${key}`))

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.filter(name => seen.size === seen.add(name).size)
}

/** The live set of a desired one, found without the code of the planner. */
export function partnerOf(
  set: ResolvedSet,
  desired: ResolvedState,
  live: readonly SetSeed[],
): SetSeed | undefined {
  if (set.id !== undefined) return live.find(other => other.id === set.id)
  const mentioned = new Set<string | undefined>([...desired.sets, ...desired.removed].map(other => other.id))
  const named = (name: string) =>
    live.find(other => other.name === name && other.parent === set.parent && !mentioned.has(other.id))
  const declared = new Set(desired.sets.map(other => other.name))
  return (
    named(set.name) ??
    set.previousNames
      .filter(name => !declared.has(name))
      .map(named)
      .find(found => found)
  )
}

export function allItemsOf({ sets: live = [] }: SandboxSeed, desired: ResolvedState): Parts {
  const kept = new Set(desired.sets.map(set => partnerOf(set, desired, live)))
  const removed = desired.removed.map(({ name, id }) =>
    live.find(set => !kept.has(set) && (id === undefined ? set.name === name : set.id === id)),
  )
  const inventory = desired.owner === undefined ? undefined : `setpoint-inventory-${desired.owner}`
  const own = live.find(({ name }) => name === inventory)
  const listed = new Set(desired.prune ? (own?.variables ?? []).map(({ key }) => key) : [])
  const ours = new Set([...kept, ...removed, own, ...live.filter(({ id }) => listed.has(id ?? ''))])
  const idsOf = (sets: readonly (SetSeed | undefined)[]) => new Set(sets.flatMap(set => set?.id ?? []))
  return {
    foreign: idsOf(live.filter(set => !ours.has(set))),
    kept: idsOf([...kept]),
    ...(inventory === undefined ? {} : { inventory }),
  }
}

/** The managed sets in the end, computed from the states alone. */
export function expectedManaged(seed: SandboxSeed, desired: ResolvedState): readonly string[] {
  return desired.sets
    .map(set => {
      const live = partnerOf(set, desired, seed.sets ?? [])
      return setText({
        name: set.name,
        ...(set.parent === undefined ? {} : { parent: set.parent }),
        description: set.description,
        global: set.global,
        priority: set.priority,
        workspaces: set.workspaces ?? live?.workspaces ?? [],
        projects: set.projects ?? live?.projects ?? [],
        stacks: set.stacks ?? live?.stacks ?? [],
        variables: set.variables.flatMap(variable => expectedVariable(variable, live)),
      })
    })
    .sort()
}

export const expectedListed = ({ owner, sets }: ResolvedState): string =>
  owner === undefined
    ? ''
    : sets
        .map(({ name }) => name)
        .sort()
        .join(', ')

function expectedVariable(wanted: DesiredVariable, set: SetSeed | undefined): VariableSeed[] {
  const [category = '', ...rest] = wanted.key.split('/')
  const key = rest.join('/')
  const live = set?.variables?.find(variable => variable.category === category && variable.key === key)
  const { description, hcl, value } = wanted
  if ('external' in value) {
    if (live === undefined) return []
    // The file decides about HCL if the value is readable. Otherwise it does not change.
    return [{ ...live, description, hcl: live.hcl === true || (hcl && live.sensitive !== true) }]
  }
  if ('text' in value) return [{ category, key, description, hcl, value: value.text, sensitive: false }]
  const sameHcl = category === 'env' || (live?.hcl ?? false) === hcl
  const isKept = live?.sensitive === true && sameHcl && (live.description ?? '') === description
  return [
    {
      category,
      key,
      description,
      hcl,
      sensitive: true,
      value: isKept ? (live.value ?? '') : secretText(value.secret.name),
    },
  ]
}
