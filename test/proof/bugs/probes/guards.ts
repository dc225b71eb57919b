import type { Inventory } from '../../../../src/model/inventory.ts'
import type { ObservedSet, ResolvedState } from '../../../../src/model/variable-set.ts'
import { desiredDigest } from '../../../../src/plan/ownership.ts'
import type { Plan } from '../../../../src/plan/plan-data.ts'
import { judgeClaim, parseSavedPlan, savedPlan } from '../../../../src/plan/reviewed-plan.ts'
import { decide } from '../../../../src/run/commands/decide.ts'
import { planOf } from '../../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../../support/states.ts'
import { WORKSPACES } from '../../../support/world.ts'
import { differing, type Probe } from './probe.ts'

const [w1] = WORKSPACES
const removing = (...names: readonly string[]): Pick<ResolvedState, 'removed'> => ({
  removed: names.map(name => ({ name, source: SOMEWHERE })),
})
const kept = aSet('kept')
const keptSet = anObserved('k', 'kept')
const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`env/V${i}`, '1']))

const owned = (state: ResolvedState): ResolvedState => ({ ...state, owner: 'team' })
const declared = aSet('a', { variables: { 'env/A': '1' } })
const listing = (digest: string): Inventory => ({
  owner: 'team',
  id: 'varset-inventory',
  entries: [{ setId: 'varset-1', variableId: 'var-e', digest, secrets: {}, damaged: false }],
})

const withGuards = (state: ResolvedState, protect: readonly string[]): ResolvedState => ({
  ...state,
  guards: { ...state.guards, protect },
})

const global = { global: true }
const variables = { variables: { 'env/A': '1' } }
const moved = aDesiredState(aSet('a', global), aSet('b', { ...global, ...variables }))

interface Row {
  readonly name: string
  readonly files: ResolvedState
  readonly live: readonly ObservedSet[]
  readonly inventory?: Inventory
  readonly blocks: readonly string[]
}

const ROWS: readonly Row[] = [
  {
    name: 'the deletion of a set that applies to a workspace',
    files: { ...aDesiredState(kept), ...removing('x') },
    live: [keptSet, anObserved('1', 'x', { workspaces: [w1] })],
    blocks: ['reaches-workspaces'],
  },
  {
    name: 'the deletion of a protected set',
    files: withGuards({ ...aDesiredState(kept), ...removing('core-x') }, ['core-*']),
    live: [keptSet, anObserved('1', 'core-x')],
    blocks: ['protected-name'],
  },
  {
    name: 'the deletion of four of ten variables',
    files: aDesiredState(aSet('a', { variables: many(6) })),
    live: [anObserved('1', 'a', { variables: many(10) })],
    blocks: ['too-many-deletions'],
  },
  {
    name: 'the deletion of three of ten variables',
    files: aDesiredState(aSet('a', { variables: many(7) })),
    live: [anObserved('1', 'a', { variables: many(10) })],
    blocks: [],
  },
  {
    name: 'the deletion of three of four sets',
    files: { ...aDesiredState(kept), ...removing('x', 'y', 'z') },
    live: [keptSet, ...['x', 'y', 'z'].map(name => anObserved(name, name))],
    blocks: ['too-many-deletions'],
  },
  {
    name: 'files without a set',
    files: { ...aDesiredState(), ...removing('x') },
    live: [anObserved('1', 'x')],
    blocks: ['empty-desired-state'],
  },
  {
    name: 'an existing set that differs and is in no inventory',
    files: owned(aDesiredState(declared)),
    live: [anObserved('1', 'a', { variables: { 'env/A': '2' } })],
    blocks: ['adopts-different'],
  },
  {
    name: 'drift that added a secret',
    files: owned(aDesiredState(declared)),
    live: [anObserved('1', 'a', { variables: { 'env/A': '1', 'env/S': { hidden: true } } })],
    inventory: listing(desiredDigest(declared)),
    blocks: ['loses-secret'],
  },
  {
    name: 'a forbidden gap',
    files: { ...moved, guards: { ...moved.guards, gaps: 'forbid' } },
    live: [anObserved('1', 'a', { ...global, ...variables }), anObserved('2', 'b', global)],
    blocks: ['opens-gap'],
  },
]

