import { expect, test } from 'vitest'
import { readEntryContent } from '../../src/model/inventory.ts'

test('an entry of 0.2 that says that a value was kept says that it was sent', () => {
  const stateOf = (value: unknown) =>
    readEntryContent({ digest: 'd', secrets: { 'env/K': { name: 'K', value } } })?.secrets['env/K']
  expect(stateOf('kept')).toEqual({ name: 'K', value: 'sent' })
  expect(stateOf('sent')).toEqual({ name: 'K', value: 'sent' })
  expect(stateOf('other')).toEqual({ name: 'K' })
})
