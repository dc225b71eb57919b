import { FIELD_NAMES, type FieldTable, hasEffect, NO_FIELDS, type VariableFields } from '../model/fields.ts'
import { categoryOf, nameOf, TARGETS, type VariableKey } from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'
import {
  type ChangedPart,
  type ChangedSet,
  type ChangedSetting,
  type ChangedTargets,
  type ChangedVariable,
  changedSets,
  rankOf,
} from '../plan/changed-sets.ts'
import type { ItemCounts } from '../plan/effective/effect.ts'
import { losesSecret } from '../plan/operation.ts'
import type { Origin, Plan } from '../plan/plan-data.ts'
import type { Row, Section } from './doc.ts'
import { type LineDifference, lineDifference, linesOf } from './line-diff.ts'
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
  placesPhrase,
  present,
  say,
  shortTime,
  value,
  words,
} from './phrase.ts'
import { countOf } from './review.ts'
import { namesOf } from './who.ts'

/** The sets that a plan changes, with what happens to their parts, and after an apply what became of it. Deletions stand first; of one sign, what concerns most workspaces. */
export function changesSection(
  plan: Plan,
  kind: 'plan' | 'drift' | 'apply',
  outcomeOf?: (set: ChangedSet) => Phrase,
): Section {
  const counts = new Map(plan.facts.counts.map(one => [one.set, one]))
  const updatedAt = new Map(plan.facts.origins.map(one => [one.set, one.updatedAt]))
  const context: RowContext = {
    plan,
    hidden: new Set(plan.facts.hidden),
    countsOf: set => counts.get(set),
    updatedAt: set => updatedAt.get(set),
  }
  const sets = changedSets(plan, tellsOrigins(plan, kind))
    .map(set => ({ set, reach: counts.get(set.name)?.workspaces ?? 0 }))
    .toSorted((a, b) => rankOf(a.set) - rankOf(b.set) || b.reach - a.reach)
    .map(({ set }) => set)
  return {
    form: 'changes',
    columns: outcomeOf === undefined ? ['set', 'what'] : ['set', 'outcome', 'what'],
    rows: withEqualTogether(
      sets.map(set => {
        const row = setRow(set, context)
        return outcomeOf === undefined ? row : { ...row, cells: row.cells.toSpliced(1, 0, outcomeOf(set)) }
      }),
    ),
  }
}

interface RowContext {
  readonly plan: Plan
  /** Keys whose new readable values the plan hides. */
  readonly hidden: ReadonlySet<VariableKey>
  readonly countsOf: (set: string) => ItemCounts | undefined
  /** When a set was changed outside, ISO 8601. */
  readonly updatedAt: (set: string) => string | undefined
}

/** An entry of a set: what it is about, what it becomes, and what else is to say of it. */
interface Entry {
  readonly part: ChangedPart
  readonly label: Phrase
  readonly said: Phrase
  /** The changed lines of a long text. */
  readonly lines: readonly Row[]
  readonly count: number | undefined
}

function setRow(set: ChangedSet, context: RowContext): Row {
  const { sign, name: text, previousName, source } = set
  const counts = context.countsOf(text)
  const origins = originsOf(set, context.updatedAt(text))
  const entries = set.changes
    .map(part => entryOf(part, set, counts, origins.of(part), context))
    .toSorted((a, b) => KIND_RANK[a.part.kind] - KIND_RANK[b.part.kind] || (b.count ?? 0) - (a.count ?? 0))
  const title: Phrase = previousName === undefined ? [name(text)] : became([name(previousName)], [name(text)])
  const [only, ...others] = entries
  if (
    sign === '~' &&
    previousName === undefined &&
    only !== undefined &&
    others.length === 0 &&
    only.lines.length === 0
  ) {
    const label = say`${only.part.sign} ${only.label}`
    return { mark: sign, cells: [title, ...cellsOf(label, only, only.count)], source }
  }
  const notes = present<Phrase>(
    [summaryOf(set)],
    sign === '-' && source === undefined && ['pruned: no file declares it'],
    ...origins.ofSet,
  )
  const shared = sharedCount(set, entries, counts)
  const rows = entries.map((one): Row => {
    const own = one.count === shared ? undefined : one.count
    return {
      mark: one.part.sign,
      cells: cellsOf(one.label, one, own),
      source: one.part.source,
      ...(one.lines.length === 0 ? {} : { rows: one.lines }),
    }
  })
  return {
    mark: sign,
    cells: present(title, joined(notes, ', '), isTold(set, shared) ? undefined : reachCell(shared)),
    source,
    ...(rows.length === 0 ? {} : { rows }),
    ...(sign === '-' && { folded: true }),
  }
}

