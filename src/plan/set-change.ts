import { mergedFields, settingsDiffer, settingsOf } from '../model/fields.ts'
import { TARGET_KINDS, type TargetLists, targetsOfKind, type VariableKey } from '../model/ids.ts'
import type { DesiredVariable, ObservedSet, ObservedVariable, ResolvedSet } from '../model/variable-set.ts'
import {
  type Draft,
  definitionOf,
  globalSlot,
  keySlot,
  linesOf,
  nameSlot,
  type ScopeChange,
  type Slot,
  type Slots,
  scopeChange,
  scopeSlot,
} from './draft.ts'
import { fileNotEdited, isLeft } from './equality.ts'
import type { RewriteReason, UpdateSet } from './operation.ts'

/** Makes the drafts for one existing set, with the slots that its change of scope needs. */
export class SetChange {
  readonly desired: ResolvedSet
  readonly observed: ObservedSet
  readonly scope: ScopeChange
  readonly subject: UpdateSet['subject']

  constructor(desired: ResolvedSet, observed: ObservedSet) {
    this.desired = desired
    this.observed = observed
    this.scope = scopeChange(observed, desired)
    this.subject = { kind: 'variable-set', name: desired.name, id: observed.id }
  }

  /** Slots of a change inside the set: after it stops being global, and before it becomes global. */
  inside(acquires: readonly Slot[] = []): Slots {
    const scope = scopeSlot(this.observed.id)
    return {
      releases: this.scope === 'becomes-global' ? [scope] : [],
      acquires: [...acquires, ...(this.scope === 'leaves-global' ? [scope] : [])],
    }
  }

  /** One request for all settings, or none. */
  update(): Draft[] {
    if (!settingsDiffer(this.observed, settingsOf(this.desired))) return []
    const operation: UpdateSet = {
      type: 'update-set',
      subject: this.subject,
      before: settingsOf(this.observed),
      after: settingsOf(this.desired),
    }
    const [from, to] = [operation.before.name, operation.after.name]
    const scope = this.#scopeSlots()
    const slots: Slots =
      from === to
        ? scope
        : { releases: [...scope.releases, nameSlot(from)], acquires: [...scope.acquires, nameSlot(to)] }
    return [{ id: `update-set ${this.desired.name}`, operation, source: this.desired.source, ...slots }]
  }

  #scopeSlots(): Slots {
    const scope = scopeSlot(this.observed.id)
    switch (this.scope) {
      case 'leaves-global':
        return { releases: [scope, ...globalSlots(this.observed.variables)], acquires: [] }
      case 'becomes-global':
        return { releases: [], acquires: [scope, ...globalSlots(this.desired.variables)] }
      case 'stays-global':
      case 'not-global':
        return { releases: [], acquires: [] }
    }
  }

  create(variable: DesiredVariable, replaces: boolean): Draft {
    const { key } = variable
    return {
      id: `create-variable ${this.desired.name} ${key}`,
      operation: {
        type: 'create-variable',
        subject: this.subject,
        after: definitionOf(variable),
        replaces,
      },
      source: variable.source,
      file: fileNotEdited([variable], this.observed),
      ...this.inside([
        keySlot(this.observed.id, key),
        ...(this.scope === 'stays-global' ? [globalSlot(key)] : []),
      ]),
    }
  }

  /** With `rewrite`, nothing but the value of the secret may differ. */
  modify(before: ObservedVariable, after: DesiredVariable, rewrite?: RewriteReason): Draft {
    return {
      id: `update-variable ${this.desired.name} ${after.key}`,
      operation: {
        type: 'update-variable',
        subject: this.subject,
        variableId: before.id,
        before: definitionOf(before),
        after: {
          ...definitionOf(after),
          ...mergedFields(after, before, name => isLeft(name, before, after)),
        },
        ...(rewrite && { rewrite }),
      },
      source: after.source,
      file: fileNotEdited([after], this.observed),
      ...this.inside(),
    }
  }

  /** With `double`, another variable of the same key stays, so the operation has the id in its name. */
  remove(variable: ObservedVariable, replaced: boolean, double: boolean): Draft {
    const { key } = variable
    const releases: Slot[] = [
      keySlot(this.observed.id, key),
      // A set that stops being global releases all its keys at once.
      ...(this.observed.global && this.desired.global ? [globalSlot(key)] : []),
      ...(this.scope === 'becomes-global' ? [scopeSlot(this.observed.id)] : []),
    ]
    return {
      id: `delete-variable ${this.desired.name} ${key}${double ? ` (${variable.id})` : ''}`,
      operation: {
        type: 'delete-variable',
        subject: this.subject,
        variableId: variable.id,
        before: definitionOf(variable),
        replaced,
      },
      source: this.desired.source,
      releases,
      acquires: [],
    }
  }
}

const globalSlots = (variables: readonly { readonly key: VariableKey }[]): Slot[] =>
  variables.map(({ key }) => globalSlot(key))

/** For each kind that the files manage at most two requests, assign and unassign. */
export function assignmentDrafts(change: SetChange): Draft[] {
  const { source, assignedAt }: ResolvedSet = change.desired
  return TARGET_KINDS.flatMap(kind => {
    const { [kind]: desired }: TargetLists = change.desired
    const { [kind]: observed = [] }: TargetLists = change.observed
    if (desired === undefined || areEqual(desired, observed)) return []
    const requests = { assign: without(desired, observed), unassign: without(observed, desired) }
    return (['assign', 'unassign'] as const).flatMap((type): Draft[] => {
      const targets = targetsOfKind(kind, requests[type])
      if (targets.ids.length === 0) return []
      const id = `${type} ${change.subject.name} ${kind}`
      const operation = { type, subject: change.subject, targets }
      return [{ id, operation, source, ...linesOf({ assignedAt }, targets.ids), ...change.inside() }]
    })
  })
}

const areEqual = (ids: readonly string[], others: readonly string[]): boolean =>
  ids.length === others.length && ids.every((id, at) => id === others[at])

function without<Id extends string>(ids: readonly Id[], others: readonly Id[]): Id[] {
  const gone = new Set(others)
  return ids.filter(id => !gone.has(id))
}
