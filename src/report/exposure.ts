import { nameOf, TARGETS, type TargetKind, type VariableKey } from '../model/ids.ts'
import type { AddedExposure, GlobalExposure, SecretExposure } from '../plan/effective/effect.ts'
import {
  type Alert,
  type AlertContext,
  type AlertGroup,
  aboutSet,
  alert,
  condensed,
  keysIn,
  MOST_EACH,
  setsIn,
  summed,
  verb,
} from './alert.ts'
import { namesOf } from './changes.ts'
import { hadPriority } from './context.ts'
import { counted, figure, joined, listed, name, type Phrase } from './phrase.ts'

/** From this many on, new sets share a line. */
const MANY_NEW = 3

/** Alerts about existing sets, the broadest first; those about new sets before them, in one line if they are many. */
function withNew(
  every: readonly Alert[],
  fresh: readonly Alert[],
  sumOfNew: (fresh: readonly Alert[]) => Alert,
  sumOfRest: (rest: readonly Alert[]) => Phrase,
): AlertGroup {
  const isFresh = new Set(fresh)
  const others = every.filter(one => !isFresh.has(one))
  const { shown } = condensed(every, others, MOST_EACH, sumOfRest)
  return { every, shown: [...(fresh.length < MANY_NEW ? fresh : [sumOfNew(fresh)]), ...shown] }
}

const aboutNew = (alerts: readonly Alert[], { created }: AlertContext): Alert[] =>
  alerts.filter(({ sets }) => sets.some(set => created.has(set)))

/** Secrets that newly reach workspaces or Stacks, also because their set is assigned to more. */
export function secretsThatReach(context: AlertContext): AlertGroup {
  const { secrets } = context.plan.facts.exposure
  const every = secrets.map(exposed => secretAlert(exposed, context))
  const places = secrets.some(({ stacks }) => stacks !== undefined) ? 'workspaces and Stacks' : 'workspaces'
  const ofNew = secrets.filter(({ set }) => context.created.has(set))
  return withNew(
    every,
    aboutNew(every, context),
    fresh => broughtByNew(ofNew, fresh, context),
    rest => [
      `${counted(setsIn(rest).length, 'more set')} ${verb(rest, 'brings', 'bring')} ${counted(keysIn(rest), 'secret')} to ${places} that did not have them: `,
      ...listed(setsIn(rest)),
    ],
  )
}

function secretAlert(exposed: SecretExposure, context: AlertContext): Alert {
  const { set, keys, everywhere, workspaces, projects, count } = exposed
  const reach = keys.length === 1 ? ' newly reaches ' : ' newly reach '
  const phrase = [name(set), ' ', ...listed(keys.map(nameOf)), reach, ...whereOf(exposed, context)]
  const named = projects.length === 0 ? workspaces.length : undefined
  return alert('secret', phrase, about(set, keys, count ?? (everywhere ? undefined : named), context))
}

/** `12 new sets (a, b, c and 9 more) bring 34 secrets to 40 workspaces (x, y, z and 37 more) and project payments`. */
function broughtByNew(
  exposed: readonly SecretExposure[],
  alerts: readonly Alert[],
  context: AlertContext,
): Alert {
  const everywhere = exposed.some(one => one.everywhere)
  const ids = <T>(of: (one: SecretExposure) => readonly T[]): T[] => [...new Set(exposed.flatMap(of))]
  const workspaces = ids(one => one.workspaces)
  const reach = {
    everywhere,
    workspaces,
    projects: ids(one => one.projects),
    stacks: ids(one => one.stacks ?? []),
  }
  const phrase = [
    ...newSets(setsIn(alerts)),
    ` bring ${counted(keysIn(alerts), 'secret')} to `,
    ...whereOf(reach, context),
  ]
  return summed(alerts, phrase, everywhere ? Number.POSITIVE_INFINITY : workspaces.length)
}

const newSets = (sets: readonly string[]): Phrase => [
  `${figure(sets.length)} new sets (`,
  ...listed(sets),
  ')',
]

/** `count`: undefined for all workspaces, or if unknown. */
const about = (
  set: string,
  keys: readonly VariableKey[],
  count: number | undefined,
  context: AlertContext,
): Partial<Alert> => ({ ...aboutSet(set, context), keys, breadth: count ?? Number.POSITIVE_INFINITY })

/** `14 workspaces (project payments)`; without a number if it is unknown. */
function whereOf(
  { everywhere, workspaces, projects, stacks = [], count, stackCount }: Omit<SecretExposure, 'set' | 'keys'>,
  context: AlertContext,
): Phrase {
  const filed = filedIn(context)
  const stacksToo = andStacks(count, stackCount, context)
  if (everywhere)
    return [`every workspace${count === undefined ? '' : ` (${figure(count)}${filed})`}${stacksToo}`]
  const isTold = count !== undefined && count > 0 && projects.length > 0
  if (!isTold)
    return joined(
      // The broadest first.
      [
        ...targets(projects, 'projects', context),
        ...targets(workspaces, 'workspaces', context),
        ...targets(stacks, 'stacks', context),
      ],
      ' and ',
    )
  const owning = [`project${projects.length === 1 ? '' : 's'} `, ...listed(namesOf(projects, context.plan))]
  const others = [workspaces, stacks].filter(ids => ids.length > 0).map(ids => namesOf(ids, context.plan))
  const beside = others.flatMap(names => ['; ', ...listed(names)])
  return [`${counted(count, 'workspace')}${filed}${stacksToo} (`, ...owning, ...beside, ')']
}

