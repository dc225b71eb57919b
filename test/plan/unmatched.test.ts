import { describe, expect, test } from 'vitest'
import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan, findRemaining } from '../../src/plan/create.ts'
import { aPlace } from '../support/place.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const removing = (...names: readonly string[]): ResolvedState => ({
  ...aDesiredState(aSet('kept')),
  removed: names.map(name => ({ name, source: SOMEWHERE })),
})

const holding = (...names: readonly string[]): ObservedState =>
  anObservedState(...names.map((name, at) => anObserved(String(at), name)))

const said = (desired: ResolvedState, observed: ObservedState, options: object = {}) =>
  createPlan(desired, observed, { ...OPTIONS, ...options }).diagnostics.map(
    ({ severity, code, hint }) => `${severity} ${code}: ${hint}`,
  )

describe('a name under "removed" that the service does not have', () => {
  test('is a warning, so that a run after the deletion succeeds, and names a set that it may mean', () => {
    const gone = 'warning nothing-to-remove: If it is already gone, remove the line.'
    expect(said(removing('old'), holding('kept'))).toEqual([gone])
    expect(said(removing('kept-x'), holding('kept'))).toEqual([gone])
    for (const [removed, other] of [
      ['paymets-prod', 'payments-prod'],
      ['team-a', 'team-b'],
      ['aws-2025', 'aws-2026'],
      ['payments-east', 'payments-west'],
    ] as const)
      expect(said(removing(removed), holding('kept', other))).toEqual([`${gone} Did you mean "${other}"?`])
  })

  test('is never mistaken for a set that a file declares or another owner lists', () => {
    const gone = 'warning nothing-to-remove: If it is already gone, remove the line.'
    const near = holding('kept', 'payments-prod')
    const inventories = [
      {
        owner: 'other',
        id: 'varset-inventory' as const,
        entries: [
          {
            setId: 'varset-1' as const,
            variableId: 'var-1' as const,
            digest: '',
            secrets: {},
            damaged: false,
          },
        ],
      },
    ]
    expect(said({ ...removing('paymets-prod'), owner: 'us' }, { ...near, inventories })).toEqual([gone])
    const declared = { ...removing('paymets-prod'), sets: [aSet('payments-prod')] }
    expect(said(declared, near)).toEqual([gone])
  })

  test('is not reported by the closing read, nor if --only excludes it', () => {
    const [desired, observed] = [removing('paymets-prod'), holding('kept', 'payments-prod')]
    expect(findRemaining(desired, observed, OPTIONS).diagnostics).toEqual([])
    expect(said(desired, observed, { only: ['kept'] })).toEqual([])
  })

  test('is no error right after its deletion, beside a set with a similar name', async () => {
    const place = await aPlace(
      { 'sets/a.yaml': 'variableSets: { kept: {} }\nremoved: [paymets-prod]\n' },
      { sets: [{ name: 'paymets-prod' }, { name: 'payments-prod' }] },
    )
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve'])
    expect({ code, live: place.live() }).toEqual({ code: 0, live: ['kept', 'payments-prod'] })
    expect(stdout).toContain('Verified by reading the service back')
  })

  test('is a warning at its place', async () => {
    const place = await aPlace(
      { 'sets/a.yaml': 'variableSets: { kept: {} }\nremoved: [paymets-prod]\n' },
      { sets: [{ name: 'payments-prod' }] },
    )
    const { code, stdout } = await place.setpoint(['plan'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('Did you mean "payments-prod"?')])
    expect(stdout).toContain('sets/a.yaml:2:11')
  })

  test('does not fail the runs after its deletion, even beside a set with a similar name', async () => {
    const sets = 'variableSets:\n  kept: {}\n'
    const place = await aPlace(
      { 'setpoint.yaml': 'organization: acme\nowner: us\n', 'sets/a.yaml': `${sets}  "paymets-prod": {}\n` },
      { sets: [{ name: 'payments-prod' }] },
    )
    await place.setpoint(['apply', '--auto-approve'])
    place.write({ 'sets/a.yaml': `${sets}removed: [paymets-prod]\n` })
    for (let run = 1; run <= 3; run++) {
      const { code, stdout } = await place.setpoint(['apply', '--auto-approve'])
      expect([run, code]).toEqual([run, 0])
      expect(stdout.includes('nothing-to-remove')).toBe(run > 1)
    }
    const drift = await place.setpoint(['drift'])
    expect(drift.code).toBe(0)
  })
})