const KIND_RANK = { setting: 0, variable: 1, targets: 2 } as const satisfies Record<
  ChangedPart['kind'],
  number
>

/** A target says by itself how many workspaces it is. */
const cellsOf = (label: Phrase, { part, said }: Entry, count: number | undefined): Phrase[] =>
  present(
    label,
    said.length > 0 && said,
    part.kind === 'targets' && part.targets === 'workspaces' ? undefined : reachCell(count),
  )

const reachCell = (count: number | undefined): Phrase | undefined =>
  count === undefined || count === 0 ? undefined : [words(`in ${counted(count, 'workspace')}`, 'quiet')]

/** What is said once at the set, because it holds for every part that has a number. */
function sharedCount(
  { sign }: ChangedSet,
  entries: readonly Entry[],
  counts: ItemCounts | undefined,
): number | undefined {
  if (sign !== '~' || entries.length === 0) return counts?.workspaces
  const known = new Set(
    entries.filter(({ part }) => part.kind !== 'targets').flatMap(({ count }) => count ?? []),
  )
  const [only] = known
  return known.size === 1 ? only : undefined
}

/** The workspaces of a new or deleted set are counted among its parts already. */
function isTold({ sign, changes }: ChangedSet, count: number | undefined): boolean {
  const targets = changes.filter(one => one.kind === 'targets')
  const isOnly = sign !== '~' && targets.every(one => one.targets === 'workspaces')
  return isOnly && targets.reduce((sum, { ids }) => sum + ids.length, 0) === count
}

/** Changed sets with equal entries share them. */
function withEqualTogether(rows: readonly Row[]): Row[] {
  return groupedBy(rows, row =>
    row.mark === '~' && row.rows !== undefined && row.rows.length > 0 ? likenessOf(row.rows) : undefined,
  ).flatMap(group => {
    if (group.length === 1) return group
    const first = group[0]
    const names = group.map(({ cells }) => cells[0] ?? [])
    const shown = names.slice(0, MOST_SHARING)
    const more = names.length - shown.length
    const who = say`in each of ${joined(shown, ', ')}${more > 0 && ` and ${figure(more)} more`}:`
    return group.map((row, at): Row => {
      const { rows: _, ...head } = row
      return at < group.length - 1
        ? head
        : { ...head, rows: [{ tone: 'quiet', cells: [who] }, ...(first.rows ?? [])] }
    })
  })
}

const MOST_SHARING = 3

const likenessOf = (rows: readonly Row[]): string => JSON.stringify(rows.map(({ source: _, ...row }) => row))

function summaryOf({ sign, previousName, changes }: ChangedSet): string {
  const parts = [
    ...(previousName === undefined ? [] : ['renamed, same id']),
    ...changes
      .filter(one => one.kind === 'setting')
      .map(one => one.name)
      .filter(setting => sign === '~' || (setting !== 'description' && setting !== 'owner')),
    ...variableCounts(sign, changes),
    ...targetCounts(sign, changes),
  ]
  return parts.join(', ') || 'empty'
}

function variableCounts(sign: string, changes: readonly ChangedPart[]): string[] {
  const variables = changes.filter(one => one.kind === 'variable')
  const lost = variables.filter(({ loses }) => loses !== undefined).length
  const secrets = variables.filter(({ after }) => after !== undefined && 'secret' in after.value).length
  const held = sign === '+' && secrets > 0 ? ` (${counted(secrets, 'secret')})` : ''
  return present(
    variables.length > 0 && `${counted(variables.length, 'variable')}${held}`,
    lost > 0 && `${counted(lost, 'secret')} lost`,
  )
}

const targetCounts = (sign: string, changes: readonly ChangedPart[]): string[] =>
  [
    ...grouped(
      changes.filter(one => one.kind === 'targets'),
      one => `${one.targets} ${one.sign}`,
    ).values(),
  ].map(all => {
    const count = all.reduce((sum, { ids }) => sum + ids.length, 0)
    return `${sign === '~' ? all[0].sign : ''}${counted(count, TARGETS[all[0].targets].one)}`
  })

