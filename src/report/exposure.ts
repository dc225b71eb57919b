import { nameOf, TARGETS, type TargetKind, type VariableKey } from '../model/ids.ts'
import type { AddedExposure, GlobalExposure, SecretExposure } from '../plan/effective/effect.ts'
import { type Alert, type AlertContext, type AlertGroup, alert, condensed } from './alert.ts'
import { namesOf } from './changes.ts'
import { counted, figure, joined, listed, name, type Phrase, say } from './phrase.ts'

/** Findings about new sets, and those about existing ones, which would get lost among many new sets. */
function byAge(every: readonly Alert[], { created }: AlertContext): AlertGroup[] {
  const isNew = ({ sets }: Alert): boolean => sets.some(set => created.has(set))
  return [condensed(every.filter(isNew)), condensed(every.filter(one => !isNew(one)))]
}

/** Secrets that newly reach workspaces or Stacks, also because their set is assigned to more. */
export const secretsThatReach = (context: AlertContext): AlertGroup[] =>
  byAge(
    context.plan.facts.exposure.secrets.map(exposed => secretAlert(exposed, context)),
    context,
  )

function secretAlert(exposed: SecretExposure, context: AlertContext): Alert {
  const { set, keys, everywhere, workspaces, projects, count } = exposed
  const reach = keys.length === 1 ? 'reaches' : 'reach'
  const phrase = say`${name(set)} ${listed(keys.map(nameOf))} newly ${reach} ${whereOf(exposed, context)}`
  const named = projects.length === 0 ? workspaces.length : undefined
  return alert('secret', phrase, about(set, keys, count ?? (everywhere ? undefined : named), context))
}

/** `count`: undefined for all workspaces, or if unknown. */
const about = (
  set: string,
  keys: readonly VariableKey[],
  count: number | undefined,
  { sources }: AlertContext,
) => ({ sets: [set], source: sources.get(set), keys, breadth: count ?? Number.POSITIVE_INFINITY })

/** `14 workspaces (project payments)`; without a number if it is unknown. */
function whereOf(
  { everywhere, workspaces, projects, stacks = [], count, stackCount }: Omit<SecretExposure, 'set' | 'keys'>,
  context: AlertContext,
): Phrase {
  const all = { count, stackCount }
  if (everywhere) return [`${everyWorkspace(all)}${andStacks(all)}`]
  // The broadest first.
  const places = [...targets(projects, 'projects', context), ...targets(workspaces, 'workspaces', context)]
  if (!count || projects.length === 0)
    return joined([...places, ...targets(stacks, 'stacks', context)], ' and ')
  const owning = listed(namesOf(projects, context.plan))
  if (projects.length === 1 && workspaces.length + stacks.length + (stackCount ?? 0) === 0)
    return say`project ${owning} (${figure(count)})`
  const others = [workspaces, stacks].filter(ids => ids.length > 0).map(ids => namesOf(ids, context.plan))
  const beside = others.flatMap(names => ['; ', ...listed(names)])
  const reached = `${counted(count, 'workspace')}${andStacks(all)}`
  return say`${reached} (project${projects.length > 1 && 's'} ${owning}${beside})`
}

type Receivers = Pick<GlobalExposure, 'count' | 'stackCount'>

/** With the number if known. */
const everyWorkspace = ({ count }: Receivers): string =>
  `every workspace${count === undefined ? '' : ` (${figure(count)})`}`

/** ` and 3 Stacks`. */
const andStacks = ({ stackCount }: Receivers): string =>
  stackCount === undefined ? '' : ` and ${counted(stackCount, 'Stack')}`

function targets(ids: readonly string[], kind: TargetKind, { plan }: AlertContext): Phrase[] {
  if (ids.length === 0) return []
  const noun = TARGETS[kind].one
  const names = namesOf(ids, plan)
  return [
    ids.length === 1 ? say`${noun} ${listed(names)}` : say`${counted(ids.length, noun)} (${listed(names)})`,
  ]
}

/** Sets that become global, and new variables of global sets. */
export function becomeGlobal(context: AlertContext): AlertGroup[] {
  const { exposure } = context.plan.facts
  const becoming = context.plan.steps.flatMap(({ operation }) => {
    if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
    if (!operation.after.global || (operation.type === 'update-set' && operation.before.global)) return []
    const set = operation.subject.name
    const found = exposure.global.find(exposed => exposed.set === set)
    const how = context.created.has(set) ? 'is created' : 'becomes'
    const phrase = say`${name(set)} ${how} global: ${receive(found)}`
    return [alert('global', phrase, about(set, found?.keys ?? [], found?.count, context))]
  })
  const secret = new Set(exposure.secrets.flatMap(({ set, keys }) => keys.map(key => `${set}/${key}`)))
  const added = (exposure.added ?? []).flatMap(one => {
    const keys = one.keys.filter(key => !secret.has(`${one.set}/${key}`))
    if (!one.global || one.priority || keys.length === 0) return []
    const phrase = say`${name(one.set)} is global: ${receive({ ...one, keys }, ' the new ')}`
    return [alert('global', phrase, about(one.set, keys, one.count, context))]
  })
  return byAge([...becoming, ...added], context)
}

/** `every workspace (40) receives`. */
const receives = (all: Receivers): string => `${everyWorkspace(all)} receives`

/** `; 2 Stacks may read them`: a Stack receives no variables by itself (docs/service.md 13.1). */
const mayRead = ({ stackCount }: Receivers, keys: number): string =>
  stackCount === undefined || keys === 0
    ? ''
    : `; ${counted(stackCount, 'Stack')} may read ${keys === 1 ? 'it' : 'them'}`

/** `every workspace receives HTTP_PROXY, NO_PROXY; 2 Stacks may read them`. */
function receive(found: Omit<GlobalExposure, 'set'> | undefined, which = ' '): Phrase {
  if (found === undefined) return ['every workspace receives its variables']
  const { keys } = found
  const what = keys.length === 0 ? 'nothing yet' : listed(keys.map(nameOf))
  return say`${receives(found)}${which}${what}${mayRead(found, keys.length)}`
}

/** Sets that gain priority, and new variables of sets with priority. They override workspace variables. */
export function gainPriority(context: AlertContext): AlertGroup[] {
  const gaining = context.plan.steps.flatMap(({ operation }) => {
    if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
    const had = operation.type === 'update-set' && operation.before.priority
    if (!operation.after.priority || had) return []
    const set = operation.subject.name
    const how = operation.type === 'create-set' ? 'is created with priority' : 'gains priority'
    const phrase = say`${name(set)} ${how}: its ${OVERRIDE}`
    return [alert('priority', phrase, about(set, [], 0, context))]
  })
  const added = (context.plan.facts.exposure.added ?? [])
    .filter(one => one.priority)
    .map(one => alert('priority', overriding(one), about(one.set, one.keys, one.count, context)))
  return byAge([...gaining, ...added], context)
}

const OVERRIDE = 'values override all others, including the command line'

function overriding({ set, keys, global, count }: AddedExposure): Phrase {
  const reach = global ? 'in every workspace' : 'wherever the set applies'
  const where = count === undefined ? reach : `in ${counted(count, 'workspace')}`
  const verb = keys.length === 1 ? 'overrides' : 'override'
  return say`${name(set)}${global && ' is global and'} has priority: its new ${listed(keys.map(nameOf))} ${verb} all other values ${where}, including the command line`
}
