import { describe, expect, test } from 'vitest'
import { fingerprintsFrom, resolveSecrets } from '../../src/apply/resolve-secrets.ts'
import { Secret } from '../../src/model/secret.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const KEY = 'k'.repeat(32)
const of = (name: string) => ({ secret: { name } })

describe('the secrets of a plan', () => {
  const { steps } = planOf(
    aDesiredState(
      aSet('a', { variables: { 'env/A': of('S'), 'env/B': of('S'), 'env/C': of('T') } }),
      aSet('b', { variables: { 'env/A': of('S'), 'env/D': of('U') } }),
    ),
    anObservedState(),
  )
  const resolved = (values: Readonly<Record<string, string>>) => {
    const source = (name: string) => {
      const text = values[name]
      return text === undefined ? undefined : new Secret(text)
    }
    const { values: found, diagnostics } = resolveSecrets(steps, source, () => SOMEWHERE)
    return {
      names: [...found.keys()],
      said: diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message}`),
    }
  }

  test('are resolved once each, and a warning about whitespace is said once', () => {
    expect(resolved({ S: ' x', T: 'y', U: 'z' })).toEqual({
      names: ['S', 'T', 'U'],
      said: [
        'warning secret-white-space The value of S begins or ends with whitespace. It is sent unchanged.',
      ],
    })
  })

  test.each([
    ['"y"', true],
    ["'y'", true],
    ['"y" "z"', false],
    ['y"', false],
  ])('of which one stands in quotes, %s, are sent with a warning: %s', (text, isTold) => {
    const { names, said } = resolved({ S: 'x', T: text, U: 'z' })
    expect(names).toEqual(['S', 'T', 'U'])
    expect(said).toEqual(
      isTold ? ['warning secret-white-space The value of T is in quotes, which are sent with it.'] : [],
    )
  })

  test('in quotes are HCL code where the variable is', () => {
    const plan = planOf(
      aDesiredState(aSet('a', { variables: { 'terraform/A': { value: of('S'), hcl: true } } })),
      anObservedState(),
    )
    const { diagnostics } = resolveSecrets(
      plan.steps,
      () => new Secret('"x"'),
      () => SOMEWHERE,
    )
    expect(diagnostics).toEqual([])
  })

  test('that are missing are reported at each variable', () => {
    expect(resolved({ T: 'y' }).said).toEqual(
      ['S, which a/env/A', 'S, which a/env/B', 'S, which b/env/A', 'U, which b/env/D'].map(
        which => `error missing-secret No value for secret ${which} needs.`,
      ),
    )
  })
})

test('a fingerprint is of one value at one place, by one key', () => {
  const made = ({
    organization = 'acme',
    fingerprintKey = KEY,
    text = 'x',
    setId = 'varset-1' as const,
    key = 'env/A' as const,
    name = 'S',
  } = {}) =>
    fingerprintsFrom(
      () => new Secret(text),
      organization,
      fingerprintKey,
    )({ setId, key: key as 'env/A', ref: { name } })
  const all = [
    {},
    { organization: 'other' },
    { fingerprintKey: 'l'.repeat(32) },
    { text: 'y' },
    { setId: 'varset-2' as 'varset-1' },
    { key: 'terraform/A' as 'env/A' },
    { name: 'T' },
  ].map(one => made(one)?.text)
  expect(new Set(all).size).toBe(all.length)
  expect(made()).toEqual(made())
  expect(
    fingerprintsFrom(() => undefined, 'acme', KEY)({ setId: 'varset-1', key: 'env/A', ref: { name: 'S' } }),
  ).toBeUndefined()
})
