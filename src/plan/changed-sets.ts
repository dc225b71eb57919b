import { compareText, type SourceRange } from '../model/diagnostic.ts'
import { NO_SETTINGS } from '../model/fields.ts'
import {
  listIn,
  TARGET_KINDS,
  type TargetId,
  type TargetKind,
  type Targets,
  targetsOfKind,
  type VariableKey,
} from '../model/ids.ts'
import { append, grouped, itemAt } from '../model/lists.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'
import { allItemsOf, removedItems, variablesSent } from './items.ts'
import {
  type CreateSet,
  losesSecret,
  type Operation,
  type OperationId,
  type RewriteReason,
  type SettingItem,
  setKeyOf,
  settingItems,
} from './operation.ts'
import type { Origin, Plan, SetOrigin, Step } from './plan-data.ts'

/** New, changed, deleted. */
export type Sign = '+' | '~' | '-'

/**
 * A set that a plan changes, as a person sees it: the steps on one set, with one change for each part of it. Derived from the operations
 * and never stored, so that a plan file has one truth.
 */
export interface ChangedSet {
  readonly sign: Sign
  /** The name after the plan; of a deleted set its old one. */
  readonly name: string
  /** The old name of a set that keeps its id. */
  readonly previousName?: string
  /** Settings, then variables by key, then targets. A new name is no change. */
  readonly changes: readonly ChangedPart[]
  readonly steps: readonly Step[]
  /** The line of the set, or else the first line of a variable. */
  readonly source?: SourceRange
  /** Of a set that is created, deleted, or only renamed. */
  readonly origin?: Origin
}

interface Changed {
  readonly sign: Sign
  /** Two for a variable that is deleted and created again. */
  readonly steps: readonly Step[]
  readonly source?: SourceRange
  readonly origin?: Origin
}

export interface ChangedSetting extends Changed {
  readonly kind: 'setting'
  /** `name` and `owner` only of a new set. */
  readonly name: SettingItem['name'] | 'owner'
  readonly before?: string | boolean
  /** Of `owner`: the id of the project. */
  readonly after: string | boolean
}

export interface ChangedVariable extends Changed {
  readonly kind: 'variable'
  readonly key: VariableKey
  /** Absent: the variable is new. */
  readonly before?: Variable<ObservedValue>
  /** Absent: it is deleted. */
  readonly after?: Variable<DesiredValue>
  /** Why a secret is written although nothing else differs. */
  readonly rewrite?: RewriteReason
  /** The sets that get the variable of this one, or that had the one which this set gets; one of the two steps waits for the other. */
  readonly moves: readonly string[]
  /** What becomes of a secret that nobody can read back and that this plan does not write elsewhere. */
  readonly loses?: 'deleted' | 'readable'
}

export interface ChangedTargets extends Changed {
  readonly kind: 'targets'
  readonly targets: TargetKind
  readonly ids: readonly TargetId[]
}

export type ChangedPart = ChangedSetting | ChangedVariable | ChangedTargets

type Changing = Pick<Plan, 'steps'> & { readonly facts: Pick<Plan['facts'], 'origins'> }

/**
 * Deleted sets first, then those that change, are only renamed, and are created; each by name. `tells`: the origins that count; of others
 * nothing is said. Pure.
 */
export function changedSets(plan: Changing, tells: (origin: Origin) => boolean = () => true): ChangedSet[] {
  const context = { moves: movesIn(plan.steps), origins: originsIn(plan, tells) }
  return [...grouped(plan.steps, ({ operation }) => setKeyOf(operation)).values()]
    .map(steps => setOf(steps, context))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareText(a.name, b.name))
}

/** The place of a set in every report: deletions come first. */
export const rankOf = ({
  sign,
  changes,
}: Pick<ChangedSet, 'sign'> & { readonly changes: readonly unknown[] }): number =>
  sign === '-' ? 0 : sign === '+' ? 3 : changes.length === 0 ? 2 : 1

interface Lookups {
  readonly moves: Moves
  readonly origins: (set: string, item: string) => Origin | undefined
}

