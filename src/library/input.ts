import { isObject } from '../model/json.ts'
import { suggest } from '../model/names.ts'
import type { ExplainedState } from '../plan/effective/explanation.ts'
import { FILE_KINDS, FORMATS, isFileKind, isFormat } from '../report/formats.ts'
import { LIMITS } from '../run/commands/run-options.ts'
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
type InputRule = readonly [words: string, holds: (value: unknown) => boolean]

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

const isLimits = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, most]) =>
      Object.values<string>(LIMITS).includes(name) && Number.isSafeInteger(most) && Number(most) > 0,
  )

const TEXT: InputRule = ['a string', isText]
const TEXTS: InputRule = ['an array of strings', value => Array.isArray(value) && value.every(isText)]
const YES: InputRule = ['true or false', value => typeof value === 'boolean']
const OBJECT: InputRule = ['an object', isObject]
const COUNT: InputRule = ['a whole number from 1 to 10000', value => isCount(value, 1, 10_000)]
const FORMAT: InputRule = [`one of ${FORMATS.join(', ')}`, value => isText(value) && isFormat(value)]

const VALIDATE: Readonly<Record<keyof ValidateInput, InputRule>> = {
  cwd: TEXT,
  config: TEXT,
  organization: TEXT,
  limits: [`an object with whole numbers under ${Object.values(LIMITS).join(', ')}`, isLimits],
  env: OBJECT,
  signal: ['an AbortSignal', value => value instanceof AbortSignal],
  rules: TEXTS,
}
const { rules, ...FILES } = VALIDATE
const CONNECTION: Readonly<Record<keyof ConnectionInput, InputRule>> = {
  ...FILES,
  address: TEXT,
  token: TEXT,
  tokens: TEXT,
  transport: ['a function', value => typeof value === 'function'],
  sandbox: [
    'true, false, or the result of createSandbox()',
    value => typeof value === 'boolean' || (isObject(value) && 'transport' in value && 'ensure' in value),
  ],
  concurrency: COUNT,
  rate: COUNT,
}
const DRIFT: Readonly<Record<keyof DriftInput, InputRule>> = {
  ...CONNECTION,
  secrets: [
    'the name of a file, or an object of strings',
    value => isText(value) || (isObject(value) && Object.values(value).every(isText)),
  ],
  only: TEXTS,
  adopt: TEXTS,
  format: FORMAT,
  markdownLimit: ['a number of characters from 2000 to 9999999', value => isCount(value, 2_000, 9_999_999)],
  reports: [
    `an array of { format, path }, each format one of ${FILE_KINDS.join(', ')}`,
    value =>
      Array.isArray(value) &&
      value.every(
        one =>
          isObject(one) &&
          'format' in one &&
          'path' in one &&
          isFileKind(String(one.format)) &&
          isText(one.path) &&
          one.path !== '',
      ),
  ],
}
const PLAN: Readonly<Record<keyof PlanInput, InputRule>> = {
  ...DRIFT,
  rewrite: TEXTS,
  base: TEXT,
  onlyThisChange: YES,
  rules,
  snapshot: TEXT,
  detailedExitcode: YES,
}
const APPLY: Readonly<Record<keyof ApplyInput, InputRule>> = {
  ...DRIFT,
  rewrite: TEXTS,
  base: TEXT,
  onlyThisChange: YES,
  rules,
  autoApprove: YES,
  approve: TEXT,
  out: TEXT,
  reviewed: TEXT,
  expectNoDrift: YES,
  failFast: YES,
}
const { format: _, markdownLimit: __, reports: ___, ...PLANNING } = DRIFT
const AFFECTED: Readonly<Record<keyof AffectedInput, InputRule>> = {
  ...PLANNING,
  rewrite: TEXTS,
  base: TEXT,
  onlyThisChange: YES,
  verify: YES,
  savedPlan: TEXT,
}
const MOMENTS: readonly string[] = ['difference', 'files', 'live'] satisfies ExplainedState[]
const EXPLAIN: Readonly<Record<keyof ExplainInput, InputRule>> = {
  ...CONNECTION,
  workspace: TEXT,
  key: TEXT,
  from: [`one of ${MOMENTS.join(', ')}`, value => isText(value) && MOMENTS.includes(value)],
}
const EXPORT: Readonly<Record<keyof ExportInput, InputRule>> = { ...CONNECTION, only: TEXTS, references: YES }
const TEST: Readonly<Record<keyof TestInput, InputRule>> = { ...FILES, directories: TEXTS }
/** Every option of each function, with what it takes. */
export const KNOWN = {
  validate: VALIDATE,
  test: TEST,
  plan: PLAN,
  apply: APPLY,
  drift: DRIFT,
  affected: AFFECTED,
  explain: EXPLAIN,
  exportSets: EXPORT,
} as const

/** The functions: each has the name of its command, but for `exportSets`, because `export` is a word of the language. */
export type FunctionName = keyof typeof KNOWN

/** Throws a `TypeError` for an option that does not exist, or has the wrong type. */
export function checkInput(command: FunctionName, input: AnyInput): void {
  const known: Readonly<Record<string, InputRule>> = KNOWN[command]
  if (command === 'explain' && (input.workspace === undefined) === (input.key === undefined))
    throw new TypeError('explain() needs the option "workspace", or "key" in its place.')
  for (const [name, value] of Object.entries(input)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule === undefined) {
      const near = suggest(name, Object.keys(known))
      const hint = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
      throw new TypeError(`${command}() has no option ${JSON.stringify(name)}.${hint}`)
    }
    const [words, holds] = rule
    if (value !== undefined && !holds(value))
      throw new TypeError(`The option "${name}" of ${command}() must be ${words}.`)
  }
}
