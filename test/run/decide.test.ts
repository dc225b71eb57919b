import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { planBase } from '../../src/plan/base.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { type Block, newBlocks, type Plan } from '../../src/plan/plan-data.ts'
import {
  approvalMistake,
  approvedBlocks,
  approves,
  type Compared,
  type Consent,
  decide,
  unexpectedDrift,
} from '../../src/run/decide.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObservedState, aSet } from '../support/states.ts'

const NOTHING = planOf(aDesiredState(), anObservedState())
const OPEN = planOf(aDesiredState(aSet('a')), anObservedState())
const PROTECTED: Block = {
  code: 'protected-name',
  message: '"a" is protected and would be deleted.',
  item: { kind: 'set', set: 'a' },
}
const BLOCKED: Plan = { ...OPEN, blocked: true, blocks: [PROTECTED] }
const NONE: Consent = { autoApprove: false, canAsk: false }
const DRIFT: Diagnostic = { severity: 'error', code: 'refused', message: 'drift' }
/** The blocks of now are compared where the plan is known. */
const files = (...plans: readonly Plan[]): Compared => ({
  blocks: [],
  files: plans.map((plan, at) => ({ file: `${at}.json`, plan })),
})
const against = (plan: Plan, { files, ...reviewed }: Compared): Compared => {
  const agreed = files.flatMap(one => one.plan.blocks)
  return { ...reviewed, files, blocks: newBlocks(plan.blocks, { blocks: agreed }) }
}
const HOLDS = files(OPEN)
const OUT_OF_DATE: Compared = {
  ...HOLDS,
  conflict: { severity: 'error', code: 'refused', message: 'moved' },
}

test.each<[string, Plan, Partial<Consent>, Compared | undefined, Diagnostic | undefined, string]>([
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
])('%s', (_, plan, consent, reviewed, drift, kind) => {
  expect(decide(plan, { ...NONE, ...consent }, reviewed && against(plan, reviewed), drift).kind).toBe(kind)
})

describe('the digest of a plan as an approval', () => {
  const { digest } = OPEN
  const other = NOTHING.digest

  test.each<[string, string, boolean, boolean]>([
    ['12 digits, at a terminal', digest.slice(0, 12), true, true],
    ['13 digits, at a terminal', digest.slice(0, 13), true, true],
    ['all digits, at a terminal', digest, true, true],
    ['11 digits, at a terminal', digest.slice(0, 11), true, false],
    ['all digits', digest, false, true],
    ['12 digits', digest.slice(0, 12), false, false],
    ['63 digits', digest.slice(0, 63), false, false],
    ['12 digits, and the digest of another plan', `${other},${digest.slice(0, 12)}`, false, false],
    ['all digits, and the digest of another plan', `${other},${digest}`, false, true],
    ['12 digits of another plan, at a terminal', other.slice(0, 12), true, false],
    ['the digest of another plan, at a terminal', other, true, false],
  ])('%s', (_, approve, canAsk, isEnough) => {
    const consent = { ...NONE, approve, canAsk }
    expect(approves(consent, digest)).toBe(isEnough)
    expect(decide(OPEN, { ...consent, autoApprove: true }, undefined, undefined).kind).toBe(
      isEnough ? 'apply' : 'refuse',
    )
  })

  test.each([
    [other, `The approval is for "${other}", but the current plan is ${digest}.`],
    [other.slice(0, 12), `The approval is for "${other.slice(0, 12)}", but the current plan is ${digest}.`],
    [digest.slice(0, 12), `The approval "${digest.slice(0, 12)}" has 12 of 64 digits; `],
    [`${other},${digest.slice(0, 12)}`, `The approval "${digest.slice(0, 12)}" has 12 of 64 digits; `],
  ])('%s is refused with what is wrong', (approve, message) => {
    expect(decide(OPEN, { ...NONE, approve }, undefined, undefined)).toMatchObject({
      why: { message: expect.stringContaining(message) },
    })
  })

  test.each([
    ['upper case', `A${digest.toUpperCase()}`.slice(0, 64)],
    ['more than the digest', `${digest}0`],
    ['a pattern', '.*'],
    ['eleven digits', digest.slice(0, 11)],
    ['a word', 'abc'],
    ['a blank', ' '],
    ['a comma', ','],
    ['a full stop after the digest', `${digest}.`],
  ])('is not %s', (_, approve) => {
    const wrong = /[^0-9a-f]/i.test(approve) ? 'this' : JSON.stringify(approve)
    expect(approvalMistake(approve, 'X')).toMatchObject({
      code: 'bad-usage',
      message: `X: ${wrong} is not the digest of a plan.`,
    })
  })

  test('is twelve to 64 digits, or several digests', () => {
    for (const approve of [digest, digest.slice(0, 12), `${digest},${other}`])
      expect(approvalMistake(approve, 'X')).toBeUndefined()
  })

  test.each([
    [`${digest},`],
    [`,${digest}`],
    [` ${digest} `],
    [`${other}, ${digest}`],
    [`${other},,${digest},`],
  ])('may have commas and whitespace around it: %s', approve => {
    expect(approvalMistake(approve, 'X')).toBeUndefined()
    expect(approves({ ...NONE, approve }, digest)).toBe(true)
    expect(approves({ ...NONE, approve }, `${digest.slice(0, 63)}0`)).toBe(false)
  })
})