describe('--rewrite', () => {
  const desired = aDesiredState(
    aSet('payments', {
      variables: {
        'env/TOKEN': { secret: { name: 'TOKEN' } },
        'env/REGION': 'eu',
        'env/KEY': { external: true },
      },
    }),
    aSet('plain', { variables: { 'env/A': '1' } }),
  )
  const says = (rewrite: string, only: readonly string[] = []) => {
    const { diagnostics } = createPlan(desired, holding(), { ...OPTIONS, only, rewrite: [rewrite] })
    return diagnostics
      .filter(({ code }) => code === 'unmatched-selection')
      .map(({ severity, message, hint }) => `${severity}: ${message} ${hint}`)
  }

  test.each(['payments', 'payments/TOKEN', 'payments/env/TOKEN', 'pay*', '*', '*/TOKEN'])(
    'matches a secret: %s',
    pattern => expect(says(pattern)).toEqual([]),
  )

  test.each([
    [
      'nosuch/X',
      'error: --rewrite "nosuch/X" matches no secret in the files. Write it as SET, SET/KEY or SET/env/KEY.',
    ],
    [
      'payments/TOKN',
      'error: --rewrite "payments/TOKN" matches no secret in the files. Did you mean --rewrite payments/TOKEN?',
    ],
    [
      'payment',
      'error: --rewrite "payment" matches no secret in the files. Did you mean --rewrite payments?',
    ],
    [
      'payments/REGION',
      'error: --rewrite "payments/REGION" matches no secret in the files. Only the value of a variable with "secret:" can be written again.',
    ],
    [
      'payments/KEY',
      'error: --rewrite "payments/KEY" matches no secret in the files. Only the value of a variable with "secret:" can be written again.',
    ],
    [
      'plain',
      'error: --rewrite "plain" matches no secret in the files. Only the value of a variable with "secret:" can be written again.',
    ],
  ])('is an error if it matches no secret: %s', (pattern, words) => expect(says(pattern)).toEqual([words]))

  test('is an error for a set outside --only', () => {
    expect(says('payments', ['plain'])).toEqual([
      'error: --rewrite "payments" matches no secret in the files. Its set is outside --only. Add the set to --only.',
    ])
  })

  test('is checked before anything is written', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets: { a: { env: { A: { secret: S } } } }\n' })
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', '--rewrite', 'nosuch/X'], {
      env: { SETPOINT_SECRET_S: 'x' },
    })
    expect({ code, live: place.live() }).toEqual({ code: 1, live: [] })
    expect(stderr).toContain('error unmatched-selection')
  })
})

describe('a name that is nearly right, where nothing else would say so', () => {
  const named = (previous: string): ResolvedState =>
    aDesiredState(aSet('new', { previousNames: [previous], variables: { 'env/B': '1' } }))

  test('a previous name of a set that is created', () => {
    expect(said(named('paymets'), holding('payments'))).toEqual([
      'warning probable-rename: Did you mean "payments"?',
    ])
    expect(said(named('payments'), holding('payments'))).toEqual([])
    expect(said(named('elsewhere'), holding('payments'))).toEqual([])
  })

  test('a pattern of `protect`', () => {
    const protecting = (...protect: readonly string[]) => {
      const desired = aDesiredState(aSet('kept'))
      return said({ ...desired, guards: { ...desired.guards, protect } }, holding('other'))
    }
    expect(protecting('kep')).toEqual(['warning unmatched-selection: Did you mean "kept"?'])
    expect(protecting('network-*')).toEqual([
      'warning unmatched-selection: Correct it, or remove it: it protects nothing.',
    ])
    expect(protecting('kept', 'oth*', 'varset-0')).toEqual([])
  })
})
