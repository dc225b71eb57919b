import { FIELD_NAMES, type FieldTable, hasEffect, NO_FIELDS, type VariableFields } from '../model/fields.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'
import type { ChangedSetting, ChangedVariable } from '../plan/changed-sets.ts'
import { losesSecret, type RewriteReason } from '../plan/operation.ts'
import type { Plan } from '../plan/plan-data.ts'
import {
  ABSENT,
  endNote,
  type SettingChange,
  type ShownValue,
  shownAddition,
  shownBefore,
  shownDescription,
  shownUpdate,
  type VariableChange,
  worst,
} from './change.ts'
import { name, type Phrase, present, say, value } from './phrase.ts'
import type { Context } from './report-context.ts'

/** Member by member, because spreading takes longer than everything else here, and a plan may have a hundred thousand entries. */
export function variableEntry(set: string, one: ChangedVariable, context: Context): VariableChange {
  const { key, sign, steps, source, origin } = one
  const { before, after, lines } = sidesOf(one, context)
  const loss = lossOf(one)
  return {
    sign,
    kind: 'variable',
    category: categoryOf(key),
    name: nameOf(key),
    before,
    after,
    lines,
    loss,
    notes: notesOf(set, one, loss, context),
    steps,
    status: worst(steps.map(context.statusOf)),
    source,
    origin,
    likely: one.rewrite === 'changed-outside' || undefined,
  }
}

function sidesOf({ before, after }: ChangedVariable, { hidden }: Context) {
  if (after === undefined)
    return { before: before === undefined ? ABSENT : shownBefore(before), after: ABSENT }
  return before === undefined ? shownAddition(after, hidden) : shownUpdate(before, after, hidden)
}

const lossOf = ({ loses, after }: ChangedVariable): Phrase | undefined =>
  loses && [`irreversible: the ${after === undefined ? 'value' : 'secret'} cannot be recovered`]

function notesOf(
  set: string,
  { before, after, steps, rewrite, moves }: ChangedVariable,
  loss: Phrase | undefined,
  context: Context,
): Phrase[] {
  if (after === undefined) return [...present(loss), ...moves.map(to => say`moves to ${name(to)}`)]
  if (before === undefined)
    return [
      ...present(writingNote(after)),
      ...fieldNotes(undefined, after),
      ...moves.map(from => say`moves here from ${name(from)}`),
    ]
  if (steps.length > 1)
    return present<Phrase>([reasonOf(before, after)], loss, writingNote(after), ...fieldNotes(before, after))
  return present<Phrase>(
    !losesSecret(before) && 'secret' in after.value && ['becomes sensitive'],
    writingNote(after),
    rewriteNote(rewrite, set, after, context),
    endNote(before, after),
    ...fieldNotes(before, after),
  )
}

/** Why a secret is sent, or why it cannot be verified. */
export const NO_WRITE = 'no write recorded'

function rewriteNote(
  rewrite: RewriteReason | undefined,
  set: string,
  after: Variable<DesiredValue>,
  { plan }: Context,
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
      return sourceNote(set, after, plan)
  }
}

function sourceNote(set: string, { key, value: wanted }: Variable<DesiredValue>, { facts }: Plan): Phrase {
  const state = facts.secrets.find(note => note.set === set && note.key === key)?.state
  const was = state?.state === 'write' ? state.was : undefined
  if (was === undefined || !('secret' in wanted)) return ['source changed']
  const version = was.version !== undefined && say` version ${name(was.version)}`
  if (was.name !== wanted.secret.name) return say`source was ${name(was.name)}${version}`
  return version ? say`was${version}` : ['had no version']
}

const reasonOf = (before: Variable<ObservedValue>, after: Variable<DesiredValue>): string =>
  losesSecret(before) && 'text' in after.value
    ? 'replaced: a sensitive variable cannot become readable in place'
    : before.hcl !== after.hcl
      ? 'replaced: hcl of a sensitive variable cannot change in place'
      : 'replaced: deleted, then created'

function writingNote({ value }: Variable<DesiredValue>): Phrase | undefined {
  if ('secret' in value) return ['will be written']
  return 'external' in value ? ['value is set in the service'] : undefined
}

/** The fields that differ; of a new variable, those without their default. */
const fieldNotes = (before: VariableFields | undefined, after: Variable<DesiredValue>): Phrase[] =>
  FIELD_NAMES.filter(name => (before ?? NO_FIELDS)[name] !== after[name] && hasEffect(name, after.key)).map(
    name => FIELD_NOTES[name](before, after),
  )

const FIELD_NOTES: FieldTable<(before: VariableFields | undefined, after: VariableFields) => Phrase> = {
  description: (before, after) => descriptionNote(before?.description, after.description),
  hcl: (before, after) => [before === undefined ? 'hcl' : `hcl: ${before.hcl} -> ${after.hcl}`],
}

function descriptionNote(before: string | undefined, after: string): Phrase {
  const [was, is] = [before ?? '', after].map(shownDescription)
  if (was?.kind !== 'text' || is?.kind !== 'text')
    return [before === undefined ? 'has a description' : 'description changes']
  return say`description: ${before !== undefined && say`${value(was.text)} -> `}${value(is.text)}`
}

const shownSetting = (value: string | boolean): ShownValue =>
  typeof value === 'string' ? shownDescription(value) : { kind: 'text', text: String(value) }

export function settingEntry(
  { sign, name: setting, before, after, steps, source, origin }: ChangedSetting,
  { plan, statusOf }: Context,
): SettingChange {
  const shown = (value: string | boolean): ShownValue =>
    setting === 'owner'
      ? { kind: 'owner', project: plan.names[String(value)] ?? String(value) }
      : setting === 'name'
        ? { kind: 'text', text: String(value) }
        : shownSetting(value)
  return {
    kind: 'setting',
    setting,
    sign,
    before: before === undefined ? ABSENT : shown(before),
    after: shown(after),
    notes: [],
    steps,
    status: worst(steps.map(statusOf)),
    source,
    origin,
  }
}