/** Each guard blocks its case. */
export const guards: Probe = () =>
  ROWS.flatMap(({ name, files, live, inventory, blocks }) => {
    const observed = { ...anObservedState(...live), ...(inventory && { inventories: [inventory] }) }
    return differing(
      name,
      blocks,
      planOf(files, observed).blocks.map(({ code }) => code),
    )
  })

/** Only the digest of exactly this plan overrides a guard. */
export const consent: Probe = () => {
  const plan = planOf({ ...aDesiredState(), ...removing('x') }, anObservedState(anObserved('1', 'x')))
  const other = planOf(aDesiredState(aSet('b')), anObservedState())
  const more = [{ code: 'opens-gap', message: 'x', item: { kind: 'plan' } }] as const
  const isAccepted = (
    one: Plan,
    { reviewed, ...given }: { autoApprove?: boolean; approve?: string; reviewed?: Plan },
  ): boolean => {
    const files = reviewed === undefined ? undefined : { files: [{ file: 'plan.json', plan: reviewed }] }
    const decision = decide(one, { autoApprove: false, canAsk: false, ...given }, files, undefined)
    return decision.kind === 'apply'
  }
  return [
    ...differing('a blocked plan with --auto-approve', false, isAccepted(plan, { autoApprove: true })),
    ...differing('a blocked plan from a file', false, isAccepted(plan, { reviewed: plan })),
    ...differing('a blocked file without a block now', false, isAccepted(other, { reviewed: plan })),
    ...differing(
      'what is left of a blocked file, with its digest',
      true,
      isAccepted({ ...plan, digest: other.digest }, { reviewed: plan, approve: plan.digest }),
    ),
    ...differing(
      'a block that the approved file does not name',
      false,
      isAccepted(
        { ...plan, digest: other.digest, blocks: [...plan.blocks, ...more] },
        { reviewed: plan, approve: plan.digest },
      ),
    ),
    ...differing('a blocked plan with its digest', true, isAccepted(plan, { approve: plan.digest })),
    ...differing('a plan with the digest of another', false, isAccepted(plan, { approve: other.digest })),
    ...differing('a plan without consent', false, isAccepted(other, {})),
  ]
}

const isPlan = (_: unknown): _ is Plan & { readonly checksum: string } => true

/** A saved plan is only compared with the current plan, so every changed byte and every change of the state is found. */
export const planFile: Probe = () => {
  const files = aDesiredState(aSet('a', { variables: { 'env/A': '2' } }), aSet('b'))
  const observed = anObservedState(anObserved('1', 'a', { variables: { 'env/A': '1' } }))
  const reviewed = planOf(files, observed)
  const text = savedPlan(reviewed)
  const changed = [`${text} `, text.replace('"sets/test.yaml"', '"sets/other.yaml"'), text.replace('1', '3')]
  const moved = anObservedState(anObserved('1', 'a', { variables: { 'env/A': '7' } }))
  const more = aDesiredState(...files.sets, aSet('c'))
  const conflicts = (now: Plan, live = observed) => judgeClaim(reviewed, now, live).conflicts.length
  return [
    ...differing('a saved plan', 'object', typeof parseSavedPlan(text, isPlan)),
    ...changed.flatMap((other, i) =>
      differing(`a modified plan file (${i})`, 'edited', parseSavedPlan(other, isPlan)),
    ),
    ...differing('nothing changed', 0, conflicts(reviewed)),
    ...differing('a value changed', 1, conflicts(planOf(files, moved), moved)),
    ...differing('a new set in the files', 1, conflicts(planOf(more, observed))),
  ]
}