describe('of a plan that was partly applied', () => {
  const digest = (digit: string): string => digit.repeat(64)
  /** What was reviewed, and what is left of it: another plan with another digest. */
  const REVIEWED: Plan = { ...BLOCKED, digest: digest('a') }
  const LEFT: Plan = { ...BLOCKED, digest: digest('b') }
  const MANY: Block = { code: 'too-many-deletions', message: '3 of 3.', item: { kind: 'plan' } }
  const RULE: Block = {
    code: 'violates-rule',
    message: 'x',
    item: { kind: 'variable', set: 'a', key: 'env/A' },
    rule: 'r',
  }
  const approving = (reviewed: Plan, left: Plan, approve: string | undefined = reviewed.digest) =>
    decide(left, { ...NONE, approve }, against(left, files(reviewed)), undefined)

  test('the digest alone approves only a plan with this digest', () => {
    const decision = decide(LEFT, { ...NONE, approve: REVIEWED.digest }, undefined, undefined)
    expect(decision).toMatchObject({
      kind: 'refuse',
      why: {
        hint: expect.stringContaining(
          'stopped halfway, the rest needs a new review, or the file of the plan',
        ),
      },
    })
  })

  test('file and digest approve what the file names as blocked, whatever the messages count', () => {
    expect(approving(REVIEWED, LEFT).kind).toBe('apply')
    const counted = { ...REVIEWED, blocks: [PROTECTED, MANY, RULE] }
    const fewer = { ...LEFT, blocks: [{ ...MANY, message: '2 of 2.' }, RULE] }
    expect(approving(counted, fewer).kind).toBe('apply')
    expect(approving(counted, { ...LEFT, blocks: [], blocked: false }).kind).toBe('apply')
  })

  test.each<[string, Block]>([
    ['another guard', { code: 'loosens-pruning', message: 'Looser.', item: { kind: 'plan' } }],
    ['another set', { ...PROTECTED, item: { kind: 'set', set: 'b' } }],
    ['a rule', RULE],
  ])('file and digest do not approve what the file does not name: %s', (_, block) => {
    const left = { ...LEFT, blocks: [PROTECTED, block] }
    expect(approving(REVIEWED, left)).toMatchObject({
      kind: 'refuse',
      why: {
        message: `The plan is blocked, and the approved plan file does not name this: ${block.message}`,
        hint: `Review the plan above, then apply it without the plan file: --approve ${LEFT.digest}`,
      },
    })
  })

  test('a share does not count again of what file and digest approve, but of a file without its digest', () => {
    const left = { ...LEFT, blocks: [PROTECTED, MANY] }
    expect(approving(REVIEWED, left).kind).toBe('apply')
    const open = { ...REVIEWED, blocks: [], blocked: false }
    const share = { ...LEFT, blocks: [MANY] }
    expect(decide(share, NONE, against(share, files(open)), undefined).kind).toBe('refuse')
  })

  test.each<[string, Block]>([
    ['another rule', { ...RULE, rule: 's' }],
    ['another variable', { ...RULE, item: { ...RULE.item, key: 'env/B' } }],
    ['another kind of exposure', { ...RULE, item: { ...RULE.item, detail: 'global' } }],
  ])('a hit of a rule is approved for its item alone: %s', (_, block) => {
    const reviewed = { ...REVIEWED, blocks: [RULE] }
    expect(approving(reviewed, { ...LEFT, blocks: [block] }).kind).toBe('refuse')
  })

  test('a file that says `blocked` needs all digits of its own digest, whatever this run blocks', () => {
    const free = { ...LEFT, blocks: [], blocked: false }
    const why = {
      message: 'The plan in "0.json" is blocked: "a" is protected and would be deleted.',
      hint: `Review exactly that plan, then add: --approve ${REVIEWED.digest}`,
    }
    for (const consent of [
      NONE,
      { ...NONE, autoApprove: true },
      { ...NONE, canAsk: true },
      { ...NONE, approve: free.digest },
      { ...NONE, canAsk: true, approve: REVIEWED.digest.slice(0, 12) },
    ])
      for (const left of [LEFT, free])
        expect(decide(left, consent, against(left, files(REVIEWED)), undefined)).toMatchObject({
          kind: 'refuse',
          why,
        })
  })

  test('of several files each blocked one needs its digest', () => {
    const other: Plan = { ...REVIEWED, digest: digest('c') }
    const both = files(REVIEWED, OPEN, other)
    const decided = (approve: string) =>
      decide(LEFT, { ...NONE, approve }, against(LEFT, both), undefined).kind
    expect(decided(REVIEWED.digest)).toBe('refuse')
    expect(decided(`${REVIEWED.digest},${other.digest}`)).toBe('apply')
  })

  test('a digest of no file and no plan approves nothing', () => {
    expect(
      approving({ ...OPEN, digest: digest('a') }, { ...OPEN, digest: digest('b') }, digest('d')).kind,
    ).toBe('refuse')
  })
})

