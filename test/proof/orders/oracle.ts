import type { ObservedSet, ObservedState } from '../../../src/model/variable-set.ts'
import type { Operation } from '../../../src/plan/operation.ts'
import type { Plan, Step } from '../../../src/plan/plan-data.ts'
import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import { lexical, type Row, rowsOf } from '../../support/reference.ts'

/**
 * What every workspace sees after every set of finished steps that a plan permits, computed from the operations alone. Slow,
 * and shares nothing with the code that it checks.
 */

/** Workspaces with their projects. */
export type Places = readonly (readonly [workspace: string, project: string | undefined])[]

/** The sets of the service at one moment. Hidden values are distinguished by the operation that wrote them. */
type Moment = readonly ObservedSet[]

/** `workspace key` with the value and the set that provides it. */
export type View = ReadonlyMap<string, { readonly value: string; readonly set: string }>

export function viewOf(sets: Moment, places: Places): View {
  const winners = new Map<string, Row>()
  for (const set of sets)
    for (const [place, row] of rowsAt(set, places)) {
      const other = winners.get(place)
      if (other === undefined || lexical(row.order, other.order) < 0) winners.set(place, row)
    }
  return new Map(
    [...winners].map(([place, { key, seen }]) => {
      const hcl = seen.hcl && key.startsWith('terraform/')
      const value = seen.secret ? `secret ${seen.set} ${seen.variable}` : `${hcl} ${seen.text}`
      return [place, { value, set: seen.set }]
    }),
  )
}

/** Cached, because two successive moments differ in one set only. */
const known = new WeakMap<ObservedSet, readonly (readonly [string, Row])[]>()

function rowsAt(set: ObservedSet, places: Places): readonly (readonly [string, Row])[] {
  const rows =
    known.get(set) ??
    places.flatMap(([workspace, project]) =>
      rowsOf(set, workspace, project).map(row => [`${workspace} ${row.key}`, row] as const),
    )
  known.set(set, rows)
  return rows
}

/** Every set of finished steps, as bits, with the moment after them. */
export function cutsOf(observed: ObservedState, steps: readonly Step[]): Map<number, Moment> {
  const bitOf = new Map(steps.map(({ id }, bit) => [id, bit]))
  const waits = steps.map(({ after }) =>
    after.reduce((mask, { step }) => mask | (1 << (bitOf.get(step) ?? 0)), 0),
  )
  const cuts = new Map<number, Moment>([[0, observed.sets]])
  for (const [mask, moment] of cuts)
    for (const [bit, { operation }] of steps.entries()) {
      const next = mask | (1 << bit)
      if (next === mask || (mask & (waits[bit] ?? 0)) !== waits[bit] || cuts.has(next)) continue
      cuts.set(next, performedOn(moment, operation))
    }
  return cuts
}

/** The name of a set, as operations have it. */
type NameOf = (id: string | undefined) => string

/** A deleted set has the name that its operation has, which differs from that of a new set. */
function namesOf({ sets }: ObservedState, end: Moment, { steps }: Pick<Plan, 'steps'>): NameOf {
  const names = new Map<string, string>([...sets, ...end].map(({ id, name }) => [id, name]))
  for (const { operation } of steps)
    if (operation.type === 'delete-set') names.set(operation.subject.id, operation.subject.name)
  return id => names.get(id ?? '') ?? 'nothing'
}

/** `workspace key: set`, for each value that is neither old nor new. */
export function gapsIn(before: View, after: View, seen: View, nameOf: NameOf): string[] {
  const places = new Set([...before.keys(), ...after.keys(), ...seen.keys()])
  return [...places].flatMap(place => {
    const [was, is, now] = [before.get(place)?.value, after.get(place)?.value, seen.get(place)?.value]
    return now === was || now === is ? [] : [`${place}: ${nameOf(seen.get(place)?.set)}`]
  })
}

/**
 * Every value, neither old nor new, that the order of a plan permits, sorted. `outside`: those that are also seen before the first step
 * of the named gap, or after the second.
 */
