import { FIELD_NAMES, type FieldTable, hasEffect, type VariableFields } from '../model/fields.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type { DesiredValue, Variable } from '../model/variable-set.ts'
import { losesSecret, type UpdateVariable, type ValueBefore } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import type { RewriteReason } from '../plan/secrets.ts'
import {
  ABSENT,
  type Sign,
  shownAddition,
  shownBefore,
  shownDescription,
  shownUpdate,
  type VariableChange,
  worst,
} from './change.ts'
import { type Context, isRewritten } from './context.ts'
import { name, type Phrase, value } from './phrase.ts'

export function additionOf(step: Step, after: Variable<DesiredValue>, context: Context): VariableChange {
  const origins = context.relations.movesTo(step, after.key)
  return {
    ...entry('+', [step], after, context),
    ...shownAddition(after, context.hidden),
    notes: [
      ...writingNotes(after),
      ...(hasHcl(after) ? [['hcl']] : []),
      ...origins.map(({ from }): Phrase => ['moves here from ', name(from.operation.subject.name)]),
    ],
  }
}

const REWRITES = {
  asked: 'rewrite requested',
  'value-changed': 'value changed',
} as const satisfies Partial<Record<RewriteReason, string>>

export function updateOf(
  step: Step,
  { before, after, rewrite }: Pick<UpdateVariable, 'before' | 'after' | 'rewrite'>,
  context: Context,
): VariableChange {
  return {
    ...entry('~', [step], after, context),
    ...shownUpdate(before, after, context.hidden),
    ...(rewrite === 'changed-outside' ? { origin: 'outside', likely: true } : {}),
    notes: [
      ...(!losesSecret(before) && 'secret' in after.value ? [['becomes sensitive']] : []),
      ...writingNotes(after),
      ...rewriteNotes(rewrite, step, after, context),
      ...endNotes(before, after),
      ...fieldNotes(before, after),
    ],
  }
}

/** Differences at the end of a text or of its lines, which are hard to see. */
function endNotes(
  { value: before }: Variable<ValueBefore>,
  { value: after }: Variable<DesiredValue>,
): Phrase[] {
  if (!('text' in before && 'text' in after) || before.text === after.text) return []
  const isAlone = before.text.replace(/\r?\n$/, '') === after.text.replace(/\r?\n$/, '')
  if (isAlone && before.text.endsWith('\n') !== after.text.endsWith('\n'))
    return [[after.text.endsWith('\n') ? 'adds a final newline' : 'removes the final newline']]
  const unix = (text: string): string => text.replaceAll('\r\n', '\n')
  return unix(before.text) === unix(after.text) ? [['only line endings differ']] : []
}

function rewriteNotes(
  rewrite: RewriteReason | undefined,
  {
    operation: {
      subject: { name: set },
    },
  }: Step,
  { key, value: wanted }: Variable<DesiredValue>,
  { plan }: Context,
): Phrase[] {
  // A change outside is shown as the origin.
  if (rewrite === undefined || rewrite === 'changed-outside') return []
  if (rewrite !== 'source-changed') return [[REWRITES[rewrite]]]
  const state = plan.facts.secrets.find(note => note.set === set && note.key === key)?.state
  const was = state?.state === 'write' ? state.was : undefined
  const version: Phrase = was?.version === undefined ? [] : [' version ', name(was.version)]
  if (was === undefined || !('secret' in wanted)) return [['source changed']]
  if (was.name !== wanted.secret.name) return [['source was ', name(was.name), ...version]]
  return [version.length === 0 ? ['had no version'] : ['was', ...version]]
}

export function deletionOf(step: Step, before: Variable<ValueBefore>, context: Context): VariableChange {
  const { relations } = context
  const irreversible = losesSecret(before) && !isRewritten(step, before.key, relations)
  const targets = relations.movesFrom(step, before.key)
  return {
    ...entry('-', [step], before, context),
    before: shownBefore(before),
    after: ABSENT,
    irreversible,
    notes: [
      ...(irreversible ? [['irreversible: the value cannot be recovered']] : []),
      ...targets.map(({ to }): Phrase => ['moves to ', name(to.operation.subject.name)]),
    ],
  }
}

/** One entry for a variable that is deleted and created again, because the service cannot update it in place. */
export function replacementOf(first: Step, second: Step, context: Context): VariableChange {
  const from = first.operation
  const to = second.operation
  if (from.type !== 'delete-variable' || to.type !== 'create-variable')
    throw new TypeError('a replacement is a delete and a create')
  const irreversible = losesSecret(from.before) && !('secret' in to.after.value)
  return {
    ...entry('~', [first, second], to.after, context),
    ...shownUpdate(from.before, to.after, context.hidden),
    replaced: true,
    irreversible,
    notes: [
      [reasonOf(from.before, to.after)],
      ...(irreversible ? [['irreversible: the secret cannot be recovered']] : []),
      ...writingNotes(to.after),
      ...fieldNotes(from.before, to.after),
    ],
  }
}

const reasonOf = (before: Variable<ValueBefore>, after: Variable<DesiredValue>): string =>
  losesSecret(before) && 'text' in after.value
    ? 'replaced: a sensitive variable cannot become readable in place'
    : before.hcl !== after.hcl
      ? 'replaced: hcl of a sensitive variable cannot change in place'
      : 'replaced: deleted, then created'

function writingNotes(after: Variable<DesiredValue>): Phrase[] {
  if ('secret' in after.value) return [['will be written']]
  return 'external' in after.value ? [['value is set elsewhere']] : []
}

const fieldNotes = (before: Variable<ValueBefore>, after: Variable<DesiredValue>): Phrase[] =>
  FIELD_NAMES.filter(name => before[name] !== after[name] && hasEffect(name, after.key)).map(name =>
    FIELD_NOTES[name](before, after),
  )

/** The note for each field that changes. */
const FIELD_NOTES: FieldTable<(before: VariableFields, after: VariableFields) => Phrase> = {
  description: (before, after) => descriptionNote(before.description, after.description),
  hcl: (before, after) => [`hcl: ${before.hcl} -> ${after.hcl}`],
}

function descriptionNote(before: string, after: string): Phrase {
  const shown = shownDescription(before, after)
  return shown.before.kind === 'text' && shown.after.kind === 'text'
    ? ['description: ', value(before), ' -> ', value(after)]
    : ['description changes']
}

const hasHcl = ({ key, hcl }: Variable<unknown>): boolean => hcl && hasEffect('hcl', key)

const entry = (
  sign: Sign,
  steps: readonly Step[],
  { key }: Variable<unknown>,
  context: Context,
): Omit<VariableChange, 'before' | 'after' | 'notes'> => {
  return {
    kind: 'variable',
    sign,
    category: categoryOf(key),
    name: nameOf(key),
    replaced: false,
    irreversible: false,
    operations: steps.map(step => step.id),
    status: worst(steps.map(context.statusOf)),
    source: steps.at(-1)?.source,
  }
}
