import { LIMITS } from './limits.ts'
import type { Profile } from './profile.ts'
import type { VariableRecord } from './records.ts'
import { invalid, type RefusedField, refuseIfAny, wrongAttribute } from './reply.ts'
import { type Body, readFlag, readResource, readText, titleOf } from './request.ts'
import type { RequestContext } from './service.ts'
import { slotOf } from './store.ts'

/** A variable in a request; `undefined` for members that were not sent. */
interface VariableInput {
  readonly key: string | undefined
  readonly value: string | undefined
  readonly description: string | undefined
  readonly category: string | undefined
  readonly hcl: boolean | undefined
  readonly sensitive: boolean | undefined
}

export function readVariable(body: Body, problems: RefusedField[]): VariableInput {
  const { attributes } = body
  return {
    key: readText(attributes, 'key', problems),
    value: readText(attributes, 'value', problems),
    description: readText(attributes, 'description', problems),
    category: readText(attributes, 'category', problems),
    hcl: readFlag(attributes, 'hcl', problems),
    sensitive: readFlag(attributes, 'sensitive', problems),
  }
}

/** Complete definitions inside a set's body (docs/service.md 4.1); pointers name the place in the list. */
export function readVariables(definitions: readonly unknown[], problems: RefusedField[]): VariableInput[] {
  return definitions.map((definition, index) => {
    const pointer = `/data/relationships/vars/data/${index}`
    const own: RefusedField[] = []
    const input = readVariable(readResource(definition, 'vars', pointer, own), own)
    problems.push(...own.map(problem => inside(pointer, problem)))
    return input
  })
}

/** The attributes of a variable that no request has written. */
const UNWRITTEN: Omit<VariableRecord, 'id' | 'key' | 'category' | 'createdAt' | 'versionId'> = {
  value: '',
  description: '',
  hcl: false,
  sensitive: false,
}

/** Interface 2.2: the defaults of a new variable. */
export function newVariable(input: VariableInput, context: RequestContext): VariableRecord {
  return {
    id: context.newId('var'),
    key: input.key ?? '',
    value: storedText(input.value ?? UNWRITTEN.value, context.profile),
    description: input.description ?? UNWRITTEN.description,
    category: input.category ?? '',
    hcl: storedHcl(input.hcl ?? UNWRITTEN.hcl, input.category, context.profile),
    sensitive: input.sensitive ?? UNWRITTEN.sensitive,
    createdAt: context.at,
    versionId: context.newVersion(),
  }
}

/**
 * The variable after an update. Refuses what the known real service refuses for sensitive variables (docs/service.md 11.1). A
 * new category is not part of that.
 */
export function updatedVariable(
  before: VariableRecord,
  input: VariableInput,
  context: RequestContext,
): VariableRecord {
  const { profile } = context
  const rest = profile.variableUpdateOmitted === 'unchanged' ? before : UNWRITTEN
  const category = input.category ?? before.category
  const after: VariableRecord = {
    id: before.id,
    key: input.key ?? before.key,
    value: input.value === undefined ? rest.value : storedText(input.value, profile),
    description: input.description ?? rest.description,
    category,
    hcl: storedHcl(input.hcl ?? rest.hcl, category, profile),
    sensitive: input.sensitive ?? rest.sensitive,
    createdAt: before.createdAt,
    versionId: context.newVersion(),
  }
  if (before.sensitive && profile.sensitiveChange === 'refuse') refuseIfAny(sensitiveProblems(before, after))
  return after
}

/** Everything wrong with a variable by itself. */
function variableProblems(variable: VariableRecord, profile: Profile): RefusedField[] {
  const problems: RefusedField[] = []
  const say = (name: string, detail: string) =>
    problems.push(wrongAttribute(name, `${titleOf(name)} ${detail}`))
  if (variable.key.trim() === '') say('key', "can't be blank")
  if (!categoriesOf(profile).includes(variable.category)) {
    say('category', `must be one of ${categoriesOf(profile).join(', ')}`)
  }
  if (profile.lengths === 'any') return problems
  if (variable.key.length > LIMITS.keyLength) {
    say('key', `is too long (maximum is ${LIMITS.keyLength} characters)`)
  }
  if (variable.description.length > LIMITS.variableDescriptionLength) {
    say('description', `is too long (maximum is ${LIMITS.variableDescriptionLength} characters)`)
  }
  if (Buffer.byteLength(variable.value) > LIMITS.valueBytes) {
    say('value', `is too long (maximum is ${LIMITS.valueBytes} bytes)`)
  }
  if (variable.category === 'env' && /[\r\n]/.test(variable.value)) {
    say('value', 'cannot contain newlines in environment variables')
  }
  return problems
}

const categoriesOf = (profile: Profile): readonly string[] => [profile.tool, 'env']

export const keyTaken = () => wrongAttribute('key', 'Key has already been taken')

/** Problems of one definition in a list, pointing into that list. */
const inside = (pointer: string, problem: RefusedField): RefusedField =>
  problem.pointer?.startsWith('/data/attributes/')
    ? { ...problem, pointer: `${pointer}${problem.pointer.slice('/data'.length)}` }
    : problem

export function refuseWrongVariable(variable: VariableRecord, profile: Profile): void {
  const problems = variableProblems(variable, profile)
  if (problems.length > 0) throw invalid(...problems)
}

function sensitiveProblems(before: VariableRecord, after: VariableRecord): RefusedField[] {
  const problems: RefusedField[] = []
  if (!after.sensitive) {
    problems.push(
      wrongAttribute(
        'sensitive',
        'Sensitive cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.',
      ),
    )
  }
  for (const name of ['key', 'hcl'] as const) {
    if (before[name] === after[name]) continue
    problems.push(wrongAttribute(name, `${titleOf(name)} cannot be updated for a sensitive variable`))
  }
  return problems
}

function storedText(value: string, profile: Profile): string {
  if (profile.text === 'trim-newline') return value.replace(/\r?\n$/, '')
  return profile.text === 'unix-newlines' ? value.replaceAll('\r\n', '\n') : value
}

const storedHcl = (hcl: boolean, category: string | undefined, profile: Profile) =>
  hcl && !(category === 'env' && profile.hclOfEnv === 'false')

/**
 * The records that a list of complete definitions adds to a set. Two switches decide about keys that exist: one about those of
 * the set, one about those that the list repeats.
 */
export function addVariables(
  existing: readonly VariableRecord[],
  inputs: readonly VariableInput[],
  context: RequestContext,
): VariableRecord[] {
  const { profile } = context
  const had = new Map(existing.map(variable => [slotOf(variable), variable]))
  const added = new Map<string, VariableRecord>()
  const bySlot = new Map<string, VariableRecord>()
  const problems: RefusedField[] = []
  for (const [index, input] of inputs.entries()) {
    const pointer = `/data/relationships/vars/data/${index}`
    const variable = newVariable(input, context)
    problems.push(...variableProblems(variable, profile).map(problem => inside(pointer, problem)))
    const slot = slotOf(variable)
    const earlier = bySlot.get(slot)
    const same = earlier ?? had.get(slot)
    const policy = earlier === undefined ? profile.setUpdateKnownVariable : profile.duplicateVariable
    if (same !== undefined && policy === 'refuse') problems.push(inside(pointer, keyTaken()))
    const kept =
      same !== undefined && policy === 'replace'
        ? { ...variable, id: same.id, createdAt: same.createdAt }
        : variable
    added.set(kept.id, kept)
    bySlot.set(slot, kept)
  }
  refuseIfAny(problems)
  return [...added.values()]
}
