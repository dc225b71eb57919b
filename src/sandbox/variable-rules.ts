import type { Server } from './profile.ts'
import type { VariableRecord } from './records.ts'
import { Body } from './request.ts'
import {
  failed,
  type RefusedField,
  type RequestContext,
  refuseIfAny,
  taken,
  wrongAttribute,
} from './route.ts'
import { LIMITS } from './service-limits.ts'
import { slotOf } from './store.ts'

/** What requests write. A new attribute must be read from requests and shown in responses. */
type Written = Omit<VariableRecord, 'id' | 'createdAt' | 'versionId'>

/** A variable in a request; `undefined` for members that were not sent. */
type VariableInput = { readonly [Name in keyof Written]: Written[Name] | undefined }

export const readVariable = (body: Body): VariableInput => ({
  key: body.text('key'),
  value: body.text('value'),
  description: body.text('description'),
  category: body.text('category'),
  hcl: body.flag('hcl'),
  sensitive: body.flag('sensitive'),
})

/** Complete definitions inside a set's body (docs/service.md 4.1), each with its place. */
export const readVariables = (body: Body) =>
  (body.many('vars') ?? []).map((value, index) => {
    const at = `/data/relationships/vars/data/${index}`
    const definition = new Body(value, 'vars', at)
    const input = readVariable(definition)
    body.problems.push(...definition.problems)
    return { at, input }
  })

/** The attributes of a variable that no request has written (docs/service.md 2.2). */
export const UNWRITTEN: Written = {
  key: '',
  value: '',
  description: '',
  category: '',
  hcl: false,
  sensitive: false,
}

export const newVariable = (input: VariableInput, context: RequestContext): VariableRecord =>
  written({ id: context.newId('var'), ...UNWRITTEN, createdAt: context.at, versionId: '' }, input, context)

/**
 * The variable after an update. Refuses what the known real service refuses for sensitive variables (docs/service.md 11.1). A
 * new category is not part of that.
 */
export function updatedVariable(
  before: VariableRecord,
  input: VariableInput,
  context: RequestContext,
): VariableRecord {
  const after = written(before, input, context)
  const { sensitiveChanges } = context.server
  if (!before.sensitive || sensitiveChanges === 'accepted') return after
  if (sensitiveChanges === 'refused') refuseIfAny(sensitiveProblems(before, after))
  // OTF refuses even the key that the variable has.
  else if (input.key !== undefined) throw failed('changing the key of a sensitive variable is not allowed')
  else if (before.hcl !== after.hcl) throw failed('changing HCL mode on a sensitive variable is not allowed')
  else if (!after.sensitive) throw failed('cannot change a sensitive variable to a non-sensitive variable')
  return after
}

function written(before: VariableRecord, input: VariableInput, context: RequestContext): VariableRecord {
  const { storedKeys, storedValues } = context.server
  const after: Written = {
    key: storedText(input.key ?? before.key, storedKeys),
    value: input.value === undefined ? before.value : storedText(input.value, storedValues),
    description: input.description ?? before.description,
    category: input.category ?? before.category,
    hcl: input.hcl ?? before.hcl,
    sensitive: input.sensitive ?? before.sensitive,
  }
  return { ...before, ...after, versionId: context.newVersion() }
}

/** Unicode whitespace, which is not what `trim` means in this language: U+FEFF is none, and U+0085 is. */
const trimmed = (text: string) => text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '')

/** A name, a key or a value as the server stores it. */
export function storedText(
  text: string,
  form: Server['storedNames'] | Server['storedKeys'] | Server['storedValues'],
): string {
  switch (form) {
    case 'as sent':
      return text
    case 'trimmed':
      return trimmed(text)
    case 'lower case':
      return text.toLowerCase()
    case 'Unix line endings':
      return text.replaceAll('\r\n', '\n')
  }
}

/** Everything wrong with a variable by itself, which is defined `at` this pointer. */
export function variableProblems(variable: VariableRecord, server: Server, at?: string): RefusedField[] {
  const { key, value, description, category } = variable
  const categories: readonly string[] = ['terraform', 'env']
  const tooLong = (most: number, unit = 'characters') => `is too long (maximum is ${most} ${unit})`
  const checks: readonly (readonly [wrong: boolean, name: keyof VariableInput, detail: string])[] = [
    [key.trim() === '', 'key', "can't be blank"],
    [server.keys === 'identifiers' && !/^[A-Za-z_][\w-]*$/.test(key), 'key', 'must be an identifier'],
    [!categories.includes(category), 'category', `must be one of ${categories.join(', ')}`],
  ]
  const { keyLength, variableDescriptionLength, valueBytes } = LIMITS
  const limits: typeof checks = [
    [key.length > keyLength, 'key', tooLong(keyLength)],
    [description.length > variableDescriptionLength, 'description', tooLong(variableDescriptionLength)],
    [Buffer.byteLength(value) > valueBytes, 'value', tooLong(valueBytes, 'bytes')],
    [
      category === 'env' && server.lengths === 'limited' && /[\r\n]/.test(value),
      'value',
      'cannot contain newlines in environment variables',
    ],
  ]
  return [...checks, ...(server.lengths === 'any' ? [] : limits)].flatMap(([wrong, name, detail]) =>
    wrong ? wrongAttribute(name, detail, at) : [],
  )
}

function sensitiveProblems(before: VariableRecord, after: VariableRecord): RefusedField[] {
  const changed = (['key', 'hcl'] as const).filter(name => before[name] !== after[name])
  return [
    ...(after.sensitive
      ? []
      : [
          wrongAttribute(
            'sensitive',
            'cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.',
          ),
        ]),
    ...changed.map(name => wrongAttribute(name, 'cannot be updated for a sensitive variable')),
  ]
}

/** A variable that takes the place of an earlier one. */
export const replacing = (earlier: VariableRecord, variable: VariableRecord): VariableRecord => ({
  ...variable,
  id: earlier.id,
  createdAt: earlier.createdAt,
})

/**
 * The records that a list of complete definitions adds to a set. A key may be one of the set, or the list may repeat it.
 */
export function addVariables(
  existing: readonly VariableRecord[],
  definitions: ReturnType<typeof readVariables>,
  context: RequestContext,
): VariableRecord[] {
  const { server } = context
  const had = new Map(existing.map(variable => [slotOf(variable), variable]))
  const added = new Map<string, VariableRecord>()
  const bySlot = new Map<string, VariableRecord>()
  const problems: RefusedField[] = []
  for (const { at, input } of definitions) {
    const variable = newVariable(input, context)
    problems.push(...variableProblems(variable, server, at))
    const slot = slotOf(variable)
    const same = bySlot.get(slot) ?? had.get(slot)
    const policy = server.duplicates
    if (same !== undefined && policy === 'refuse') problems.push(taken('key', at))
    const kept = same !== undefined && policy === 'replace' ? replacing(same, variable) : variable
    added.set(kept.id, kept)
    bySlot.set(slot, kept)
  }
  refuseIfAny(problems)
  return [...added.values()]
}