test('what several files take away counts again unless all of them are approved', () => {
  const other = { ...OPEN, digest: NOTHING.digest }
  const reviewed = files(OPEN, other).files
  const measured = (...digests: readonly string[]) =>
    approvedBlocks({ ...NONE, approve: digests.join() }, reviewed).measured
  expect([
    measured(OPEN.digest, other.digest),
    measured(OPEN.digest),
    measured(OPEN.digest, 'f'.repeat(64)),
  ]).toEqual([true, undefined, undefined])
  expect(approvedBlocks({ ...NONE, approve: OPEN.digest }, []).measured).toBeUndefined()
})

describe('a set that the service lacks, and of which an entry of 0.2 does not tell whether it was there', () => {
  const wanted = { ...aDesiredState(aSet('a')), owner: 'us' }
  const entry = {
    ...{ setId: 'varset-1' as const, variableId: 'var-9' as const },
    ...{ digest: 'd', secrets: {}, damaged: false },
  }
  const inventories = [{ owner: 'us', id: 'varset-9' as const, entries: [entry] }]
  const live = { ...anObservedState(), inventories }
  const matched = matchStates(wanted, live, [])
  const POSSIBLY = 'Possibly changed outside Setpoint (neither as last applied nor as in the files): "a".'
  const said = (desired?: typeof wanted) => {
    const commit = desired && { ref: 'main', commit: 'c0ffee', desired }
    const plan = planOf(wanted, live, commit && { base: commit })
    return unexpectedDrift({ plan, matched, base: commit && planBase(commit, live, []) })
  }

  test('stops the run, which could tell more with a base', () => {
    expect(said()).toMatchObject({ message: POSSIBLY, hint: expect.stringContaining('add --base.') })
  })

  test('stops it also if the base has the set, and then no base helps', () => {
    expect(said(wanted)).toMatchObject({
      message: POSSIBLY,
      hint: expect.not.stringContaining('add --base.'),
    })
  })

  test('does not, if this change adds the set', () => {
    expect(said({ ...wanted, sets: [] })).toBeUndefined()
  })
})