const ORIGIN_WORDS = {
  'this-change': 'this change',
  outside: 'changed outside',
  'not-applied': 'merged earlier, not applied',
  before: 'different before this change',
} as const satisfies Record<Origin, string>

/** Origins stand at the set if all entries have the same one, else at each entry. */
function originsOf(
  { sign, changes, origin }: ChangedSet,
  updatedAt: string | undefined,
): { readonly ofSet: readonly Phrase[]; readonly of: (part: ChangedPart) => readonly Phrase[] } {
  const found = changes.length === 0 ? [origin] : changes.map(one => one.origin)
  const [only] = found
  const isCommon = only !== undefined && found.every(one => one === only)
  const since = updatedAt === undefined ? [] : [say`set updated ${message(shortTime(updatedAt))}`]
  const noteOf = (one: Origin, likely: boolean): Phrase[] => [
    [`${likely ? 'possibly ' : ''}${ORIGIN_WORDS[one]}`],
    ...(one === 'outside' ? since : []),
  ]
  if (isCommon && (sign !== '~' || changes.length !== 1))
    return { ofSet: noteOf(only, changes.some(isLikely)), of: () => [] }
  return {
    ofSet: changes.length > 1 ? mixedOf(found) : [],
    of: part => (part.origin === undefined ? [] : noteOf(part.origin, isLikely(part))),
  }
}

/** `2 this change, 1 changed outside`; nothing if no origin is known. */
function mixedOf(origins: readonly (Origin | undefined)[]): Phrase[] {
  const counts = [
    ...grouped(
      origins.flatMap(one => one ?? []),
      one => one,
    ),
  ]
  const told = counts.map(([origin, all]) => `${figure(all.length)} ${ORIGIN_WORDS[origin]}`)
  return told.length === 0 ? [] : [[told.join(', ')]]
}

/** Inferred, not observed. */
const isLikely = (part: ChangedPart): boolean =>
  part.kind === 'variable' && part.rewrite === 'changed-outside'

function entryOf(
  part: ChangedPart,
  set: ChangedSet,
  counts: ItemCounts | undefined,
  origins: readonly Phrase[],
  context: RowContext,
): Entry {
  const { label, shown, notes = [], lines = [] } = shownOf(part, set, context)
  const said = joined(present<Phrase>(shown.length > 0 && shown, ...notes, ...origins), ', ')
  return { part, label, said, lines, count: countOf(part, set, counts) }
}

interface Shown {
  readonly label: Phrase
  readonly shown: Phrase
  readonly notes?: readonly Phrase[]
  readonly lines?: readonly Row[]
}

function shownOf(part: ChangedPart, set: ChangedSet, context: RowContext): Shown {
  switch (part.kind) {
    case 'setting':
      return { label: [part.name], shown: settingPhrase(part, context) }
    case 'variable':
      return shownVariable(part, set.name, context)
    case 'targets':
      return shownTargets(part, context)
  }
}

function settingPhrase({ name: setting, before, after }: ChangedSetting, { plan }: RowContext): Phrase {
  if (setting === 'owner') return say`project ${name(plan.names[String(after)] ?? String(after))}`
  const shown = (one: string | boolean): Phrase =>
    typeof one === 'string' && setting !== 'name' ? descriptionPhrase(one) : [value(String(one))]
  return before === undefined ? shown(after) : pair(shown(before), shown(after))
}

const pair = (before: Phrase, after: Phrase): Phrase =>
  before.length === 0 ? after : after.length === 0 ? before : became(before, after)

function shownTargets({ targets, ids, steps }: ChangedTargets, { plan }: RowContext): Shown {
  const some = new Set<string>(ids)
  const beside = steps
    .flatMap(step => step.assignedAt ?? [])
    .flatMap(({ id, source }) => (some.has(id) ? [source] : []))
  const { one } = TARGETS[targets]
  return {
    label: [ids.length === 1 ? one : counted(ids.length, one)],
    shown: listed(namesOf(ids, plan)),
    notes: beside.length === 0 ? [] : [say`at ${placesPhrase(beside)}`],
  }
}

