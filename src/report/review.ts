import { compareText, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { nameOf, type VariableKey } from '../model/ids.ts'
import { grouped, itemAt } from '../model/lists.ts'
import type { RuleLevel } from '../model/rule.ts'
import { type ChangedPart, type ChangedSet, type ChangedVariable, changedSets } from '../plan/changed-sets.ts'
import type {
  Exposed,
  ItemCounts,
  PrecedenceReason,
  ReceivedChange,
  TransitionGap,
} from '../plan/effective/effect.ts'
import { isIdle, type Plan } from '../plan/plan-data.ts'
import type { PlanFinding } from '../plan/plan-findings.ts'
import { type Row, type Section, title } from './doc.ts'
import { gapWords, likenessOf, setsOfGap, stepsById } from './gap-text.ts'
import {
  became,
  counted,
  figure,
  groupedBy,
  joined,
  listed,
  message,
  name,
  type Phrase,
  present,
  say,
  type Tone,
  words,
} from './phrase.ts'
import { effectGroups } from './received-effects.ts'
import { givenValue, sizeOf, type Who, whoPhrase } from './who.ts'

/**
 * What a reviewer must see before everything else: data, with a predicate. The subject follows from `sets` and `keys`, so `says` is only
 * what is said of them: `db GONE` `deleted, and cannot be recovered`.
 */
export interface Finding {
  readonly kind: FindingKind
  readonly says: Phrase
  /** The sets and variables that it is about; empty if it is about the whole plan, or a sentence of a guard that names them. */
  readonly sets: readonly string[]
  readonly keys: readonly VariableKey[]
  /** Number of workspaces: infinite for all, undefined if unknown or not about workspaces. */
  readonly breadth?: number
  /** The guard, or the rule with its level: each is summed up by itself. */
  readonly code?: string
  readonly source?: SourceRange
}

/** By harm (docs/reports.md): first what is irreversible, then who receives what, then what is temporary. Those with one rank mix. */
export const KINDS = {
  forbidden: { rank: 1, tone: 'bad' },
  blocked: { rank: 2, tone: 'bad' },
  lost: { rank: 3, tone: 'bad' },
  readable: { rank: 4, tone: 'bad' },
  loosened: { rank: 5, tone: 'bad' },
  adopted: { rank: 6, tone: 'bad' },
  missing: { rank: 7, tone: 'bad' },
  rule: { rank: 8, tone: 'heed' },
  gone: { rank: 9, tone: 'bad' },
  global: { rank: 10, tone: 'heed' },
  priority: { rank: 11, tone: 'heed' },
  secret: { rank: 12, tone: 'heed' },
  override: { rank: 13, tone: 'heed' },
  value: { rank: 13, tone: 'heed' },
  wide: { rank: 14, tone: 'heed' },
  gap: { rank: 15, tone: 'heed' },
  drift: { rank: 16, tone: 'heed' },
  unknown: { rank: 17, tone: 'heed' },
} as const satisfies Readonly<Record<string, { readonly rank: number; readonly tone: Tone }>>

export type FindingKind = keyof typeof KINDS

type About = Partial<Omit<Finding, 'kind' | 'says'>>

const finding = (kind: FindingKind, says: Phrase, about: About = {}): Finding => ({
  sets: [],
  keys: [],
  ...about,
  kind,
  says,
})

/** What findings are made from, looked up once. */
interface Reviewing {
  readonly plan: Plan
  readonly sets: readonly ChangedSet[]
  readonly created: ReadonlySet<string>
  /** Where a set stands in the files. */
  readonly sources: ReadonlyMap<string, SourceRange>
}

/** All findings: by harm, those about existing sets before those about new ones, then by breadth. */
export function findingsIn(plan: Plan, kind: 'plan' | 'drift'): Finding[] {
  const sources = new Map<string, SourceRange>()
  for (const { operation, source } of plan.steps)
    if (source !== undefined && !sources.has(operation.subject.name))
      sources.set(operation.subject.name, source)
  const sets = changedSets(plan)
  const created = new Set(sets.flatMap(one => (one.sign === '+' ? [one.name] : [])))
  const reviewed: Reviewing = { plan, sets, created, sources }
  const others = [
    ...failures(plan),
    ...blocks(plan),
    ...violations(plan),
    ...losses(sets),
    ...adoptions(plan),
    ...unmended(plan.facts.findings),
    ...loosened(plan),
    ...becomeGlobal(reviewed),
    ...gainPriority(reviewed),
    ...newSecrets(reviewed),
    ...displacements(reviewed),
    ...gaps(plan),
    ...drifted(plan, kind),
    ...unknown(plan),
  ]
  const all = [...others, ...wide(reviewed, others)]
  return inOrder(all, created)
}

export function inOrder(findings: readonly Finding[], created: ReadonlySet<string>): Finding[] {
  const isNew = ({ sets }: Finding): number => Number(sets.some(set => created.has(set)))
  return findings.toSorted(
    (a, b) => KINDS[a.kind].rank - KINDS[b.kind].rank || isNew(a) - isNew(b) || broader(a, b),
  )
}

const broader = (a: Finding, b: Finding): number => {
  const [one, other] = [a.breadth ?? 0, b.breadth ?? 0]
  return one === other ? 0 : other - one
}

/** What it is about: `db GONE`, `a, b, c and 4 more`. A gap says by itself which sets change. */
export const subjectOf = ({ kind, sets, keys }: Pick<Finding, 'kind' | 'sets' | 'keys'>): Phrase =>
  joined(
    present<Phrase>(
      sets.length > 0 && kind !== 'gap' && listed(sets),
      keys.length > 0 && listed(keys.map(nameOf)),
    ),
    ' ',
  )

/** The subject, and what is said of it. */
export const sentenceOf = (one: Finding): Phrase => {
  const subject = subjectOf(one)
  return subject.length === 0 ? one.says : say`${subject} ${one.says}`
}

/** `undefined`: there is nothing to review. */
export function reviewSection(findings: readonly Finding[], verbose = false): Section | undefined {
  if (findings.length === 0) return undefined
  const { rows, more } = summedUp(findings)
  return {
    title: title`Review first`,
    form: 'calls',
    rows: [
      ...rows.map(row => ('rest' in row ? restRow(row.rest) : findingRow(row))),
      ...(more === undefined || verbose ? [] : [{ cells: [more], tone: 'quiet' as const }]),
    ],
  }
}

function findingRow(one: Finding): Row {
  const subject = subjectOf(one)
  return {
    mark: one.kind,
    tone: KINDS[one.kind].tone,
    cells: subject.length === 0 ? [one.says] : [subject, one.says],
    source: one.source,
  }
}

function restRow(rest: readonly Finding[]): Row {
  const { kind } = itemAt(rest, 0)
  return {
    mark: kind,
    tone: KINDS[kind].tone,
    cells: [othersLike(rest)],
    rows: rest.map(findingRow),
    folded: true,
  }
}

/** Findings of one kind, guard or rule with a row of their own. */
const MOST_EACH = 4

interface Rest {
  readonly rest: readonly Finding[]
}

/** The one rule to sum up: of each kind, guard and rule the first have a row each, and the last row counts the others. It never adds up what differs. */
function summedUp(findings: readonly Finding[]): {
  readonly rows: readonly (Finding | Rest)[]
  readonly more?: Phrase
} {
  const alike = [...grouped(findings, ({ kind, code = '' }) => `${kind} ${code}`).values()]
  const rows = alike.flatMap((all): (Finding | Rest)[] =>
    all.length <= MOST_EACH ? all : [...all.slice(0, MOST_EACH - 1), { rest: all.slice(MOST_EACH - 1) }],
  )
  if (rows.length === findings.length) return { rows }
  return {
    rows,
    more: [`all ${counted(findings.length, 'finding')}: --verbose, or "review" in --format json`],
  }
}

function othersLike(rest: readonly Finding[]): Phrase {
  const sets = [...new Set(rest.flatMap(one => one.sets))]
  return say`and ${figure(rest.length)} more like this${sets.length > 0 && say`: ${listed(sets)}`}`
}

/** A plan has no other errors than those of rules. */
const failures = ({ diagnostics }: Plan): Finding[] =>
  diagnostics
    .filter(one => hasErrors([one]) && one.code !== 'rule-violated')
    .map(one => finding('forbidden', [message(one.message)], { source: one.source, code: one.code }))

/** Guards that block. Rules are reported by their hits. */
const blocks = ({ blocks: all }: Plan): Finding[] =>
  all
    .filter(({ code }) => code !== 'violates-rule')
    .map(({ code, message: text, source }) => finding('blocked', [message(text)], { source, code }))

const KIND_OF: Readonly<Record<RuleLevel, FindingKind>> = {
  warn: 'rule',
  block: 'blocked',
  error: 'forbidden',
}

/** Rules that the plan violates. */
const violations = (plan: Plan): Finding[] =>
  (plan.hits ?? []).map(({ rule, level, message: text, item: { set, key }, source }) => {
    const kind = level === 'block' && isIdle(plan) ? 'rule' : KIND_OF[level]
    const subject = set === undefined && 'the plan '
    return finding(kind, say`${subject}violates the rule ${name(rule)}: ${message(text)}`, {
      sets: present(set),
      keys: [key].filter(isKey),
      source,
      code: `${level} ${rule}`,
    })
  })

const isKey = (key: string | undefined): key is VariableKey => key !== undefined

const isVariable = (change: ChangedPart): change is ChangedVariable => change.kind === 'variable'

/** Secrets that the service loses, and readable values that may be in no other place: whoever kept them out of Git has them there alone. */
function losses(sets: readonly ChangedSet[]): Finding[] {
  const each = (
    kind: 'lost' | 'readable',
    isLost: (one: ChangedVariable) => boolean,
    says: (count: number) => Phrase,
  ): Finding[] =>
    sets
      .map(({ name: set, changes }) => ({ set, gone: changes.filter(isVariable).filter(isLost) }))
      .toSorted((a, b) => b.gone.length - a.gone.length)
      .flatMap(({ set, gone }) => {
        if (gone.length === 0) return []
        const keys = gone.map(({ key }) => key)
        return [finding(kind, says(keys.length), { source: gone[0]?.source, sets: [set], keys })]
      })
  const isOnlyThere = ({ before, after, moves }: ChangedVariable): boolean =>
    before !== undefined && 'withheld' in before.value && after === undefined && moves.length === 0
  return [
    ...each(
      'lost',
      ({ loses }) => loses === 'deleted',
      () => ['deleted, and cannot be recovered'],
    ),
    ...each('lost', isOnlyThere, count => [
      count === 1
        ? 'looks like a secret and is deleted; its value may be in no other place'
        : 'look like secrets and are deleted; their values may be in no other place',
    ]),
    ...sets.flatMap(({ name: set, changes }) =>
      changes
        .filter(isVariable)
        .flatMap(({ key, loses, source }) =>
          loses === 'readable'
            ? [finding('readable', ['no longer sensitive'], { source, sets: [set], keys: [key] })]
            : [],
        ),
    ),
  ]
}

/** One for each owner that loses sets. */
const adoptions = ({ facts }: Plan): Finding[] =>
  [...grouped(facts.inventory.taken, ({ owner }) => owner)].map(([owner, taken]) =>
    finding('adopted', say`taken from owner ${name(owner)}`, { sets: taken.map(({ set }) => set) }),
  )

/** What no operation can mend. One for each kind and set; of what is overridden, for each other set and number of workspaces. */
export function unmended(findings: readonly PlanFinding[]): Unmended[] {
  return groupedBy(findings, one =>
    JSON.stringify([one.kind, one.set, one.kind === 'overridden' && [one.by.id, one.workspaces]]),
  ).map(group => {
    const { kind, set, workspaces, source } = itemAt(group, 0)
    const keys = group.flatMap(one => (one.kind === 'unassigned' ? [] : one.key))
    const about = { sets: [set], keys, breadth: workspaces, source }
    return { ...about, kind: UNMENDED[kind], says: unmendedWords(group, keys.length) }
  })
}

interface Unmended extends Finding {
  readonly kind: (typeof UNMENDED)[PlanFinding['kind']]
}

const UNMENDED = {
  missing: 'missing',
  readable: 'readable',
  overridden: 'override',
  unassigned: 'missing',
} as const satisfies Record<PlanFinding['kind'], FindingKind>

function unmendedWords(group: readonly PlanFinding[], keys: number): Phrase {
  const one = itemAt(group, 0)
  const { set, workspaces = 0 } = one
  const it = keys === 1 ? 'it' : 'them'
  const receive = workspaces === 1 ? 'receives' : 'receive'
  const receivers = workspaces > 0 && `; ${counted(workspaces, 'workspace')} ${receive}`
  switch (one.kind) {
    case 'missing':
      return say`external and not in the service: set ${it} there${receivers && say`${receivers} ${name(set)} without ${it}`}`
    case 'readable':
      return say`${keys === 1 ? 'was' : 'were'} sensitive, and everybody who may read the set can read ${it} now${receivers && `${receivers} ${it}`}`
    case 'overridden': {
      const whose = one.by.owner === undefined ? 'unmanaged' : say`owned by ${name(one.by.owner)}`
      return say`overridden by ${name(one.by.set)} (${whose})${workspaces > 0 && ` in ${counted(workspaces, 'workspace')}`}`
    }
    case 'unassigned': {
      const members = group.flatMap(all => (all.kind === 'unassigned' ? all.member.name : []))
      const [has, for_] =
        members.length === 1
          ? ['its group has another name', 'it']
          : ['their groups have other names', 'them']
      return say`not assigned to ${listed(members)}: ${has} for ${for_} than the service`
    }
  }
}

/** Settings that a change loosens. Rules of the base count in this plan, whatever the change does to them. */
const loosened = ({ facts }: Plan): Finding[] =>
  (facts.base?.loosened ?? []).map(({ setting, base, head }) => {
    const rule = /^rules\.(.*)$/.exec(setting)?.[1]
    if (rule === undefined)
      return finding(
        'loosened',
        say`${name(setting)} protects less than before: ${became([name(base)], [name(head)])}`,
      )
    const what = head === 'deleted' ? 'deleted' : `changed from ${base} to ${head}`
    return finding('loosened', say`the rule ${name(rule)} is ${what}; here it still counts as in the base`)
  })

const breadthOf = (who: Who): number => sizeOf(who) ?? Number.POSITIVE_INFINITY

const whoOf = ({ audience, global }: Exposed): Who =>
  global ? { ...audience, everywhere: true } : { ...audience, byProject: true }

/** Secrets that newly reach workspaces or Stacks, also because their set is assigned to more. */
const newSecrets = ({ plan, sources }: Reviewing): Finding[] =>
  plan.facts.exposure.flatMap(one => {
    if (one.kind !== 'secret') return []
    const who = whoOf(one)
    const about = { sets: [one.set], keys: one.keys, breadth: breadthOf(who), source: sources.get(one.set) }
    return [finding('secret', say`newly in ${whoPhrase(who, plan)}`, about)]
  })

/** Sets that become global, and new variables of global sets. A Stack receives nothing by itself (docs/service.md 13.1). */
function becomeGlobal({ plan, sets, created, sources }: Reviewing): Finding[] {
  const { exposure } = plan.facts
  const mayRead = ({ keys, audience: { stacks = [] } }: Exposed): string =>
    stacks.length > 0 && keys.length > 0
      ? `; ${counted(stacks.length, 'Stack')} may read ${keys.length === 1 ? 'it' : 'them'}`
      : ''
  const receiving = (one: Exposed): Phrase => {
    const { stacks: _, ...audience } = one.audience
    const who = { ...audience, everywhere: true } as const
    return say`in ${whoPhrase(who, plan)}${mayRead(one)}`
  }
  const becoming = sets.flatMap(({ name: set, changes }) => {
    const now = changes.find(one => one.kind === 'setting' && one.name === 'global')
    if (now?.kind !== 'setting' || now.after !== true) return []
    const found = exposure.find(one => one.kind === 'global' && one.set === set)
    const what =
      found === undefined
        ? ['in every workspace']
        : found.keys.length === 0
          ? ['nothing is in it yet']
          : receiving(found)
    const says = say`${created.has(set) ? 'created' : 'now'} global: ${what}`
    const breadth = found === undefined ? Number.POSITIVE_INFINITY : breadthOf(found.audience)
    return [
      finding('global', says, { sets: [set], keys: found?.keys ?? [], breadth, source: sources.get(set) }),
    ]
  })
  const secret = new Set(
    exposure.flatMap(({ kind, set, keys }) => (kind === 'secret' ? keys.map(key => `${set}/${key}`) : [])),
  )
  const added = exposure.flatMap(one => {
    const keys = one.keys.filter(key => !secret.has(`${one.set}/${key}`))
    if (one.kind !== 'added' || !one.global || one.priority || keys.length === 0) return []
    const says = say`new in a global set: ${receiving({ ...one, keys })}`
    return [
      finding('global', says, {
        sets: [one.set],
        keys,
        breadth: breadthOf(one.audience),
        source: sources.get(one.set),
      }),
    ]
  })
  return [...becoming, ...added]
}

const OVERRIDE = 'override all others, including the command line'

/** Sets that gain priority, and new variables of sets with priority. They override workspace variables. */
function gainPriority({ plan, sets, created, sources }: Reviewing): Finding[] {
  const gaining = sets.flatMap(({ name: set, changes }) => {
    const now = changes.find(one => one.kind === 'setting' && one.name === 'priority')
    if (now?.kind !== 'setting' || now.after !== true) return []
    const says = `${created.has(set) ? 'created with' : 'gains'} priority: its values ${OVERRIDE}`
    return [finding('priority', [says], { sets: [set], source: sources.get(set) })]
  })
  const added = plan.facts.exposure.flatMap(one => {
    if (one.kind !== 'added' || !one.priority) return []
    const size = sizeOf(one.audience)
    const reach = one.global ? 'every workspace' : 'all workspaces of the set'
    const where = size === undefined ? reach : counted(size, 'workspace')
    const says = `new in a set with priority${one.global ? ' that is global' : ''}: in ${where} ${one.keys.length === 1 ? 'it overrides' : 'they override'} all other values, including the command line`
    return [
      finding('priority', [says], {
        sets: [one.set],
        keys: one.keys,
        breadth: breadthOf(one.audience),
        source: sources.get(one.set),
      }),
    ]
  })
  return [...gaining, ...added]
}

/** What one set does to values that workspaces had: it takes a key away (`gone`), wins over another set (`override`), or leaves a key to it (`value`). */
interface Displacement {
  readonly kind: 'gone' | 'override' | 'value'
  readonly set: string
  /** The other set that gave the keys, or gives them now. */
  readonly giver: string
  readonly who: Who
  readonly values: readonly ReceivedChange[]
}

/** `undefined` if no workspace loses a value, or the row of the set shows the new one. */
function causeOf({
  kind,
  before,
  after,
  why,
}: ReceivedChange): Pick<Displacement, 'kind' | 'set' | 'giver'> | undefined {
  const [was, is] = [before?.set ?? '', after?.set ?? '']
  switch (kind) {
    case 'gained':
    case 'source':
    case 'value':
    case 'priority':
    case 'sent':
      return undefined
    case 'lost':
      return { kind: 'gone', set: was, giver: '' }
    case 'winner':
      return why === 'gone'
        ? { kind: 'value', set: was, giver: is }
        : { kind: 'override', set: is, giver: was }
  }
}

function displacements(reviewed: Reviewing): Finding[] {
  const { plan, sources } = reviewed
  const isMove = movesIn(reviewed)
  const found = effectGroups(plan).flatMap(({ effects, audience }) =>
    groupedBy(
      effects.flatMap(change => {
        const cause = causeOf(change)
        // The row of the variable says where it moves.
        return cause === undefined || (cause.kind === 'value' && isMove(cause.set, change.key, cause.giver))
          ? []
          : [{ cause, change }]
      }),
      ({ cause }) => JSON.stringify(cause),
    ).map(
      (alike): Displacement => ({
        ...alike[0].cause,
        who: audience,
        values: alike.map(({ change }) => change).toSorted((a, b) => compareText(a.key, b.key)),
      }),
    ),
  )
  return found
    .toSorted((a, b) => compareText(a.set, b.set))
    .map(one =>
      finding(one.kind, displacedWords(one, plan), {
        sets: [one.set],
        keys: one.values.map(({ key }) => key),
        breadth: breadthOf(one.who),
        source: sources.get(one.set),
      }),
    )
}

/** Whether a variable moves from one set to another, and leaves the first one before: then a gap says it, if anybody sees it. */
function movesIn({ sets }: Reviewing): (from: string, key: VariableKey, to: string) => boolean {
  const at = (set: string, key: string): string => `${key} ${set}`
  const variables = sets.flatMap(({ name: set, changes }) =>
    changes.filter(isVariable).map(one => ({ set, one })),
  )
  const gone = new Map(
    variables.flatMap(({ set, one }) => (one.after === undefined ? [[at(set, one.key), one] as const] : [])),
  )
  const sent = new Map(
    variables.flatMap(({ set, one }) => (one.after === undefined ? [] : [[at(set, one.key), one] as const])),
  )
  return (from, key, to) => {
    const first = gone.get(at(from, key))
    if (first === undefined || !first.moves.includes(to)) return false
    const ids = new Set(first.steps.map(({ id }) => id))
    return sent.get(at(to, key))?.steps.some(({ after }) => after.some(({ step }) => ids.has(step))) === true
  }
}

const WHY = {
  priority: 'it has priority',
  scope: 'its assignment has a stronger rank',
  name: 'its name sorts first',
} as const satisfies Record<PrecedenceReason, string>

/** Up to so many keys are shown with their values. */
const MOST_TOLD = 3

function displacedWords({ kind, giver, who, values }: Displacement, plan: Plan): Phrase {
  const where = whoPhrase(who, plan)
  if (kind === 'gone')
    return say`gone from ${where}: no other set gives ${values.length === 1 ? 'it' : 'them'}`
  const whys = new Set(values.map(({ why }) => why))
  const [why] = whys
  const because = whys.size === 1 && why !== undefined && why !== 'gone' && `, because ${WHY[why]}`
  const deed =
    kind === 'override' ? say`overrides ${name(giver)} in ${where}` : say`now of ${name(giver)} in ${where}`
  return say`${deed}${because}${valuesOf(values)}`
}

/** `: 6 -> 1`; several keys with their names. */
function valuesOf(values: readonly ReceivedChange[]): Phrase {
  if (values.length > MOST_TOLD) return []
  const told = values.flatMap((one): Phrase[] => {
    const pair = pairOf(one)
    return pair === undefined ? [] : [say`${values.length > 1 && say`${name(nameOf(one.key))} `}${pair}`]
  })
  return told.length === 0 ? [] : say`: ${joined(told, ', ')}`
}

/** `undefined` if neither side may be shown. */
function pairOf({ before, after }: ReceivedChange): Phrase | undefined {
  const [was, is] = [givenValue(before), givenValue(after)]
  if (was === undefined && is === undefined) return undefined
  if (before?.secret && after?.secret) return [words('(secret)', 'quiet')]
  const unseen: Phrase = [words('(not shown)', 'quiet')]
  return became(was ?? unseen, is ?? unseen)
}

/** Values that are neither old nor new and that workspaces may see. Gaps that differ only in the key are one. */
function gaps(plan: Plan): Finding[] {
  const steps = stepsById(plan)
  return groupedBy(plan.facts.transition.gaps, gap => likenessOf(gap, steps)).map(group => {
    const gap: TransitionGap = group[0]
    const keys = [...new Set(group.map(({ key }) => key))]
    return finding('gap', gapWords(group, plan, steps), {
      sets: setsOfGap(gap),
      keys,
      breadth: breadthOf(gap),
      source: steps.get(gap.between[1])?.source,
    })
  })
}

/** Changes made outside that a plan reverts, or writes over because its change edits them; secrets that are written again. */
function drifted(plan: Plan, kind: 'plan' | 'drift'): Finding[] {
  const rewritten = changedOutside(plan)
  if (kind === 'drift') return rewritten
  const reverted = plan.facts.origins
    .flatMap(({ items }) => Object.values(items))
    .filter(origin => origin === 'outside').length
  const overwritten = (plan.onlyThisChange?.overwritten ?? []).map(({ set, items }) => {
    const names = listed(items.map(item => item.slice(item.indexOf('/') + 1)))
    const are = items.length === 1 ? 'is' : 'are'
    return finding('drift', say`${names} differed before this change, and ${are} overwritten`, {
      sets: [set],
    })
  })
  const many = `${counted(reverted, 'change')} made outside ${reverted === 1 ? 'is' : 'are'} reverted`
  return [...overwritten, ...(reverted === 0 ? [] : [finding('drift', [many])]), ...rewritten]
}

const changedOutside = ({ steps }: Plan): Finding[] =>
  steps.flatMap(({ operation, source }) => {
    if (operation.type !== 'update-variable' || operation.rewrite !== 'changed-outside') return []
    const says =
      'may have been changed outside; it is written again (to keep it: put it into its source, and raise its version)'
    return [finding('drift', [says], { source, sets: [operation.subject.name], keys: [operation.after.key] })]
  })

/** Missing information that could change the findings above. */
const unknown = ({ steps, facts }: Plan): Finding[] =>
  steps.length > 0 && facts.received.partial === true ? [finding('unknown', [NOT_IN_SNAPSHOT])] : []

const NOT_IN_SNAPSHOT =
  'the snapshot does not contain the values and workspaces of unmanaged sets, so it is unknown which of them this overrides'

/** How many workspaces a part concerns; `undefined` if not all are told, or if a target says it by itself. */
export function countOf(
  part: ChangedPart,
  { sign }: Pick<ChangedSet, 'sign'>,
  counts: ItemCounts | undefined,
): number | undefined {
  if (counts === undefined || (part.kind === 'setting' && (part.name === 'owner' || part.name === 'name')))
    return undefined
  if (part.kind === 'targets') {
    if (sign !== '~' || part.targets !== 'projects')
      return sign === '~' && part.targets === 'workspaces' ? part.ids.length : undefined
    const inside = part.ids.map(id => counts.items[id])
    return inside.reduce<number | undefined>(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0,
    )
  }
  return sign === '~' ? counts.items[part.kind === 'variable' ? part.key : part.name] : counts.workspaces
}

/** A change of so many workspaces is a finding, or of this share of them and more than one. */
const WIDE = 10
const WIDE_SHARE = 0.3

/** Changes that concern many workspaces, unless another finding says whom they reach. */
function wide({ plan, sets }: Reviewing, others: readonly Finding[]): Finding[] {
  const { known, whole } = plan.facts.received
  const counts = new Map(plan.facts.counts.map(one => [one.set, one]))
  const isWide = (count: number | undefined): count is number =>
    count !== undefined && (count >= WIDE || (whole === true && count > 1 && count >= known * WIDE_SHARE))
  const named = new Set(
    others.flatMap(one =>
      one.breadth === undefined
        ? []
        : one.sets.flatMap(set => [set, ...one.keys.map(key => `${set} ${key}`)]),
    ),
  )
  const where = (count: number): string =>
    whole && count === known && count > 1
      ? `all ${figure(count)} workspaces`
      : `${figure(count)}${whole ? ` of ${figure(known)}` : ''} ${(whole ? known : count) === 1 ? 'workspace' : 'workspaces'}`
  return sets.flatMap(set => {
    const own = counts.get(set.name)
    const found = set.changes.flatMap(one => {
      const count = countOf(one, set, own)
      const isTold =
        one.kind === 'variable'
          ? named.has(`${set.name} ${one.key}`)
          : one.kind === 'setting' && named.has(set.name)
      return isWide(count) && !isTold ? [{ one, count }] : []
    })
    return [...grouped(found, ({ count }) => count)].map(([count, alike]) => {
      const keys = alike.flatMap(({ one }) => (one.kind === 'variable' ? [one.key] : []))
      const parts = [
        ...new Set(
          alike.flatMap(({ one }) =>
            one.kind === 'variable' ? [] : [one.kind === 'setting' ? one.name : one.targets],
          ),
        ),
      ]
      const what = keys.length > 0 || parts.length === 0 ? [] : [`${parts.join(', ')}: `]
      return finding('wide', say`${what}${deedOf(alike)} ${where(count)}`, {
        sets: [set.name],
        keys,
        breadth: count,
        source: alike[0].one.source ?? set.source,
      })
    })
  })
}

function deedOf(alike: readonly { readonly one: ChangedPart }[]): string {
  const [sign, ...others] = new Set(alike.map(({ one }) => one.sign))
  if (others.length > 0) return 'changes in'
  return sign === '+' ? 'new in' : sign === '-' ? 'deleted in' : 'changes in'
}