export function allGaps(
  observed: ObservedState,
  { steps, facts }: Plan,
  places: Places,
): { readonly seen: string[]; readonly outside: string[] } {
  const cuts = cutsOf(observed, steps)
  const [before, after] = [0, (1 << steps.length) - 1].map(mask => viewOf(cuts.get(mask) ?? [], places))
  if (before === undefined || after === undefined) return { seen: [], outside: [] }
  const nameOf = namesOf(observed, cuts.get((1 << steps.length) - 1) ?? [], { steps })
  const bitOf = new Map(steps.map(({ id }, bit) => [id, 1 << bit]))
  const isOpen = (gap: string, mask: number): boolean =>
    facts.transition.gaps.some(
      ({ workspaces, key, seen, between: [first, last] }) =>
        workspaces.some(id => gap === `${id} ${key}: ${seen?.set ?? 'nothing'}`) &&
        (mask & (bitOf.get(first) ?? 0)) !== 0 &&
        (mask & (bitOf.get(last) ?? 0)) === 0,
    )
  const [found, outside] = [new Set<string>(), new Set<string>()]
  for (const [mask, moment] of cuts)
    for (const gap of gapsIn(before, after, viewOf(moment, places), nameOf)) {
      found.add(gap)
      if (!isOpen(gap, mask)) outside.add(gap)
    }
  return { seen: [...found].toSorted(), outside: [...outside].toSorted() }
}

/** The gaps that a plan names, in the same format. */
export const namedGaps = ({ facts }: Plan): string[] =>
  [
    ...new Set(
      facts.transition.gaps.flatMap(({ workspaces, key, seen }) =>
        workspaces.map(id => `${id} ${key}: ${seen?.set ?? 'nothing'}`),
      ),
    ),
  ].toSorted()

/** The service after one operation. */
export function performedOn(sets: Moment, operation: Operation): Moment {
  if (operation.type === 'create-set') {
    const { variables, others: _, ...contents } = operation.after
    const id = `varset-new ${operation.subject.name}` as const
    const created: ObservedSet = {
      ...contents,
      id,
      variables: variables.map(variable => sent(variable, `var-${variable.key}`)),
      foreignVariables: [],
    }
    return [...sets, created]
  }
  const { id } = operation.subject
  if (operation.type === 'delete-set') return sets.filter(set => set.id !== id)
  return sets.map(set => (set.id === id ? changed(set, operation) : set))
}

type Sent = Extract<Operation, { type: 'create-set' }>['after']['variables'][number]
type Held = ObservedSet['variables'][number]

/** The id of the variable distinguishes a secret of this run from an old one. */
const sent = ({ value, ...variable }: Sent, id: `var-${string}`): Held => ({
  ...variable,
  id,
  value: 'text' in value ? { text: value.text } : { hidden: true },
})

type Inside = Exclude<Operation, { type: 'create-set' | 'delete-set' }>

function changed(set: ObservedSet, operation: Inside): ObservedSet {
  switch (operation.type) {
    case 'update-set':
      return { ...set, ...operation.after }
    case 'create-variable': {
      const { after } = operation
      return { ...set, variables: [...set.variables, sent(after, `var-${after.key}`)] }
    }
    case 'delete-variable':
      return { ...set, variables: set.variables.filter(({ id }) => id !== operation.variableId) }
    case 'update-variable': {
      const { variableId, after } = operation
      return {
        ...set,
        variables: set.variables.map(variable => {
          if (variable.id !== variableId) return variable
          const written = sent(after, variableId)
          if ('external' in after.value) return { ...written, value: variable.value }
          return 'secret' in after.value ? { ...written, id: `${variableId} written` } : written
        }),
      }
    }
    case 'assign':
    case 'unassign': {
      const { kind, ids } = operation.targets
      const had: readonly string[] = set[kind] ?? []
      const others = had.filter(id => !(ids as readonly string[]).includes(id))
      return { ...set, [kind]: operation.type === 'assign' ? [...others, ...ids] : others }
    }
  }
}

/** Every value that is neither old nor new, in some random orders of a plan, sorted. */
export function gapsOnTheWay(
  observed: ObservedState,
  { steps }: Pick<Plan, 'steps'>,
  places: Places,
  seed: number,
  walks: number,
): string[] {
  const random = seededRandom(seed)
  const before = viewOf(observed.sets, places)
  const found = new Set<string>()
  for (let walk = 0; walk < walks; walk++) {
    const views: View[] = []
    const done = new Set<string>()
    let moment: Moment = observed.sets
    for (let open = [...steps]; open.length > 0; open = open.filter(({ id }) => !done.has(id))) {
      const ready = open.filter(({ after }) => after.every(({ step }) => done.has(step)))
      const next = ready[Math.floor(random() * ready.length)]
      if (next === undefined) throw new Error('the steps wait for each other')
      done.add(next.id)
      moment = performedOn(moment, next.operation)
      views.push(viewOf(moment, places))
    }
    const after = views.at(-1) ?? before
    const nameOf = namesOf(observed, moment, { steps })
    for (const view of views) for (const gap of gapsIn(before, after, view, nameOf)) found.add(gap)
  }
  return [...found].toSorted()
}