/** ` and 3 Stacks`; "in the directory file" is said once for both. */
function andStacks(count: number | undefined, stacks: number | undefined, context: AlertContext): string {
  const isTold = count !== undefined && filedIn(context) !== ''
  const filed = context.plan.facts.exposure.stacksClaimed && !isTold ? ' in the directory file' : ''
  return stacks === undefined ? '' : ` and ${counted(stacks, 'Stack')}${filed}`
}

/** Says that a count was not checked with the service. */
const filedIn = ({ plan }: AlertContext): string =>
  plan.facts.effective.claimed === true ? ' in the directory file' : ''

function targets(ids: readonly string[], kind: TargetKind, { plan }: AlertContext): Phrase[] {
  if (ids.length === 0) return []
  const noun = TARGETS[kind].one
  const names = namesOf(ids, plan)
  if (ids.length === 1) return [[`${noun} `, ...listed(names)]]
  return [[`${counted(ids.length, noun)} (`, ...listed(names), ')']]
}

/** Sets that become global, and new variables of global sets. */
export function becomeGlobal(context: AlertContext): AlertGroup {
  const { exposure } = context.plan.facts
  const becoming = context.plan.steps.flatMap(({ operation }) => {
    if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
    if (!operation.after.global || (operation.type === 'update-set' && operation.before.global)) return []
    const set = operation.subject.name
    const found = exposure.global.find(exposed => exposed.set === set)
    const how = context.created.has(set) ? ' is created global: ' : ' becomes global: '
    const phrase = [name(set), how, ...receive(found, context)]
    return [alert('global', phrase, about(set, found?.keys ?? [], found?.count, context))]
  })
  const secret = new Set(exposure.secrets.flatMap(({ set, keys }) => keys.map(key => `${set}/${key}`)))
  const added = (exposure.added ?? []).flatMap(one => {
    const keys = one.keys.filter(key => !secret.has(`${one.set}/${key}`))
    if (!one.global || one.priority || keys.length === 0) return []
    const phrase = [name(one.set), ' is global: ', ...receive({ ...one, keys }, context, ' the new ')]
    return [alert('global', phrase, about(one.set, keys, one.count, context))]
  })
  const who = receivers(exposure.global[0] ?? {}, context)
  return withNew(
    [...becoming, ...added],
    aboutNew(becoming, context),
    fresh =>
      summed(fresh, [
        ...newSets(setsIn(fresh)),
        ` are created global: ${who} ${counted(keysIn(fresh), 'variable')}`,
      ]),
    rest => [
      `${counted(setsIn(rest).length, 'more set')} (`,
      ...listed(setsIn(rest)),
      `) ${verb(rest, 'reaches', 'reach')} everybody: ${who} ${counted(keysIn(rest), 'variable')}`,
    ],
  )
}

/** `every workspace receives`, with the number if known. */
type ReceiverCounts = Pick<GlobalExposure, 'count' | 'stackCount'>

function receivers({ count, stackCount }: ReceiverCounts, context: AlertContext): string {
  const known = count === undefined ? '' : ` (${figure(count)}${filedIn(context)})`
  const verbForm = stackCount === undefined ? 'receives' : 'receive'
  return `every workspace${known}${andStacks(count, stackCount, context)} ${verbForm}`
}

/** `every workspace receives HTTP_PROXY, NO_PROXY`, with the number if known. */
function receive(
  found: (ReceiverCounts & Pick<GlobalExposure, 'keys'>) | undefined,
  context: AlertContext,
  which = ' ',
): Phrase {
  if (found === undefined) return ['every workspace receives its variables']
  const { keys } = found
  return [
    `${receivers(found, context)}${which}`,
    ...(keys.length === 0 ? ['nothing yet'] : listed(keys.map(nameOf))),
  ]
}

/** Sets that gain priority, and new variables of sets with priority. They override workspace variables. */
export function gainPriority(context: AlertContext): AlertGroup {
  const gaining = context.plan.steps.flatMap(({ operation }) => {
    if (operation.type !== 'create-set' && operation.type !== 'update-set') return []
    if (!operation.after.priority || hadPriority(operation, context.plan.steps)) return []
    const set = operation.subject.name
    const how = operation.type === 'create-set' ? 'is created with priority' : 'gains priority'
    const phrase = [name(set), ` ${how}: its values override all others, including the command line`]
    return [alert('priority', phrase, about(set, [], 0, context))]
  })
  const added = (context.plan.facts.exposure.added ?? [])
    .filter(one => one.priority)
    .map(one => alert('priority', overriding(one, context), about(one.set, one.keys, one.count, context)))
  return withNew(
    [...gaining, ...added],
    aboutNew(gaining, context),
    fresh =>
      summed(fresh, [
        ...newSets(setsIn(fresh)),
        ' are created with priority: their values override all others, including the command line',
      ]),
    rest => [
      `${counted(setsIn(rest).length, 'more set')} with priority (`,
      ...listed(setsIn(rest)),
      `) ${verb(rest, 'overrides', 'override')} values for the first time`,
    ],
  )
}

function overriding({ set, keys, global, count }: AddedExposure, context: AlertContext): Phrase {
  const what = global ? ' is global and has priority: its new ' : ' has priority: its new '
  const where =
    count === undefined
      ? global
        ? 'in every workspace'
        : 'wherever the set applies'
      : `in ${counted(count, 'workspace')}${filedIn(context)}`
  const one = keys.length === 1 ? ' overrides all other values ' : ' override all other values '
  return [name(set), what, ...listed(keys.map(nameOf)), one, where, ', including the command line']
}
