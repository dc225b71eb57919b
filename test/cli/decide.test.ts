import { expect, test } from 'vitest'
import { type Claim, type Consent, decide } from '../../src/cli/decide.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObservedState, aSet } from '../support/states.ts'

const NOTHING = planOf(aDesiredState(), anObservedState())
const OPEN = planOf(aDesiredState(aSet('a')), anObservedState())
const BLOCKED: Plan = {
  ...OPEN,
  blocked: true,
  blocks: [{ code: 'protected-name', message: '"a" is protected and would be deleted.' }],
}
const NONE: Consent = { autoApprove: false, canAsk: false }
const DRIFT: Diagnostic = { severity: 'error', code: 'refused', message: 'drift' }
const HOLDS: Claim = 'holds'
const OUT_OF_DATE: Claim = { severity: 'error', code: 'refused', message: 'moved' }

test.each<[string, Plan, Partial<Consent>, Claim | undefined, Diagnostic | undefined, string]>([
  ['no changes, so no consent', NOTHING, {}, undefined, undefined, 'nothing-to-do'],
  ['without consent or terminal', OPEN, {}, undefined, undefined, 'refuse'],
  ['without consent, at a terminal', OPEN, { canAsk: true }, undefined, undefined, 'ask'],
  ['--auto-approve', OPEN, { autoApprove: true }, undefined, undefined, 'apply'],
  ['a reviewed plan that is up to date', OPEN, {}, HOLDS, undefined, 'apply'],
  ['the digest', OPEN, { approve: OPEN.digest }, undefined, undefined, 'apply'],
  [
    'another digest, with --auto-approve',
    OPEN,
    { approve: NOTHING.digest, autoApprove: true },
    undefined,
    undefined,
    'refuse',
  ],
  ['a guard and --auto-approve', BLOCKED, { autoApprove: true }, undefined, undefined, 'refuse'],
  ['a guard and a reviewed plan', BLOCKED, {}, HOLDS, undefined, 'refuse'],
  ['a guard at a terminal', BLOCKED, { canAsk: true }, undefined, undefined, 'refuse'],
  ['a guard and the digest', BLOCKED, { approve: BLOCKED.digest }, undefined, undefined, 'apply'],
  [
    'a reviewed plan that is out of date, with the digest',
    OPEN,
    { approve: OPEN.digest },
    OUT_OF_DATE,
    undefined,
    'refuse',
  ],
  ['a reviewed plan that is out of date, and no changes', NOTHING, {}, OUT_OF_DATE, undefined, 'refuse'],
  ['unexpected drift, with the digest', OPEN, { approve: OPEN.digest }, undefined, DRIFT, 'refuse'],
])('%s', (_, plan, consent, claim, drift, kind) => {
  expect(decide(plan, { ...NONE, ...consent }, claim, drift).kind).toBe(kind)
})
