import { sortDiagnostics } from '../model/diagnostic.ts'
import { type ChangedSet, changedSets, type Sign } from '../plan/changed-sets.ts'
import { isForbidden, type Plan } from '../plan/plan-data.ts'
import { isDrift } from '../plan/plan-findings.ts'
import { inThisPlace, type TypedCommand } from './command-line.ts'
import { approval, waysOut } from './commands.ts'
import { diagnosticRow } from './diagnostics.ts'
import { type Doc, type Row, type Section, title } from './doc.ts'
import { effectsOf } from './effects.ts'
import { driftOrNone } from './left-drift.ts'
import {
  counted,
  FORBIDDEN_NEXT,
  figure,
  message,
  name,
  type Phrase,
  present,
  say,
  shortTime,
  words,
} from './phrase.ts'
import { findingsIn, reviewSection } from './review.ts'
import { changesSection, tellsOrigins } from './set-rows.ts'
import { driftCounts, requestsOf, type Total, totalsOf } from './totals.ts'

/** A plan to report. `at`: when it was made, ISO 8601. `verbose`: with every name, and with what nobody has to act on. */
export interface Planned {
  readonly kind: 'plan' | 'drift'
  readonly plan: Plan
  readonly typed?: TypedCommand
  readonly at?: string
  /** It comes from a file, and nothing was compared with the service. */
  readonly isSaved?: true
  /** Of drift: names of sets that a merge or an apply left unfinished. */
  readonly unfinished?: readonly string[]
  readonly verbose?: boolean
}

/** All formats share one tree, so long values are compared once. */
const known = new WeakMap<Plan, { readonly doc: Doc; readonly of: Planned }>()

/** The report of a plan, or of drift. */
export function planDoc(of: Planned): Doc {
  const shared = known.get(of.plan)
  const isShared =
    shared?.of.kind === of.kind &&
    shared.of.typed === of.typed &&
    shared.of.at === of.at &&
    shared.of.isSaved === of.isSaved &&
    shared.of.unfinished === of.unfinished &&
    shared.of.verbose === of.verbose
  const doc = isShared ? shared.doc : newDoc(of)
  known.set(of.plan, { doc, of })
  return doc
}

function newDoc(of: Planned): Doc {
  const { kind, plan, at } = of
  const { requests } = plan
  const isApprovable = kind === 'plan' && !isForbidden(plan)
  const changes = changesSection(plan, kind)
  const findings = findingsIn(plan, kind)
  const warnings = plan.diagnostics.filter(({ code }) => code !== 'rule-violated')
  const sets = changedSets(plan, tellsOrigins(plan, kind))
  const isEqual = sets.length === 0
  return {
    command: kind,
    ...(isApprovable ? { digest: plan.digest } : {}),
    about: present<Phrase>(
      ...aboutOf(plan),
      [words(counted(requests.reads, 'read'), 'quiet')],
      at !== undefined && say`planned ${message(shortTime(at))}`,
    ),
    headline: headlineOf(of, sets),
    tone: isStopped(of)
      ? 'bad'
      : kind === 'drift' && !isUndone(plan, sets)
        ? 'heed'
        : isEqual
          ? 'good'
          : undefined,
    sections: present<Section>(
      reviewSection(findings, of.verbose),
      changes.rows.length > 0 && changes,
      warningsSection(plan, of.typed),
      { form: 'lines', rows: notesOf(of, sets) },
      affectedSection(plan),
    ),
    isQuiet: isEqual && findings.length === 0 && !warnings.some(({ code }) => code === 'left-behind'),
  }
}