function originsIn({ facts }: Changing, tells: (origin: Origin) => boolean): Lookups['origins'] {
  const bySet = new Map<string, SetOrigin>(facts.origins.map(one => [one.set, one]))
  return (set, item) => {
    const origin = bySet.get(set)?.items[item]
    return origin !== undefined && tells(origin) ? origin : undefined
  }
}

function setOf(steps: readonly Step[], context: Lookups): ChangedSet {
  const sign = signOf(steps)
  const { name } = itemAt(steps, 0).operation.subject
  const whole = sign === '~' ? undefined : context.origins(name, 'set')
  const originOf = (item: string): Origin | undefined => whole ?? context.origins(name, item)
  const changes = [
    ...steps.flatMap(step => settingsOf(step, originOf)),
    ...variablesOf(steps, context.moves, originOf),
    ...steps.flatMap(step => targetsOf(step, originOf)),
  ]
  return {
    sign,
    name,
    previousName: previousNameOf(steps),
    changes,
    steps,
    source: sourceOf(steps),
    origin: changes.length === 0 ? originOf('name') : whole,
  }
}

function signOf(steps: readonly Step[]): Sign {
  if (steps.some(({ operation }) => operation.type === 'create-set')) return '+'
  return steps.some(({ operation }) => operation.type === 'delete-set') ? '-' : '~'
}

function previousNameOf(steps: readonly Step[]): string | undefined {
  const names = steps.flatMap(({ operation }) =>
    operation.type === 'update-set' && operation.before.name !== operation.after.name
      ? operation.before.name
      : [],
  )
  return names[0]
}

function sourceOf(steps: readonly Step[]): SourceRange | undefined {
  const ofSet = steps.find(
    ({ operation, source }) =>
      source !== undefined && operation.type !== 'create-variable' && operation.type !== 'update-variable',
  )
  return ofSet?.source ?? steps.flatMap(({ source }) => source ?? []).toSorted((a, b) => a.line - b.line)[0]
}

function settingsOf(step: Step, originOf: (item: string) => Origin | undefined): ChangedSetting[] {
  const { operation, source } = step
  if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
  const isNew = operation.type === 'create-set'
  const told = isNew
    ? settingsOfNew(operation)
    : differing(settingItems(operation.before, operation.after)).map(({ name, before, after }) => ({
        name,
        before,
        after,
      }))
  const sign = isNew ? '+' : '~'
  return told.map(one => ({
    kind: 'setting',
    sign,
    ...one,
    steps: [step],
    source,
    origin: originOf(one.name),
  }))
}

/** What a new set has other than by default; its owner if that is a project, and its name if files name it by another. */
function settingsOfNew({ subject, after }: CreateSet): Pick<ChangedSetting, 'name' | 'before' | 'after'>[] {
  return [
    ...(after.name === subject.name ? [] : [{ name: 'name' as const, after: after.name }]),
    ...(after.parent === undefined ? [] : [{ name: 'owner' as const, after: after.parent }]),
    ...differing(settingItems(NO_SETTINGS, after)).map(({ name, after: value }) => ({ name, after: value })),
  ]
}

/** Those that differ, without the name: flags, then texts. */
const differing = (settings: readonly SettingItem[]): SettingItem[] =>
  settings
    .filter(({ name, before, after }) => name !== 'name' && before !== after)
    .toSorted((a, b) => Number(typeof a.after === 'string') - Number(typeof b.after === 'string'))

/** The first `before` and the last `after` of each key: a replacement needs no case of its own. */
function variablesOf(
  steps: readonly Step[],
  moves: Moves,
  originOf: (item: string) => Origin | undefined,
): ChangedVariable[] {
  const found = new Map<VariableKey, Pick<ChangedVariable, 'before' | 'after'> & { steps: Step[] }>()
  for (const step of steps)
    for (const item of allItemsOf(step.operation)) {
      if (item.kind !== 'variable') continue
      const known = found.get(item.key)
      if (known === undefined) found.set(item.key, { before: item.before, after: item.after, steps: [step] })
      else
        found.set(item.key, {
          before: known.before ?? item.before,
          after: item.after ?? known.after,
          steps: [...known.steps, step],
        })
    }
  return [...found]
    .map(([key, { before, after, steps: own }]): ChangedVariable => {
      const last = itemAt(own, own.length - 1)
      const rewrite = last.operation.type === 'update-variable' ? last.operation.rewrite : undefined
      const moved = own.flatMap(step => moves.get(`${step.id}\n${key}`) ?? [])
      return {
        kind: 'variable',
        sign: before === undefined ? '+' : after === undefined ? '-' : '~',
        key,
        before,
        after,
        rewrite,
        moves: [...new Set(moved.map(({ set }) => set))],
        loses: lossOf(before, after, moved, own.length > 1),
        steps: own,
        source: last.source,
        origin: rewrite === 'changed-outside' ? 'outside' : originOf(key),
      }
    })
    .toSorted((a, b) => compareText(a.key, b.key))
}

