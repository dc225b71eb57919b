import { expect, test } from 'vitest'
import { fileNotEdited } from '../../src/plan/equality.ts'
import { anObserved, aSet, asWritten, SOMEWHERE } from '../support/states.ts'

const AT_BASE = { ...SOMEWHERE, path: 'bases/b.yaml' }

test('an update of set files names the file that it would have to write and does not', () => {
  const [variable] = asWritten(aSet('a', { variables: { 'env/K': 'new' } })).variables
  if (variable === undefined) throw new Error('there is no variable')
  const inFile = { ...variable, file: 'keys/k.pem' }
  const [none, same, other] = [undefined, 'new', 'old'].map(value =>
    anObserved('1', 'a', { variables: value === undefined ? {} : { 'env/K': value } }),
  )
  if (none === undefined || same === undefined || other === undefined) throw new Error('a set is missing')
  expect(fileNotEdited([variable], other)).toBeUndefined()
  expect(fileNotEdited([inFile], other)).toBe('keys/k.pem')
  expect(fileNotEdited([inFile], same)).toBeUndefined()
  expect(fileNotEdited([{ ...inFile, base: AT_BASE }], other)).toBeUndefined()
  expect(fileNotEdited([{ ...inFile, base: AT_BASE }], none)).toBe('bases/b.yaml')
})