/** `acme/platform` and `app.terraform.io`. */
export const aboutOf = ({
  organization,
  owner,
  address,
}: Pick<Plan, 'organization' | 'owner' | 'address'>): Phrase[] => [
  say`${name(organization)}${owner !== undefined && say`/${name(owner)}`}`,
  address === 'sandbox' ? [words('SANDBOX', 'heed')] : [name(address.replace(/^https:\/\//, ''))],
]

const isUndone = ({ facts }: Plan, sets: readonly ChangedSet[]): boolean =>
  sets.length === 0 && !facts.findings.some(isDrift)

/** Nobody may apply it as it is. */
const isStopped = ({ kind, plan }: Planned): boolean => kind === 'plan' && (plan.blocked || isForbidden(plan))

/** `2 sets change, 1 is deleted: 8 requests`. */
function headlineOf({ kind, plan }: Planned, sets: readonly ChangedSet[]): Phrase {
  const result = resultOf(kind, plan, sets)
  if (kind === 'drift') return result
  const { changes } = plan.summary
  const record = plan.facts.inventory.requests
  const cost =
    changes > 0 && `: ${counted(changes, 'request')}${record > 0 ? ` + ${figure(record)} inventory` : ''}`
  const stop = isForbidden(plan) ? ' · forbidden by rules' : plan.blocked && ' · blocked: approval needed'
  return say`${result}${cost}${stop && words(stop, 'bad')}`
}

/** What changes, in one line. */
export function resultOf(
  kind: 'plan' | 'drift' | 'apply',
  plan: Plan,
  sets: readonly { readonly sign: Sign }[],
): Phrase {
  const taken = plan.facts.inventory.taken.length
  if (sets.length === 0 && taken > 0)
    return [
      `${counted(taken, 'set')} ${taken === 1 ? 'is' : 'are'} taken from another owner, with no other changes.`,
    ]
  if (sets.length === 0 && (kind !== 'drift' || !plan.facts.findings.some(isDrift)))
    return [`${kind === 'drift' ? 'No drift' : 'No changes'}. ${counted(plan.facts.equalSets, 'set')} equal.`]
  if (kind === 'drift') return driftHeadline(plan)
  const count = (sign: Sign): number => sets.filter(one => one.sign === sign).length
  const parts = [
    [count('~'), 'changes', 'change'],
    [count('+'), 'is created', 'are created'],
    [count('-'), 'is deleted', 'are deleted'],
  ] as const
  const told = parts.filter(([many]) => many > 0)
  return [
    told
      .map(
        ([many, one, more], at) =>
          `${at === 0 ? counted(many, 'set') : figure(many)} ${many === 1 ? one : more}`,
      )
      .join(', '),
  ]
}

/** `3 sets differ from the files: 1 changed outside, 2 merged and not applied`. */
function driftHeadline(plan: Plan): Phrase {
  const { outside, notApplied, unknownOrigin } = driftCounts(plan)
  const sets = outside + notApplied + unknownOrigin
  const parts = present(
    outside > 0 && `${outside} changed outside`,
    notApplied > 0 && `${notApplied} merged and not applied`,
    unknownOrigin > 0 && unknownOrigin < sets && `${unknownOrigin} of unknown origin`,
  )
  const told = parts.length === 0 ? '' : `: ${parts.join(', ')}`
  return [`${counted(sets, 'set')} ${sets === 1 ? 'differs' : 'differ'} from the files${told}`]
}

/** What *Review first* does not say already. */
export function warningsSection({ diagnostics }: Plan, typed: TypedCommand | undefined): Section | undefined {
  const told = inThisPlace(sortDiagnostics(diagnostics.filter(({ code }) => code !== 'rule-violated')), typed)
  if (told.length === 0) return undefined
  return {
    form: 'list',
    rows: told.map(diagnosticRow),
  }
}

/** What a run could not know or left out, who is affected, and what to do. */
function notesOf(
  { kind, plan, typed, isSaved, unfinished, verbose = false }: Planned,
  sets: readonly ChangedSet[],
): Row[] {
  const effects = effectsOf(plan)
  const requests = requestsOf(plan)
  const totals: Total[] = [
    ...totalsOf(plan).filter(({ label }) => sets.length > 0 || label !== 'Equal'),
    ...driftOrNone(plan),
    ...(isSaved ? [CLAIMS] : []),
    ...(requests.length === 0 ? [] : [{ label: 'Requests', phrase: requests, usual: true as const }]),
    ...(kind === 'drift' ? waysOut(plan, sets, typed, unfinished) : []),
  ]
  return [
    ...(effects === undefined
      ? []
      : [
          { mark: 'Workspaces', cells: [effects.headline] },
          ...effects.notes.map((note): Row => ({ mark: '', cells: [note] })),
        ]),
    ...totals
      .filter(({ usual }) => verbose || usual !== true)
      .map(({ label, phrase, whole }): Row => ({ mark: label, cells: [(verbose && whole) || phrase] })),
    ...verdict(plan, kind, typed),
  ]
}

/** What somebody who edits a plan file can change without another digest. */
export const CLAIMS: Total = {
  label: 'Digest',
  phrase: ['covers the operations; names of workspaces, effects, exposure and warnings are not verified'],
}

/** Whether and how the plan can be approved. */
function verdict(plan: Plan, kind: 'plan' | 'drift', typed: TypedCommand | undefined): Row[] {
  if (kind === 'drift') return []
  if (isForbidden(plan)) return [{ mark: 'FORBIDDEN', tone: 'bad', cells: [[FORBIDDEN_NEXT]] }]
  if (!plan.blocked) return []
  const { command } = approval(plan, typed)
  const how = command === undefined ? 'After review, approve its digest.' : say`After review: ${command}`
  return [{ mark: 'BLOCKED', tone: 'bad', cells: [typeof how === 'string' ? [how] : how] }]
}

/** Who gets what, unless the headline and the rows of the sets say it. */
function affectedSection(plan: Plan): Section | undefined {
  const effects = effectsOf(plan)
  if (effects === undefined || effects.groups.length === 0 || effects.isTold) return undefined
  return {
    title: title`Affected workspaces`,
    form: 'list',
    folded: true,
    rows: effects.groups.map(({ who, effects: all }) => ({
      cells: [who],
      rows: all.map(one => ({ cells: [one] })),
    })),
  }
}
