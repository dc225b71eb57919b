import { expect, test } from 'vitest'
import { NO_DETAILS, NO_FIELDS } from '../../src/model/fields.ts'
import type { ResolvedSet } from '../../src/model/variable-set.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { aSet } from '../support/states.ts'

const SET = aSet('a', { variables: { 'env/A': '1', 'terraform/B': { secret: { name: 'S' } } } })

/** The digest in a program whose sets and variables have one more attribute, of which the set and its variables have these values. */
function withNewAttribute(ofSet: string, ofVariables: string): string {
  Object.assign(NO_DETAILS, { madeUp: '' })
  Object.assign(NO_FIELDS, { madeUp: '' })
  try {
    const variables = SET.variables.map(variable => Object.assign({}, variable, { madeUp: ofVariables }))
    const set: ResolvedSet = Object.assign({}, SET, { variables, madeUp: ofSet })
    return desiredDigest(set)
  } finally {
    for (const defaults of [NO_DETAILS, NO_FIELDS]) Reflect.deleteProperty(defaults, 'madeUp')
  }
}

test('a new attribute changes a recorded digest only where it differs from its default', () => {
  expect(withNewAttribute('', '')).toBe(desiredDigest(SET))
  const digests = [withNewAttribute('', ''), withNewAttribute('x', ''), withNewAttribute('', 'x')]
  expect(new Set(digests).size).toBe(3)
})
