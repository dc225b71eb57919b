import { nameOf, type StackId, type VariableKey } from '../model/ids.ts'
import type { Audience, Exposed } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan-data.ts'
import { type Alert, type AlertContext, type AlertGroup, alert, condensed } from './alert.ts'
import { namesOf } from './changes.ts'
import { MOST_NAMED, whoOf } from './effects.ts'
import { counted, figure, joined, listed, name, type Phrase, present, say } from './phrase.ts'

/** Findings about new sets, and those about existing ones, which would get lost among many new sets. */
function byAge(every: readonly Alert[], { created }: AlertContext): AlertGroup[] {
  const isNew = ({ sets }: Alert): boolean => sets.some(set => created.has(set))
  return [condensed(every.filter(isNew)), condensed(every.filter(one => !isNew(one)))]
}

/** Secrets that newly reach workspaces or Stacks, also because their set is assigned to more. */
export const secretsThatReach = (context: AlertContext): AlertGroup[] =>
  byAge(
    context.plan.facts.exposure.flatMap(one => (one.kind === 'secret' ? secretAlert(one, context) : [])),
    context,
  )

function secretAlert(exposed: Exposed, context: AlertContext): Alert {
  const { set, keys, global, audience } = exposed
  const reach = keys.length === 1 ? 'reaches' : 'reach'
  const { plan } = context
  const { received } = plan.facts
  const isEverybody = global && audience.count === received.known
  const who = isEverybody ? [[everyWorkspace(audience)]] : receivers(audience, plan)
  const { stacks = [] } = audience
  const where = joined([...who, ...(stacks.length > 0 ? [stacksPhrase(stacks, plan)] : [])], ' and ')
  const phrase = say`${name(set)} ${listed(keys.map(nameOf))} newly ${reach} ${where}`
  return alert('secret', phrase, about(set, keys, countOf(audience), context))
}

/** Names the projects of a set, to which more workspaces may come. */
function receivers(audience: Audience, plan: Plan): Phrase[] {
  const { count, projects, whole = [] } = audience
  const { received } = plan.facts
  const isNamed = whole.length > 0 || count <= MOST_NAMED
  const who = whoOf({ ...audience, projects: [] }, isNamed ? { known: received.known } : received, plan, 0)
  return present<Phrase>(
    who.length > 0 && who,
    projects.length > 0 && say`project${projects.length > 1 && 's'} ${listed(namesOf(projects, plan))}`,
  )
}

function stacksPhrase(stacks: readonly StackId[], plan: Plan): Phrase {
  const names = namesOf(stacks, plan)
  if (names.length === 1) return say`Stack ${listed(names)}`
  const shown = names.slice(0, names.length > MOST_NAMED ? MOST_NAMED - 1 : MOST_NAMED)
  const more = names.length - shown.length
  return say`${counted(names.length, 'Stack')} (${listed(shown)}${more > 0 && ` and ${figure(more)} more`})`
}

/** `count`: undefined if unknown. */
const about = (
  set: string,
  keys: readonly VariableKey[],
  count: number | undefined,
  { sources }: AlertContext,
) => ({ sets: [set], source: sources.get(set), keys, breadth: count ?? Number.POSITIVE_INFINITY })

/** `undefined` if not all of them are known. */
const countOf = ({ count, projects, others }: Audience): number | undefined =>
  others || projects.length > 0 ? undefined : count

/** `every workspace (40)`; without the number if it is unknown. */
function everyWorkspace(audience: Audience): string {
  const count = countOf(audience)
  return `every workspace${count === undefined ? '' : ` (${figure(count)})`}`
}

/** Sets that become global, and new variables of global sets. */
export function becomeGlobal(context: AlertContext): AlertGroup[] {
  const { exposure } = context.plan.facts
  const becoming = context.plan.steps.flatMap(({ operation }) => {
    if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
    if (!operation.after.global || (operation.type === 'update-set' && operation.before.global)) return []
    const set = operation.subject.name
    const found = exposure.find(one => one.kind === 'global' && one.set === set)
    const how = context.created.has(set) ? 'is created' : 'becomes'
    const what = found === undefined ? ['every workspace receives its variables'] : receive(found)
    const phrase = say`${name(set)} ${how} global: ${what}`
    return [alert('global', phrase, about(set, found?.keys ?? [], found && countOf(found.audience), context))]
  })
  const secret = new Set(
    exposure.flatMap(({ kind, set, keys }) => (kind === 'secret' ? keys.map(key => `${set}/${key}`) : [])),
  )
  const added = addedIn(context).flatMap(one => {
    const keys = one.keys.filter(key => !secret.has(`${one.set}/${key}`))
    if (!one.global || one.priority || keys.length === 0) return []
    const phrase = say`${name(one.set)} is global: ${receive({ ...one, keys }, ' the new ')}`
    return [alert('global', phrase, about(one.set, keys, countOf(one.audience), context))]
  })
  return byAge([...becoming, ...added], context)
}

const addedIn = ({ plan }: AlertContext): Exposed[] =>
  plan.facts.exposure.filter(({ kind }) => kind === 'added')

/** `every workspace receives HTTP_PROXY, NO_PROXY; 2 Stacks may read them`: a Stack receives nothing by itself (docs/service.md 13.1). */
function receive({ keys, audience }: Exposed, which = ' '): Phrase {
  const { stacks = [] } = audience
  const them = keys.length === 1 ? 'it' : 'them'
  const what = keys.length === 0 ? 'nothing yet' : listed(keys.map(nameOf))
  const mayRead =
    stacks.length > 0 && keys.length > 0 && `; ${counted(stacks.length, 'Stack')} may read ${them}`
  return say`${everyWorkspace(audience)} receives${which}${what}${mayRead}`
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
  const added = addedIn(context)
    .filter(({ priority }) => priority)
    .map(one => alert('priority', overriding(one), about(one.set, one.keys, countOf(one.audience), context)))
  return byAge([...gaining, ...added], context)
}

const OVERRIDE = 'values override all others, including the command line'

function overriding({ set, keys, global, audience }: Exposed): Phrase {
  const count = countOf(audience)
  const reach = global ? 'in every workspace' : 'wherever the set applies'
  const where = count === undefined ? reach : `in ${counted(count, 'workspace')}`
  const verb = keys.length === 1 ? 'overrides' : 'override'
  return say`${name(set)}${global && ' is global and'} has priority: its new ${listed(keys.map(nameOf))} ${verb} all other values ${where}, including the command line`
}