/** Nothing, if this plan writes a secret in its place: here, or in the set that gets the key. */
function lossOf(
  before: Variable<ObservedValue> | undefined,
  after: Variable<DesiredValue> | undefined,
  moved: readonly Move[],
  isReplaced: boolean,
): ChangedVariable['loses'] {
  if (before === undefined || !losesSecret(before)) return undefined
  if (after === undefined) return moved.some(({ isSecret }) => isSecret) ? undefined : 'deleted'
  if (!isReplaced || 'secret' in after.value) return undefined
  return 'text' in after.value ? 'readable' : 'deleted'
}

/** One for each kind of target, each origin, and each side that assigns: the set, or lines beside it. */
function targetsOf(step: Step, originOf: (item: string) => Origin | undefined): ChangedTargets[] {
  const beside = new Set<string>(step.assignedAt?.map(({ id }) => id))
  return targetsIn(step).flatMap(([sign, { kind, ids }]) =>
    [false, true].flatMap(side => {
      const some = ids.filter(id => beside.has(id) === side)
      return [...grouped<Origin | undefined, TargetId>(some, originOf)].map(
        ([origin, alike]): ChangedTargets => ({
          kind: 'targets',
          sign,
          targets: kind,
          ids: alike,
          steps: [step],
          source: step.source,
          origin,
        }),
      )
    }),
  )
}

function targetsIn({ operation }: Step): readonly (readonly [Sign, Targets])[] {
  switch (operation.type) {
    case 'create-set':
      return TARGET_KINDS.map(kind => ['+', targetsOfKind(kind, listIn(operation.after, kind) ?? [])])
    case 'delete-set':
      return TARGET_KINDS.map(kind => ['-', targetsOfKind(kind, listIn(operation.before, kind) ?? [])])
    case 'assign':
      return [['+', operation.targets]]
    case 'unassign':
      return [['-', operation.targets]]
    case 'update-set':
    case 'create-variable':
    case 'update-variable':
    case 'delete-variable':
      return []
  }
}

interface Move {
  /** The other set. */
  readonly set: string
  /** This plan writes a secret there. */
  readonly isSecret: boolean
}

/** By step and key: the other end of each variable that one set loses and another gets, where one step waits for the other. */
type Moves = ReadonlyMap<string, readonly Move[]>

function movesIn(steps: readonly Step[]): Moves {
  const byId = new Map<OperationId, Step>(steps.map(step => [step.id, step]))
  const goneFrom = new Map<Step, readonly VariableKey[]>()
  const found = new Map<string, Move[]>()
  const moved = (from: Step, to: Step): void => {
    const gone = goneFrom.get(from) ?? keysReleased(from.operation)
    goneFrom.set(from, gone)
    if (gone.length === 0 || setKeyOf(from.operation) === setKeyOf(to.operation)) return
    const sent = new Map(variablesSent(to.operation).map(({ key, value }) => [key, 'secret' in value]))
    for (const key of gone) {
      const isSecret = sent.get(key)
      if (isSecret === undefined) continue
      append(found, `${from.id}\n${key}`, { set: to.operation.subject.name, isSecret })
      append(found, `${to.id}\n${key}`, { set: from.operation.subject.name, isSecret })
    }
  }
  for (const step of steps)
    for (const { step: id } of step.after) {
      const earlier = byId.get(id)
      if (earlier === undefined) continue
      moved(earlier, step)
      moved(step, earlier)
    }
  return found
}

const keysReleased = (operation: Operation): readonly VariableKey[] =>
  removedItems(operation).flatMap(item => (item.kind === 'variable' && !item.isHalf ? [item.key] : []))
