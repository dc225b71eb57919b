import { expect, test } from 'vitest'
import { secretsIn } from '../../src/export/used-secrets.ts'

test('every form of a secret is found with the name of its set, also in a file with mistakes', () => {
  const text = `bases: { b: { env: { A: 1 } } }
variableSets:
  plain:
    env:
      A: { secret: ONE }
      B:
        description: two
        secret: "TWO"
      C: { secret: { name: THREE, accept: [placeholder] } }
      D: { value: "secret: NO" }
      secret: no
  keyed:
    name: in the service
    terraform: { t: { secret: FOUR }, t: { secret: FIVE } }
  broken: { evn: { X: { secret: SIX } }
  open: [
`
  const found = secretsIn(text).map(({ name, set }) => `${name} ${set}`)
  expect(found).toEqual([
    'ONE plain',
    'TWO plain',
    'THREE plain',
    // A variable of this name. A name too many is harmless.
    'no plain',
    'FOUR in the service',
    'FIVE in the service',
    'SIX broken',
  ])
})

test.each(['', 'organization: acme\n', '- a\n', '\u0000', 'variableSets: 1\n', '{{ not yaml'])(
  'another text has none: %j',
  text => {
    expect(secretsIn(text)).toEqual([])
  },
)
