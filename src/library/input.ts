import { isObject } from '../model/json.ts'
import { suggest } from '../model/names.ts'
import { OPTIONS, type OptionRow, ruleOf, SWITCH, TEXT, TEXTS, type ValueRule } from '../run/options.ts'
import { type ConnectionOptions, type FunctionName, OPTIONS_OF } from './inputs.gen.ts'
import type {
  AffectedInput,
  ApplyInput,
  ConnectionInput,
  DriftInput,
  ExplainInput,
  ExportInput,
  PlanInput,
  TestInput,
  ValidateInput,
} from './types.ts'

/** The options of all functions. */
export type AnyInput = ValidateInput &
  TestInput &
  DriftInput &
  PlanInput &
  ApplyInput &
  AffectedInput &
  Partial<ExplainInput> &
  ExportInput

type InputCheck = Pick<ValueRule, 'words' | 'holds'>

/** What is no option of a command, or another type than there. */
const BY_HAND: Readonly<Record<Exclude<keyof ConnectionInput, keyof ConnectionOptions>, InputCheck>> = {
  cwd: TEXT,
  organization: TEXT,
  env: { words: 'an object', holds: isObject },
  signal: { words: 'an AbortSignal', holds: value => value instanceof AbortSignal },
  token: TEXT,
  transport: { words: 'a function', holds: value => typeof value === 'function' },
  sandbox: {
    words: 'true, false, or the result of createSandbox()',
    holds: value =>
      typeof value === 'boolean' || (isObject(value) && 'transport' in value && 'ensure' in value),
  },
}
const { token, transport, sandbox, ...CALL } = BY_HAND

/** What is an argument of the command. */
const ARGUMENTS: Readonly<Record<FunctionName, Readonly<Record<string, InputCheck>>>> = {
  validate: {},
  test: { directories: TEXTS },
  plan: {},
  apply: { reviewed: TEXT },
  drift: {},
  affected: { savedPlan: TEXT },
  explain: { workspace: TEXT },
  exportSets: { references: SWITCH },
}

/** Every option of a function, with what it takes. The options of its command have the rules of their rows. */
export function knownOptions(name: FunctionName): Readonly<Record<string, InputCheck>> {
  const has = new Set(OPTIONS_OF[name])
  const rows = Object.entries<OptionRow<unknown>>(OPTIONS).filter(([option]) => has.has(option))
  return {
    ...CALL,
    ...(has.has('address') && { token, transport, sandbox }),
    ...Object.fromEntries(rows.map(([option, row]) => [option, ruleOf(row)])),
    ...ARGUMENTS[name],
  }
}

/** Throws a `TypeError` for an option that does not exist, or has the wrong type. */
export function checkInput(command: FunctionName, input: AnyInput): void {
  const known = knownOptions(command)
  if (command === 'explain' && (input.workspace === undefined) === (input.key === undefined))
    throw new TypeError('explain() needs the option "workspace", or "key" in its place.')
  for (const [name, value] of Object.entries(input)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule === undefined) {
      const near = suggest(name, Object.keys(known))
      const hint = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
      throw new TypeError(`${command}() has no option ${JSON.stringify(name)}.${hint}`)
    }
    if (value !== undefined && !rule.holds(value))
      throw new TypeError(`The option "${name}" of ${command}() must be ${rule.words}.`)
  }
}
