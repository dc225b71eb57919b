import { expect, test } from 'vitest'
import { withFingerprint } from '../../src/plan/secret-states.ts'

const [OLD, NEW, OTHER] = [
  { keyId: 'old', text: 'a' },
  { keyId: 'new', text: 'b' },
  { keyId: 'old', text: 'c' },
]
const record = { name: 'S' }

test.each([
  ['nothing without a key', record, [], record],
  [
    'the first one as seen, because it does not prove what was written',
    record,
    [NEW],
    { ...record, seen: NEW },
  ],
  ['nothing of the same key', { ...record, seen: OLD }, [OLD], { ...record, seen: OLD }],
  [
    'that of a changed key which proves what was seen',
    { ...record, seen: OLD },
    [NEW, OLD],
    { ...record, seen: NEW },
  ],
  [
    'that of a changed key which proves what was written',
    { ...record, fingerprint: OLD },
    [NEW, OLD],
    { ...record, fingerprint: NEW },
  ],
  [
    'nothing if the source has changed since',
    { ...record, fingerprint: OLD },
    [NEW, OTHER],
    { ...record, fingerprint: OLD },
  ],
])('a run records of a secret %s', (_, before, made, after) => {
  expect(withFingerprint(before, made)).toEqual(after)
})
