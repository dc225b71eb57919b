import { describe, expect, test } from 'vitest'
import type { InventoryEntry, SecretRecord } from '../../src/model/inventory.ts'
import type { DesiredValue } from '../../src/model/variable-set.ts'
import { createPlan, type PlanOptions } from '../../src/plan/create.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const plain = { secret: { name: 'S' } }
const versioned = { secret: { name: 'S', version: '1' } }
const setOf = (value: DesiredValue, description = '') =>
  aSet('a', { description, variables: { 'env/X': { value } } })

/** What a plan knows of the secret `env/X`, which the service shows with the version `live`. */
function stateOf(
  value: DesiredValue,
  entry: Partial<InventoryEntry> | undefined,
  { live, ...options }: Partial<PlanOptions> & { readonly live?: string | undefined } = { live: 'v1' },
): string {
  const set = setOf(value)
  const hidden = anObserved('1', 'a', { variables: { 'env/X': { hidden: true } } })
  const shown = {
    ...hidden,
    variables: hidden.variables.map(one => (live === undefined ? one : { ...one, versionId: live })),
  }
  const entries: InventoryEntry[] =
    entry === undefined
      ? []
      : [
          {
            setId: shown.id,
            variableId: 'var-9',
            digest: desiredDigest(set),
            secrets: {},
            damaged: false,
            ...entry,
          },
        ]
  const { value: plan } = createPlan(
    { ...aDesiredState(set), owner: 'us' },
    { ...anObservedState(shown), inventories: [{ owner: 'us', id: 'varset-9', entries }] },
    { ...OPTIONS, ...options },
  )
  return Object.values(plan?.facts.secrets[0]?.state ?? {})
    .filter(text => typeof text === 'string')
    .toSorted()
    .join(' ')
}

const recorded = (record: Partial<SecretRecord>): Partial<InventoryEntry> => ({
  name: 'a',
  external: {},
  secrets: { 'env/X': { name: 'S', ...record } },
})
const CHANGED = { digest: desiredDigest(setOf(plain, 'before')) }
const fingerprint = { keyId: 'k', text: 'f' }
const fingerprintOf = (text: string) => () => ({ keyId: 'k', text })

describe('a secret is', () => {
  test.each<[string, string, DesiredValue, Partial<InventoryEntry> | undefined]>([
    [
      'same',
      'if the last write is there and has the version',
      versioned,
      recorded({ version: '1', versionId: 'v1' }),
    ],
    [
      'changed-outside write',
      'if the service has another version',
      versioned,
      recorded({ version: '1', versionId: 'v0' }),
    ],
    [
      'source-changed write',
      'if the file has a new version',
      versioned,
      recorded({ version: '0', versionId: 'v1' }),
    ],
    ['source-changed write', 'if nothing was sent, and the file has a version', versioned, recorded({})],
    ['no-version not-compared', 'if the file has no version', plain, recorded({ versionId: 'v1' })],
    ['not-compared not-recorded', 'if only its reference is recorded', plain, recorded({})],
    [
      'taken-charge write',
      'if the entry says that it was external',
      plain,
      { external: { 'env/X': 'missing' }, ...CHANGED },
    ],
    [
      'not-compared not-recorded',
      'if the entry says that it was not external',
      plain,
      { external: {}, ...CHANGED },
    ],
    ['taken-charge write', 'also then, if the file has a version', versioned, { external: {}, ...CHANGED }],
    ['taken-charge write', 'if an entry of 0.2 has no record, and the file has changed', plain, CHANGED],
    ['not-compared not-recorded', 'if an entry has no record, and the file is the same', versioned, {}],
    ['not-compared not-recorded', 'if nothing is listed', plain, undefined],
    ['taken-charge write', 'if nothing is listed, and the file has a version', versioned, undefined],
    [
      'taken-charge write',
      'if the entry is damaged, and the file has a version',
      versioned,
      { damaged: true },
    ],
    ['not-compared not-recorded', 'if the entry is damaged', plain, { damaged: true }],
  ])('%s %s', (state, _, value, entry) => {
    expect(stateOf(value, entry)).toBe(state)
  })

  test('compared with its source only by a fingerprint of the same key', () => {
    const entry = recorded({ versionId: 'v1', fingerprint })
    const by = (text: string, keyId = 'k') =>
      stateOf(plain, entry, { live: 'v1', fingerprintOf: () => ({ keyId, text }) })
    expect([by('f'), by('other'), by('other', 'new key'), stateOf(plain, entry)]).toEqual([
      'same',
      'value-changed write',
      'no-version not-compared',
      'no-version not-compared',
    ])
  })

  test.each([
    ['same', 'v1', 'v1'],
    ['same', 'v1', undefined],
    ['same', undefined, 'v1'],
    ['not-compared not-recorded', 'v1', 'v2'],
  ])(
    '%s after this run sent it, if the response has the version %s and a read %s',
    (state, answered, live) => {
      const [sent] = anObserved('1', 'a', { variables: { 'env/X': { hidden: true } } }).variables
      if (sent === undefined) throw new TypeError('one variable')
      const versionId = answered === undefined ? {} : { versionId: answered }
      expect(stateOf(plain, {}, { live, sent: new Map([['a/env/X', { ...sent, ...versionId }]]) })).toBe(
        state,
      )
    },
  )

  test('not compared with the service if that shows no version, whatever its source says', () => {
    const entry = recorded({ version: '1', value: 'sent', fingerprint })
    const options = { live: undefined, fingerprintOf: fingerprintOf('f') }
    expect(stateOf(versioned, entry, options)).toBe('no-version-id not-compared')
    expect(stateOf(versioned, entry, { ...options, fingerprintOf: fingerprintOf('g') })).toBe(
      'value-changed write',
    )
    expect(stateOf(versioned, entry, { live: 'v1' })).toBe('no-version-id not-compared')
  })
})

test('why a secret is written is said by its operation', () => {
  const hidden = anObserved('1', 'a', { variables: { 'env/X': { hidden: true } } })
  const steps = (options: Partial<PlanOptions>) =>
    createPlan(aDesiredState(setOf(plain)), anObservedState(hidden), { ...OPTIONS, ...options }).value?.steps
  expect(steps({})).toEqual([])
  expect(steps({ rewrite: ['a'] })).toMatchObject([
    { operation: { type: 'update-variable', rewrite: 'asked' } },
  ])
})
