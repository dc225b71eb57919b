import type { VariableKey, VariableSetId } from '../model/ids.ts'

/** Something one object may hold at a time. Whoever acquires a slot waits for whoever releases it. */
export type Slot = string

/** No key and category in two global sets at any moment (docs/service.md 1.2). */
export const globalSlot = (key: VariableKey): Slot => `global/${key}`
/** A replaced variable goes before it comes. */
export const keySlot = (set: VariableSetId, key: VariableKey): Slot => `key/${set}/${key}`
/** A set leaves global before, and becomes global after, everything else that happens to it. */
export const scopeSlot = (set: VariableSetId): Slot => `scope/${set}`
/** A set of another owner goes after the one that takes its place has come. */
export const successorSlot = (set: VariableSetId): Slot => `successor/${set}`
/** Names are folded: the interface does not say how a service compares them, and waiting is harmless. */
export const nameSlot = (name: string): Slot => `name/${name.normalize('NFC').trim().toLowerCase()}`

/** How the scope of an observed set changes in a plan. */
export type Scope = 'leaves-global' | 'becomes-global' | 'stays-global' | 'not-global'

export const scopeOf = (before: { global: boolean }, after: { global: boolean }): Scope =>
  before.global
    ? after.global
      ? 'stays-global'
      : 'leaves-global'
    : after.global
      ? 'becomes-global'
      : 'not-global'
