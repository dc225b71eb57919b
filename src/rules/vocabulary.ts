import { PLANNED } from '../model/planned.gen.ts'
import type { RuleSubject } from '../model/rule.ts'

/** The objects of a plan that rules can name. Their fields are those of the published JSON (schemas/parts/report.json). */
export type ObjectName = keyof typeof PLANNED
export const OBJECT_NAMES = Object.keys(PLANNED) as readonly ObjectName[]

export const isObjectName = (type: string | undefined): type is ObjectName =>
  type !== undefined && Object.hasOwn(PLANNED, type)

/** The objects that a rule can name, and their types. The first is the item that the rule is about. */
export const SCOPES: Readonly<Record<RuleSubject, Readonly<Record<string, ObjectName>>>> = {
  set: { set: 'Set', plan: 'Plan' },
  variable: { variable: 'Variable', set: 'Set', plan: 'Plan' },
  exposure: { exposure: 'Exposure', set: 'Set', plan: 'Plan' },
  effect: { effect: 'Effect', plan: 'Plan' },
  plan: { plan: 'Plan' },
}

/** The fields of an object with their types, without the mark of absence. */
export const fieldsOf = (name: ObjectName): readonly (readonly [name: string, type: string])[] =>
  Object.entries(PLANNED[name]).map(([field, type]) => [field, type.replace('?', '')] as const)
