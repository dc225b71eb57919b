import {
  FIELD_NAMES,
  type FieldTable,
  hasEffect,
  NO_FIELDS,
  NO_SETTINGS,
  type SetOwner,
  type SetSettings,
  type VariableFields,
} from '../model/fields.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'
import {
  losesSecret,
  type RewriteReason,
  type SettingItem,
  settingItems,
  type UpdateVariable,
} from '../plan/operation.ts'
import type { Plan, Step } from '../plan/plan-data.ts'
import {
  ABSENT,
  endNote,
  type SettingChange,
  type ShownValue,
  type Sign,
  shownAddition,
  shownBefore,
  shownDescription,
  shownUpdate,
  type VariableChange,
  worst,
} from './change.ts'
import { name, type Phrase, present, say, value } from './phrase.ts'
import { type Context, isRewritten } from './report-context.ts'

/** What every entry has. */
export const entry = (sign: Sign, steps: readonly Step[], { statusOf }: Context) => ({
  sign,
  notes: [],
  steps,
  status: worst(steps.map(statusOf)),
  source: steps.at(-1)?.source,
})

/** Member by member, because spreading takes longer than everything else here, and a plan may have a hundred thousand entries. */
const variableEntry = (
  sign: Sign,
  steps: readonly Step[],
  { key }: Pick<Variable<unknown>, 'key'>,
  { statusOf }: Context,
  { before, after, lines }: Pick<VariableChange, 'before' | 'after' | 'lines'>,
  notes: readonly Phrase[],
  loss?: Phrase,
): VariableChange => ({
  sign,
  kind: 'variable',
  category: categoryOf(key),
  name: nameOf(key),
  before,
  after,
  lines,
  loss,
  notes,
  steps,
  status: worst(steps.map(statusOf)),
  source: steps.at(-1)?.source,
})

export const additionOf = (step: Step, after: Variable<DesiredValue>, context: Context): VariableChange =>
  variableEntry('+', [step], after, context, shownAddition(after, context.hidden), [
    ...present(writingNote(after)),
    ...fieldNotes(undefined, after),
    ...context.relations
      .movesTo(step, after.key)
      .map(({ from }) => say`moves here from ${name(from.operation.subject.name)}`),
  ])

export function updateOf(
  step: Step,
  { before, after, rewrite }: Pick<UpdateVariable, 'before' | 'after' | 'rewrite'>,
  context: Context,
): VariableChange {
  const notes = present<Phrase>(
    !losesSecret(before) && 'secret' in after.value && ['becomes sensitive'],
    writingNote(after),
    rewriteNote(rewrite, step, after, context),
    endNote(before, after),
    ...fieldNotes(before, after),
  )
  const change = variableEntry('~', [step], after, context, shownUpdate(before, after, context.hidden), notes)
  return rewrite === 'changed-outside' ? { ...change, origin: 'outside', likely: true } : change
}

/** Why a secret is sent, or why it cannot be verified. */
export const NO_WRITE = 'no write recorded'

function rewriteNote(
  rewrite: RewriteReason | undefined,
  { operation }: Step,
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
      return sourceNote(operation.subject.name, after, plan)
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

export function deletionOf(step: Step, before: Variable<ObservedValue>, context: Context): VariableChange {
  const isLost = losesSecret(before) && !isRewritten(step, before.key, context.relations)
  const loss: Phrase | undefined = isLost ? ['irreversible: the value cannot be recovered'] : undefined
  const targets = context.relations.movesFrom(step, before.key)
  const notes = [
    ...present(loss),
    ...targets.map(({ to }) => say`moves to ${name(to.operation.subject.name)}`),
  ]
  const shown = { before: shownBefore(before), after: ABSENT }
  return variableEntry('-', [step], before, context, shown, notes, loss)
}

/** One entry for a variable that is deleted and created again, because the service cannot update it in place. */
export function replacementOf(first: Step, second: Step, context: Context): VariableChange {
  const [from, to] = [first.operation, second.operation]
  if (from.type !== 'delete-variable' || to.type !== 'create-variable')
    throw new TypeError('a replacement is a delete and a create')
  const isLost = losesSecret(from.before) && !('secret' in to.after.value)
  const loss: Phrase | undefined = isLost ? ['irreversible: the secret cannot be recovered'] : undefined
  const notes = present<Phrase>(
    [reasonOf(from.before, to.after)],
    loss,
    writingNote(to.after),
    ...fieldNotes(from.before, to.after),
  )
  const shown = shownUpdate(from.before, to.after, context.hidden)
  return variableEntry('~', [first, second], to.after, context, shown, notes, loss)
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

const shownOwner = ({ parent }: SetOwner, { plan }: Context): ShownValue => ({
  kind: 'owner',
  project: parent && (plan.names[parent] ?? parent),
})

const shownSetting = (value: string | boolean): ShownValue =>
  typeof value === 'string' ? shownDescription(value) : { kind: 'text', text: String(value) }

/** Those that differ: flags, then texts. The line of the set shows the name. */
const differing = (settings: readonly SettingItem[]): SettingItem[] =>
  settings
    .filter(({ name, before, after }) => name !== 'name' && before !== after)
    .toSorted((a, b) => Number(typeof a.after === 'string') - Number(typeof b.after === 'string'))

export const settingChanges = (
  step: Step,
  settings: readonly SettingItem[],
  context: Context,
): SettingChange[] =>
  differing(settings).map(({ name, before, after }) =>
    setting('~', step, name, shownSetting(before), shownSetting(after), context),
  )

export function settingsOfCreated(
  step: Step,
  after: SetSettings & SetOwner,
  context: Context,
): SettingChange[] {
  const shown = differing(settingItems(NO_SETTINGS, after)).map(
    ({ name, after }): [SettingChange['setting'], ShownValue] => [name, shownSetting(after)],
  )
  // The owner is shown only if it is a project.
  if (after.parent !== undefined) shown.unshift(['owner', shownOwner(after, context)])
  // For several sets of one name, the line of the set shows the key in the file.
  if (after.name !== step.operation.subject.name) shown.unshift(['name', { kind: 'text', text: after.name }])
  return shown.map(([name, value]) => setting('+', step, name, ABSENT, value, context))
}

const setting = (
  sign: Sign,
  step: Step,
  which: SettingChange['setting'],
  before: ShownValue,
  after: ShownValue,
  context: Context,
): SettingChange => ({ kind: 'setting', setting: which, before, after, ...entry(sign, [step], context) })