function shownVariable(part: ChangedVariable, set: string, context: RowContext): Shown {
  const { key, before, after, steps, moves, loses } = part
  const difference = differenceOf(part, context)
  const irreversible = loses !== undefined && [words('irreversible', 'bad')]
  const label: Phrase = [`${categoryOf(key)} `, name(nameOf(key))]
  const shown = difference === undefined ? valuesPhrase(part, context) : [lineCount(difference)]
  const lines = difference === undefined ? [] : lineRows(difference)
  if (after === undefined)
    return {
      label,
      shown,
      lines,
      notes: present<Phrase>(irreversible, ...moves.map(to => say`moves to ${name(to)}`)),
    }
  const fields = fieldNotes(before, after)
  if (before === undefined)
    return {
      label,
      shown,
      lines,
      notes: [...fields, ...moves.map(from => say`moves here from ${name(from)}`)],
    }
  const notes = present<Phrase>(
    steps.length > 1 && ['replaced'],
    irreversible,
    steps.length === 1 && !losesSecret(before) && 'secret' in after.value && ['becomes sensitive'],
    rewriteNote(part, set, after, context),
    endNote(before, after),
    ...fields,
  )
  return { label, shown, lines, notes }
}

/** Longer texts, and those of several lines, are shown as a diff. */
const INLINE = 60
/** Above the limit of HCP Terraform only sizes are shown (docs/fault-model.md F-71). */
const LARGE = 262_144

const isInline = (text: string): boolean => text.length <= INLINE && !/[\n\r]/.test(text)

/** `undefined` if both texts are short, equal, hidden or too large. */
function differenceOf(
  { key, before, after }: ChangedVariable,
  { hidden }: RowContext,
): LineDifference | undefined {
  if (after === undefined || !('text' in after.value)) return undefined
  const is = after.value.text
  if (before === undefined)
    return hidden.has(key) || isInline(is) || is.length > LARGE ? undefined : lineDifference('', is)
  if (!('text' in before.value) || before.value.text === is) return undefined
  const was = before.value.text
  if ((isInline(was) && isInline(is)) || was.length > LARGE || is.length > LARGE) return undefined
  return lineDifference(was, is)
}

/** The old and the new value, or the only one. Nothing if it stays the same. */
function valuesPhrase({ key, before, after }: ChangedVariable, { hidden }: RowContext): Phrase {
  if (after === undefined) return before === undefined ? [] : beforePhrase(before)
  if ('external' in after.value) return [words('(external)', 'quiet')]
  const is = 'text' in after.value && hidden.has(key) ? NOT_SHOWN : afterPhrase(key, after.value)
  if (before === undefined) return is
  if ('text' in before.value && 'text' in after.value) {
    if (before.value.text === after.value.text) return []
    return pair(textPhrase(before.value.text), textPhrase(after.value.text))
  }
  return 'hidden' in before.value && 'secret' in after.value ? is : pair(beforePhrase(before), is)
}

const NOT_SHOWN: Phrase = [words('(not shown)', 'quiet')]

/** A plan no longer holds old values that must not be shown. */
const beforePhrase = ({ value: was }: Variable<ObservedValue>): Phrase =>
  'hidden' in was ? [words('(secret)', 'quiet')] : 'withheld' in was ? NOT_SHOWN : textPhrase(was.text)

function afterPhrase(key: VariableKey, is: DesiredValue): Phrase {
  if ('text' in is) return textPhrase(is.text)
  if ('external' in is) return []
  const { name: secret, version } = is.secret
  return say`(secret${secret !== nameOf(key) && say` ${name(secret)}`})${version !== undefined && say` version ${name(version)}`}`
}

const textPhrase = (text: string): Phrase => (isInline(text) ? [value(text)] : sizePhrase(text))

function sizePhrase(text: string): Phrase {
  const bytes = new TextEncoder().encode(text).length
  const size = bytes < 1024 ? counted(bytes, 'byte') : `${figure(Math.round(bytes / 102.4) / 10)} KiB`
  return [words(`(${size}, ${counted(linesOf(text).length, 'line')})`, 'quiet')]
}

/** A short description is shown inline even if it has several lines. */
const descriptionPhrase = (text: string): Phrase =>
  text.length > DESCRIPTION ? sizePhrase(text) : [value(text)]

const DESCRIPTION = 200

