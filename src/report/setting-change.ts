import { NO_SETTINGS, type SetOwner, type SetSettings, type SettingTable } from '../model/fields.ts'
import type { UpdateSet } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import {
  ABSENT,
  type SettingChange,
  type ShownChange,
  type ShownValue,
  type Sign,
  shownDescription,
} from './change.ts'
import type { Context } from './context.ts'

/** How each setting is shown, in this order. The line of the set shows the name. */
const SETTINGS = {
  global: (before, after) => flags(before.global, after.global),
  priority: (before, after) => flags(before.priority, after.priority),
  description: (before, after) => shownDescription(before.description, after.description),
} as const satisfies SettingTable<(before: SetSettings, after: SetSettings) => ShownChange, 'name'>

const SHOWN_SETTINGS = Object.keys(SETTINGS) as readonly (keyof typeof SETTINGS)[]

const shownOwner = ({ parent }: SetOwner, { plan }: Context): ShownValue => ({
  kind: 'owner',
  project: parent && (plan.names[parent] ?? parent),
})

export const settingChanges = (
  step: Step,
  { before, after }: Pick<UpdateSet, 'before' | 'after'>,
  context: Context,
): SettingChange[] =>
  SHOWN_SETTINGS.filter(name => before[name] !== after[name]).map(name =>
    setting('~', step, name, SETTINGS[name](before, after), context),
  )

/** The owner is shown only if it is a project. */
export const settingsOfCreated = (
  step: Step,
  after: SetSettings & SetOwner,
  context: Context,
): SettingChange[] => [
  // For several sets of one name, the line of the set shows the key in the file.
  ...(after.name === step.operation.subject.name
    ? []
    : [setting('+', step, 'name', { before: ABSENT, after: { kind: 'text', text: after.name } }, context)]),
  ...(after.parent === undefined
    ? []
    : [setting('+', step, 'owner', { before: ABSENT, after: shownOwner(after, context) }, context)]),
  ...SHOWN_SETTINGS.filter(name => NO_SETTINGS[name] !== after[name]).map(name => {
    const shown = SETTINGS[name](NO_SETTINGS, after)
    return setting('+', step, name, { before: ABSENT, after: shown.after }, context)
  }),
]

/** A set with another owner is a new set, even with the same name and settings. */
export const ownerChange = (
  step: Step,
  before: SetOwner,
  after: SetOwner,
  context: Context,
): SettingChange => ({
  ...setting(
    '~',
    step,
    'owner',
    { before: shownOwner(before, context), after: shownOwner(after, context) },
    context,
  ),
  notes: [['replaced: a new set with a new id']],
})

const flags = (before: boolean, after: boolean): ShownChange => ({
  before: flagText(before),
  after: flagText(after),
})

const flagText = (flag: boolean): ShownValue => ({ kind: 'text', text: String(flag) })

const setting = (
  sign: Sign,
  step: Step,
  which: SettingChange['setting'],
  { before, after }: ShownChange,
  context: Context,
): SettingChange => ({
  kind: 'setting',
  sign,
  setting: which,
  before,
  after,
  notes: [],
  operations: [step.id],
  status: context.statusOf(step),
  source: step.source,
})
