import { compareText, type SourceRange } from '../model/diagnostic.ts'
import { listIn, TARGET_KINDS, type TargetLists, type Targets, targetsOfKind } from '../model/ids.ts'
import { flat, grouped } from '../model/lists.ts'
import { settingItems } from '../plan/operation.ts'
import type { Origin, Plan, Step } from '../plan/plan-data.ts'
import type { AssignmentChange, Change, Sign } from './change.ts'
import {
  additionOf,
  deletionOf,
  entry,
  replacementOf,
  settingChanges,
  settingsOfCreated,
  updateOf,
} from './change-entry.ts'
import { figure, joined, name, type Phrase, placesPhrase, say } from './phrase.ts'
import { type Context, waitsOnOthers } from './report-context.ts'

/** Entries of one set: settings, then variables by key, then assignments. */
export function changesOf(steps: readonly Step[], context: Context): Change[] {
  const changes = steps.map(step => {
    const all = changesOfStep(step, steps, context)
    const waits = isWhole(step) ? [] : waitNotes(step, context)
    if (all[0] !== undefined && waits.length > 0) all[0] = { ...all[0], notes: [...all[0].notes, ...waits] }
    return all
  })
  return flat(changes).sort((a, b) => RANK[a.kind] - RANK[b.kind] || byKey(a, b))
}

/** For a set that is created or deleted, the set says what it waits for, not an entry. */
const isWhole = ({ operation }: Step): boolean =>
  operation.type === 'create-set' || operation.type === 'delete-set'

const RANK = { setting: 0, variable: 1, assignment: 2 } as const satisfies Record<Change['kind'], number>

const byKey = (a: Change, b: Change): number =>
  a.kind === 'variable' && b.kind === 'variable'
    ? compareText(a.category, b.category) || compareText(a.name, b.name)
    : 0

function changesOfStep(step: Step, siblings: readonly Step[], context: Context): Change[] {
  const { operation } = step
  switch (operation.type) {
    case 'create-set': {
      return [
        ...settingsOfCreated(step, operation.after, context),
        ...operation.after.variables.map(variable => additionOf(step, variable, context)),
        ...assignments('+', step, targetsOf(operation.after), context),
      ]
    }
    case 'update-set':
      return settingChanges(step, settingItems(operation.before, operation.after), context)
    case 'delete-set':
      return [
        ...operation.before.variables.map(variable => deletionOf(step, variable, context)),
        ...assignments('-', step, targetsOf(operation.before), context),
      ]
    case 'create-variable': {
      const first = operation.replaces && deletionBefore(operation.after.key, siblings)
      return [first ? replacementOf(first, step, context) : additionOf(step, operation.after, context)]
    }
    case 'update-variable':
      return [updateOf(step, operation, context)]
    case 'delete-variable': {
      const told = operation.replaced && siblings.some(other => replaces(other, operation.before.key))
      return told ? [] : [deletionOf(step, operation.before, context)]
    }
    case 'assign':
      return assignments('+', step, [operation.targets], context)
    case 'unassign':
      return assignments('-', step, [operation.targets], context)
  }
}

const replaces = ({ operation }: Step, key: string): boolean =>
  operation.type === 'create-variable' && operation.replaces && operation.after.key === key

const deletionBefore = (key: string, siblings: readonly Step[]): Step | undefined =>
  siblings.find(
    ({ operation }) =>
      operation.type === 'delete-variable' && operation.replaced && operation.before.key === key,
  )

const targetsOf = (lists: TargetLists): Targets[] =>
  TARGET_KINDS.map(kind => targetsOfKind(kind, listIn(lists, kind) ?? []))

/** One entry for each kind of target, each known origin, and each side that assigns. */
const assignments = (
  sign: Sign,
  step: Step,
  targets: readonly Targets[],
  context: Context,
): AssignmentChange[] => {
  const beside = new Map<string, SourceRange>(step.assignedAt?.map(({ id, source }) => [id, source]))
  return targets.flatMap(({ kind, ids }) =>
    [false, true]
      .map(is => ids.filter(id => beside.has(id) === is))
      .flatMap(side => [
        ...grouped<Origin | undefined, string>(side, id =>
          context.origins.of(step.operation.subject.name, id),
        ),
      ])
      .map(([origin, some]) => ({
        kind: 'assignment' as const,
        targets: kind,
        named: namedTargets(some, context.plan),
        origin,
        ...entry(sign, [step], context),
        notes: besideNotes(some.flatMap(id => beside.get(id) ?? [])),
      })),
  )
}

/** The lines that assign, where it is not the list of the set. */
const besideNotes = (lines: readonly SourceRange[]): Phrase[] =>
  lines.length === 0 ? [] : [say`at ${placesPhrase(lines)}`]

export const namesOf = (ids: readonly string[], plan: Plan): string[] =>
  ids.map(id => plan.names[id] ?? id).toSorted(compareText)

const namedTargets = (ids: readonly string[], { names }: Plan): AssignmentChange['named'] =>
  ids.map(id => ({ id, name: names[id] ?? id })).toSorted((a, b) => compareText(a.name, b.name))

/** What a step waits for on other sets, in one phrase. */
export function waitNotes(step: Step, { relations }: Pick<Context, 'relations'>): Phrase[] {
  const waits = waitsOnOthers(step, relations).map(({ operation: { type, subject } }) => {
    const what = type === 'delete-set' ? 'the deletion of ' : 'changes of '
    return [`${what}${subject.name}`, [what, name(subject.name)]] as const
  })
  const distinct = [...new Map(waits).values()]
  if (distinct.length === 0) return []
  if (distinct.length > 2) return [[`after changes of ${figure(distinct.length)} other sets`]]
  return [say`after ${joined(distinct, ' and ')}`]
}
