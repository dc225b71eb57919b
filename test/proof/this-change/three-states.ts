import type { VariableSetId } from '../../../src/model/ids.ts'
import type { ObservedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../../support/states.ts'
import { WORKSPACES } from '../../support/world.ts'

/** A variable: `text:1`, `secret:S`, `external`; in the service `text:1` or `hidden`. */
export interface PlainVariable {
  value: string
  description: string
  hcl: boolean
}

export interface PlainSet {
  description: string
  global: boolean
  priority: boolean
  /** Left out: not managed. */
  workspaces: Set<string> | undefined
  variables: Map<string, PlainVariable>
}

/** A state without anything of the program: sets by name. */
export interface PlainState {
  sets: Map<string, PlainSet>
  removed: Set<string>
}

/** The files before and after a change, and the service. */
export interface Triple {
  readonly base: PlainState
  readonly head: PlainState
  readonly live: PlainState
}

const NAMES = ['a', 'b', 'c', 'd'] as const
const KEYS = ['env/A', 'env/B', 'terraform/A'] as const

/** A random triple in which most differs only a little, and nothing that the service or the loader refuses. */
export function tripleOf(seed: number): Triple {
  const random = seededRandom(seed)
  const chance = (share: number): boolean => random() < share
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const value = (): string => one(['text:1', 'text:2', 'text:3', 'secret:S', 'secret:T', 'external'])
  const aVariable = (key: string): PlainVariable => {
    const made = value()
    return { value: made, description: one(['', 'd', 'e']), hcl: isHclIn(key, made) && chance(0.3) }
  }
  const someWorkspaces = () => new Set(WORKSPACES.filter(() => chance(0.5)))
  const newSet = (): PlainSet => ({
    description: one(['', 'd', 'e']),
    global: chance(0.2),
    priority: chance(0.3),
    workspaces: chance(0.2) ? undefined : someWorkspaces(),
    variables: new Map(KEYS.filter(() => chance(0.6)).map(key => [key, aVariable(key)])),
  })
  const editVariable = (set: PlainSet): void => {
    const key = one(KEYS)
    const old = set.variables.get(key)
    if (old === undefined) set.variables.set(key, aVariable(key))
    else if (chance(0.3)) set.variables.delete(key)
    else if (chance(0.4)) set.variables.set(key, { ...old, description: one(['', 'd', 'e']) })
    else set.variables.set(key, { ...aVariable(key), description: old.description })
  }
  const editSet = (set: PlainSet): void => {
    const kind = random()
    if (kind < 0.5) editVariable(set)
    else if (kind < 0.6) set.description = one(['', 'd', 'e'])
    else if (kind < 0.67) set.global = !set.global
    else if (kind < 0.74) set.priority = !set.priority
    else if (set.workspaces === undefined) set.workspaces = someWorkspaces()
    else if (chance(0.1)) set.workspaces = undefined
    else {
      const id = one(WORKSPACES)
      if (!set.workspaces.delete(id)) set.workspaces.add(id)
    }
  }
  const edit = (state: PlainState, times: number): void => {
    for (let turn = 0; turn < times; turn++) {
      const name = one(NAMES)
      const set = state.sets.get(name)
      if (set === undefined) {
        state.sets.set(name, newSet())
        state.removed.delete(name)
      } else if (chance(0.1)) {
        state.sets.delete(name)
        if (chance(0.8)) state.removed.add(name)
      } else editSet(set)
    }
  }
  const base: PlainState = { sets: new Map(), removed: new Set() }
  for (const name of NAMES)
    if (chance(0.75)) base.sets.set(name, newSet())
    else if (chance(0.3)) base.removed.add(name)
  valid(base)
  const head = copied(base)
  edit(head, Math.floor(random() * 4))
  valid(head)
  const live = inService(copied(chance(0.8) ? base : head), chance)
  for (const name of base.removed) if (chance(0.5)) live.sets.set(name, inServiceSet(newSet(), chance))
  edit(live, Math.floor(random() * 4))
  for (const set of live.sets.values()) inServiceSet(set, chance)
  live.removed.clear()
  valid(live)
  return { base, head, live }
}

const isHclIn = (key: string, value: string): boolean =>
  key.startsWith('terraform/') && value.startsWith('text:')

const copied = ({ sets, removed }: PlainState): PlainState => ({
  sets: new Map(
    [...sets].map(([name, set]) => [
      name,
      {
        ...set,
        workspaces: set.workspaces && new Set(set.workspaces),
        variables: new Map([...set.variables].map(([key, one]) => [key, { ...one }])),
      },
    ]),
  ),
  removed: new Set(removed),
})

function inService(state: PlainState, chance: (share: number) => boolean): PlainState {
  for (const set of state.sets.values()) inServiceSet(set, chance)
  return state
}

/** As a service has it: assignments always, no references, and external variables only if somebody created them. */
function inServiceSet(set: PlainSet, chance: (share: number) => boolean): PlainSet {
  set.workspaces ??= new Set(WORKSPACES.filter(() => chance(0.3)))
  for (const [key, one] of set.variables)
    if (one.value === 'external' && chance(0.3)) set.variables.delete(key)
    else if (one.value === 'external') one.value = chance(0.5) ? 'hidden' : 'text:9'
    else if (one.value.startsWith('secret:')) one.value = 'hidden'
  return set
}

/** No key is in two global sets. */
function valid({ sets }: PlainState): void {
  const held = new Set<string>()
  for (const set of sets.values()) {
    if (!set.global) continue
    for (const key of [...set.variables.keys()])
      if (held.has(key)) set.variables.delete(key)
      else held.add(key)
  }
}

/** The files as the loader returns them. */
export const filesOf = ({ sets, removed }: PlainState): ResolvedState => ({
  ...aDesiredState(
    ...[...sets].map(([name, { variables, workspaces, ...settings }]) =>
      aSet(name, {
        ...settings,
        ...(workspaces && { workspaces: [...workspaces].sort() as `ws-${string}`[] }),
        variables: Object.fromEntries(
          [...variables].map(([key, { value, ...fields }]) => [
            key,
            {
              ...fields,
              value: value.startsWith('text:')
                ? value.slice(5)
                : value === 'external'
                  ? ({ external: true } as const)
                  : { secret: { name: value.slice(7) } },
            },
          ]),
        ),
      }),
    ),
  ),
  removed: [...removed].sort().map(name => ({ name, source: SOMEWHERE })),
})

/** The sets as the service has them. */
export const setsOf = ({ sets }: PlainState): ObservedSet[] =>
  [...sets].map(([name, { variables, workspaces = [], ...settings }]) => {
    const id: VariableSetId = `varset-${name.padStart(16, '0')}`
    const set = anObserved(name.padStart(16, '0'), name, {
      ...settings,
      workspaces: [...workspaces].sort() as `ws-${string}`[],
      variables: Object.fromEntries(
        [...variables].map(([key, { value, ...fields }]) => [
          key,
          { ...fields, value: value === 'hidden' ? ({ hidden: true } as const) : value.slice(5) },
        ]),
      ),
    })
    return {
      ...set,
      id,
      variables: set.variables.map((one, at) => ({
        ...one,
        id: `var-${name.padStart(15, '0')}${at}` as const,
      })),
    }
  })

/** Observed sets as plain ones. */
export const plainOf = (sets: readonly ObservedSet[]): PlainState => ({
  sets: new Map(
    sets.map(({ name, description, global, priority, workspaces, variables }) => [
      name,
      {
        description,
        global,
        priority,
        workspaces: new Set<string>(workspaces),
        variables: new Map(
          variables.map(one => [
            one.key,
            {
              value: 'text' in one.value ? `text:${one.value.text}` : 'hidden',
              description: one.description,
              hcl: one.hcl,
            },
          ]),
        ),
      },
    ]),
  ),
  removed: new Set(),
})

/** What a change has to do, computed part by part from three plain states. */
export interface Expected {
  /** One for each thing that is written: `a env/A value`. Sorted. */
  readonly writes: readonly string[]
  /** What somebody changed and the change edits as well: `a env/A`. Sorted. */
  readonly overwritten: readonly string[]
  /** One for each set: `a differs env/A,description`. Sorted. */
  readonly drift: readonly string[]
  /** The service afterwards. */
  readonly outcome: PlainState
  /** Why the change cannot be made alone: the codes of the errors. */
  readonly needs: readonly string[]
}

/** The naive computation: no operations, no order, no matching. */
export function expectedOf({ base, head, live }: Triple): Expected {
  const writes: string[] = []
  const drift: string[] = []
  const overwritten: string[] = []
  const needs: string[] = []
  const outcome = copied(live)
  for (const name of NAMES) {
    const [was, wanted, there] = [base, head, live].map(({ sets }) => sets.get(name))
    if (wanted === undefined) {
      if (there === undefined || !head.removed.has(name)) continue
      if (base.removed.has(name)) drift.push(`${name} remains`)
      else {
        writes.push(`${name} deleted`)
        outcome.sets.delete(name)
      }
    } else if (there === undefined) {
      if (was === undefined) {
        writes.push(`${name} created`)
        outcome.sets.set(name, created(wanted))
      } else {
        drift.push(`${name} missing`)
        if (textOf(was) !== textOf(wanted)) needs.push('needs-drift')
      }
    } else {
      const merged = mergedSet(was, wanted, there)
      writes.push(...merged.writes.map(text => `${name} ${text}`))
      overwritten.push(...merged.overwritten.map(text => `${name} ${text}`))
      if (merged.drift.length > 0) drift.push(`${name} differs ${merged.drift.sort().join()}`)
      outcome.sets.set(name, merged.outcome)
    }
  }
  if (hasConflict(outcome)) needs.push('global-conflict')
  return { writes: writes.sort(), overwritten: overwritten.sort(), drift: drift.sort(), outcome, needs }
}

const created = (set: PlainSet): PlainSet => ({
  ...set,
  workspaces: set.workspaces ?? new Set(),
  variables: new Map(
    [...set.variables].flatMap(([key, one]) => (one.value === 'external' ? [] : [[key, seen(one)] as const])),
  ),
})

/** A variable as the service shows it. */
const seen = (one: PlainVariable): PlainVariable => ({
  ...one,
  value: one.value.startsWith('secret:') ? 'hidden' : one.value,
})

function mergedSet(was: PlainSet | undefined, wanted: PlainSet, there: PlainSet) {
  const writes: string[] = []
  const overwritten: string[] = []
  const drift: string[] = []
  const outcome: PlainSet = {
    ...there,
    workspaces: new Set(there.workspaces),
    variables: new Map(there.variables),
  }
  for (const name of ['description', 'global', 'priority'] as const) {
    if (there[name] === wanted[name]) continue
    if (was !== undefined && was[name] === wanted[name]) drift.push(name)
    else {
      writes.push(name)
      if (was !== undefined && was[name] !== there[name]) overwritten.push(name)
      Object.assign(outcome, { [name]: wanted[name] })
    }
  }
  if (wanted.workspaces !== undefined)
    for (const id of WORKSPACES) {
      const isWanted = wanted.workspaces.has(id)
      if (isWanted === there.workspaces?.has(id)) continue
      if (was?.workspaces !== undefined && was.workspaces.has(id) === isWanted) drift.push(id)
      else {
        writes.push(`${id} ${isWanted ? 'assigned' : 'unassigned'}`)
        if (isWanted) outcome.workspaces?.add(id)
        else outcome.workspaces?.delete(id)
      }
    }
  for (const key of KEYS) {
    const [before, after, now] = [was, wanted, there].map(set => set?.variables.get(key))
    const merged = mergedVariable(was !== undefined, before, after, now)
    writes.push(...merged.writes.map(text => `${key} ${text}`))
    if (merged.isDrift) drift.push(key)
    if (was !== undefined && isOverwritten(before, now, merged.writes)) overwritten.push(key)
    if (merged.outcome === undefined) outcome.variables.delete(key)
    else outcome.variables.set(key, merged.outcome)
  }
  return { writes, drift, overwritten, outcome }
}

/** Whether something is written that is not as in the base any more. */
function isOverwritten(
  was: PlainVariable | undefined,
  there: PlainVariable | undefined,
  writes: readonly string[],
): boolean {
  if (there === undefined || writes.length === 0) return false
  if (was === undefined) return true
  const isOtherValue = was.value !== 'external' && (seen(was).value !== there.value || was.hcl !== there.hcl)
  const isOtherDescription = was.description !== there.description
  if (writes.includes('deleted')) return isOtherValue || isOtherDescription
  return (writes.includes('value') && isOtherValue) || (writes.includes('description') && isOtherDescription)
}

function mergedVariable(
  isKnown: boolean,
  was: PlainVariable | undefined,
  wanted: PlainVariable | undefined,
  there: PlainVariable | undefined,
): { writes: string[]; isDrift: boolean; outcome: PlainVariable | undefined } {
  const none = { writes: [], isDrift: false, outcome: there }
  if (wanted === undefined) {
    if (there === undefined) return none
    if (isKnown && was === undefined) return { ...none, isDrift: true }
    return { writes: ['deleted'], isDrift: false, outcome: undefined }
  }
  const editsValue = was === undefined || was.value !== wanted.value || was.hcl !== wanted.hcl
  const editsDescription = was === undefined || was.description !== wanted.description
  if (there === undefined) {
    if (wanted.value === 'external') return none
    if (!editsValue && !editsDescription) return { ...none, isDrift: true }
    return { writes: ['created'], isDrift: false, outcome: seen(wanted) }
  }
  const isOtherValue =
    wanted.value !== 'external' && (seen(wanted).value !== there.value || wanted.hcl !== there.hcl)
  const isOtherDescription = wanted.description !== there.description
  const writesDescription = editsDescription && isOtherDescription
  // Nobody sees whether a secret is another one. It is sent only with its description.
  const sendsSecret = editsValue && wanted.value.startsWith('secret:') && (writesDescription || isOtherValue)
  const writesValue = (editsValue && isOtherValue) || sendsSecret
  return {
    writes: [...(writesValue ? ['value'] : []), ...(writesDescription ? ['description'] : [])],
    isDrift: (!editsValue && isOtherValue) || (!editsDescription && isOtherDescription),
    outcome: {
      value: writesValue ? seen(wanted).value : there.value,
      hcl: writesValue ? wanted.hcl : there.hcl,
      description: writesDescription ? wanted.description : there.description,
    },
  }
}

function hasConflict({ sets }: PlainState): boolean {
  const held = [...sets.values()].flatMap(set => (set.global ? [...set.variables.keys()] : []))
  return new Set(held).size < held.length
}

/** The text of a state, to compare two. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (one instanceof Map) return [...one].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    if (one instanceof Set) return [...one].sort()
    const isRecord = typeof one === 'object' && one !== null && !Array.isArray(one)
    return isRecord ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one
  })
