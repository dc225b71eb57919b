import { describe, expect, test } from 'vitest'
import { FIELD_NAMES, FIELDS, NO_FIELDS, type VariableFields } from '../../src/model/fields.ts'
import { mergeSet } from '../../src/plan/merged-set.ts'
import { NOTHING_LOOKS_SECRET } from '../../src/plan/secrecy.ts'
import { anObserved, aSet } from '../support/states.ts'

/** Each field with a value that is not its default. */
const OTHER: VariableFields = { description: 'other', hcl: true }

const known = { stateOf: () => undefined, looksSecret: NOTHING_LOOKS_SECRET }
const KEY = 'terraform/a'

/** One variable before the change, after it, and in the service. */
function merged(
  was: Partial<VariableFields> & { value: string },
  is: Partial<VariableFields> & { value: string },
  there: Partial<VariableFields> & { value: string },
) {
  const [before, after] = [was, is].map(one => aSet('s', { variables: { [KEY]: one } }))
  const observed = anObserved('1', 's', { variables: { [KEY]: there } })
  if (before === undefined || after === undefined) throw new Error('two sets')
  const { target, items, overwritten } = mergeSet({ was: before, desired: after, observed }, known)
  const [variable] = target.variables
  const fields = FIELD_NAMES.filter(name => variable?.[name] !== NO_FIELDS[name])
  const text = variable !== undefined && 'text' in variable.value ? variable.value.text : undefined
  return { text, fields, items, overwritten }
}

test.each([
  ['edits all that differs', { value: '1' }, { value: '2' }, { value: '1' }, true],
  ['edits nothing, and nothing differs', { value: '1' }, { value: '1' }, { value: '1' }, true],
  ['leaves a value', { value: '1' }, { value: '1' }, { value: '3' }, false],
  [
    'edits a secret without its value, which is not sent',
    { value: { secret: { name: 'S' } } },
    { value: { secret: { name: 'S' } }, description: 'edited' },
    { value: { hidden: true } },
    false,
  ],
] as const)('a change that %s leads to the set of the files: %s', (_, was, is, there, isWhole) => {
  const [before, after] = [aSet('s', { variables: { [KEY]: was } }), aSet('s', { variables: { [KEY]: is } })]
  const observed = anObserved('1', 's', { variables: { [KEY]: there } })
  const merged = mergeSet({ was: before, desired: after, observed }, known)
  expect(merged.isWhole).toBe(isWhole)
  if (isWhole) expect(merged.target).toEqual(after)
})

describe.each(FIELD_NAMES)('the field %s of a variable', name => {
  const set = { [name]: OTHER[name] }
  const isOfValue = FIELDS[name].belongsToValue === true

  test('stays as it is in the service if the change edits another part', () => {
    // A description is edited beside a field of the value, and the value beside any other field.
    const edit = isOfValue ? { value: 'old', description: 'edited' } : { value: 'edited' }
    const { fields, items } = merged({ value: 'old' }, edit, { value: 'old', ...set })
    expect([fields.includes(name), items]).toEqual([true, [KEY]])
  })

  test('becomes that of the files if the change edits it, and leaves another part as it is in the service', () => {
    const drift = isOfValue
      ? { value: 'old', description: 'by hand' }
      : { value: 'by hand', description: 'by hand' }
    const { text, fields, items } = merged({ value: 'old' }, { value: 'old', ...set }, drift)
    // A value that is left is not sent.
    expect([text, fields.includes('description')]).toEqual([isOfValue ? 'old' : undefined, true])
    expect([fields.includes(name), items]).toEqual([true, [KEY]])
  })

  test('is said to be overwritten if somebody changed it and the change edits it', () => {
    const { fields, overwritten } = merged(
      { value: 'old', ...set },
      { value: 'new', ...(typeof OTHER[name] === 'string' ? { [name]: 'edited' } : set) },
      { value: typeof OTHER[name] === 'string' ? 'old' : 'by hand', [name]: NO_FIELDS[name] },
    )
    expect([fields.includes(name), overwritten]).toEqual([true, [KEY]])
  })
})

test('two variables of one key differ from the files, and stay if the change does not edit them', () => {
  const [before, after] = [aSet('s', { variables: { [KEY]: '1' } }), aSet('s', { variables: { [KEY]: '2' } })]
  const [one] = anObserved('1', 's', { variables: { [KEY]: '1' } }).variables
  if (one === undefined) throw new TypeError('one variable')
  const twice = { ...anObserved('1', 's'), variables: [one, { ...one, id: 'var-2' as const }] }
  const merged = (desired: typeof before) => mergeSet({ was: before, desired, observed: twice }, known)
  expect(merged(before)).toMatchObject({
    items: [KEY],
    duplicates: new Set([one.id, 'var-2']),
    isWhole: false,
  })
  expect(merged(after)).toMatchObject({ items: [], duplicates: new Set(), isWhole: true })
})