/** Differences at the end of a text or of its lines, which are hard to see. */
function endNote(
  { value: before }: Variable<ObservedValue>,
  { value: after }: Variable<DesiredValue>,
): Phrase | undefined {
  if (!('text' in before && 'text' in after) || before.text === after.text) return undefined
  const isAlone = before.text.replace(/\r?\n$/, '') === after.text.replace(/\r?\n$/, '')
  if (isAlone && before.text.endsWith('\n') !== after.text.endsWith('\n'))
    return [after.text.endsWith('\n') ? 'adds a final newline' : 'removes the final newline']
  const unix = (text: string): string => text.replaceAll('\r\n', '\n')
  return unix(before.text) === unix(after.text) ? ['only line endings differ'] : undefined
}

/** Why a secret is sent that is the same by all that can be seen. */
function rewriteNote(
  { key, rewrite }: ChangedVariable,
  set: string,
  after: Variable<DesiredValue>,
  { plan }: RowContext,
): Phrase | undefined {
  switch (rewrite) {
    case undefined:
    // Shown as the origin.
    case 'changed-outside':
      return undefined
    case 'asked':
      return ['rewrite requested']
    case 'value-changed':
      return ['value changed']
    case 'taken-charge':
      return [NO_WRITE]
    case 'source-changed':
      return sourceNote(set, key, after, plan)
  }
}

/** Why a secret is sent, or why it cannot be verified. */
export const NO_WRITE = 'no write recorded'

function sourceNote(
  set: string,
  key: VariableKey,
  { value: wanted }: Variable<DesiredValue>,
  { facts }: Plan,
): Phrase {
  const state = facts.secrets.find(note => note.set === set && note.key === key)?.state
  const was = state?.state === 'write' ? state.was : undefined
  if (was === undefined || !('secret' in wanted)) return ['source changed']
  const version = was.version !== undefined && say` version ${name(was.version)}`
  if (was.name !== wanted.secret.name) return say`source was ${name(was.name)}${version}`
  return version ? say`was${version}` : ['had no version']
}

/** The fields that differ; of a new variable, those without their default. */
const fieldNotes = (before: VariableFields | undefined, after: Variable<DesiredValue>): Phrase[] =>
  FIELD_NAMES.filter(
    field => (before ?? NO_FIELDS)[field] !== after[field] && hasEffect(field, after.key),
  ).map(field => FIELD_NOTES[field](before, after))

const FIELD_NOTES: FieldTable<(before: VariableFields | undefined, after: VariableFields) => Phrase> = {
  description: (before, after) => descriptionNote(before?.description, after.description),
  hcl: (before, after) =>
    before === undefined ? ['hcl'] : say`hcl: ${became([String(before.hcl)], [String(after.hcl)])}`,
}

function descriptionNote(before: string | undefined, after: string): Phrase {
  if ((before ?? '').length > DESCRIPTION || after.length > DESCRIPTION)
    return [before === undefined ? 'has a description' : 'description changes']
  return before === undefined
    ? say`description: ${value(after)}`
    : say`description: ${became([value(before)], [value(after)])}`
}

function lineCount({ added, removed, hunks, partly }: LineDifference) {
  if (hunks.length === 0) {
    const rewritten = partly === true ? 'partly rewritten' : 'rewritten'
    return words(`${rewritten}: ${counted(removed, 'line')} -> ${counted(added, 'line')}`, 'quiet')
  }
  const parts = present(removed > 0 && `-${figure(removed)}`, added > 0 && `+${figure(added)}`)
  return words(`${parts.join(' ')} ${added + removed === 1 ? 'line' : 'lines'}`, 'quiet')
}

/** The changed lines of a long text. */
function lineRows({ hunks, left }: LineDifference): Row[] {
  const between: Row = { mark: ' ', tone: 'quiet', cells: [['…']] }
  const lines = hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [between]),
    ...hunk.map(({ sign, text }): Row => ({ mark: sign, cells: [[{ kind: 'message', text }]] })),
  ])
  return left === 0
    ? lines
    : [...lines, { mark: ' ', tone: 'quiet', cells: [[`… and ${counted(left, 'changed line')} more`]] }]
}

/** The origins that a report shows. A plan without a base shows only what was changed outside: everything else is what the plan is for. */
export const tellsOrigins =
  ({ facts }: Plan, kind: 'plan' | 'drift' | 'apply') =>
  (origin: Origin): boolean =>
    facts.base !== undefined || kind === 'drift' || origin === 'outside'
