import { describe, expect, test } from 'vitest'
import type { ApplyResult, FailureCause, StepOutcome } from '../../src/apply/outcome.ts'
import type { VariableKey } from '../../src/model/ids.ts'
import type { TransitionGap } from '../../src/plan/effective/effect.ts'
import { renderers } from '../../src/report/index.ts'
import type { Again } from '../../src/report/next-steps.ts'
import { typedAs } from '../support/typed.ts'
import {
  aPlan,
  aResult,
  assign,
  at,
  create,
  createSet,
  deleteSet,
  hidden,
  NO_FACTS,
  remove,
  secret,
  settings,
  step,
  text,
  update,
  updateSet,
} from './build.ts'

const TYPED = typedAs('apply')
const AGAIN = { consent: 'any', typed: TYPED, isSame: true, approved: { blocks: [] } } as const

/** What asks for a review of what is left, including secrets. */
const review = (rewrites: string): string =>
  `review what is left, then apply rest.json: setpoint plan ${rewrites} --out rest.json`

/** The text report of an apply without its first line and blank ones. */
const end = (result: ApplyResult, again: Again = AGAIN): string[] =>
  renderers
    .text({ kind: 'apply', result, typed: TYPED, again }, { color: false })
    .trimEnd()
    .split('\n')
    .slice(1)
    .filter(line => line !== '')

const FAILED: StepOutcome = { status: 'failed', message: '422' }
const LOST: StepOutcome = { status: 'unknown', message: 'the answer was lost' }
const TOKEN = 'set SETPOINT_TOKEN or TFE_TOKEN to a valid token that may write'
const NETWORK = 'check the connection to the service (address, network, proxy)'
const EVERYBODY = { count: 0, workspaces: [], projects: [], others: true } as const
const PART = { exitCode: 3, closing: { state: 'unread', message: 'timeout' } } as const

const THREE = aPlan([
  step('1', createSet('a', {}), at('a.yaml', 1)),
  step('2', update('b', text('env/X', '1'), text('env/X', '2')), at('b.yaml', 2)),
  step('3', assign('b', { kind: 'workspaces', ids: ['ws-1'] }), at('b.yaml', 3), ['2']),
])

test('failures for which the service gave a reason come first', () => {
  const result = aResult(THREE, { '1': FAILED, '2': FAILED, '3': LOST }, PART)
  const results = result.results.map((one, at) => (at === 1 ? { ...one, hasReason: true as const } : one))
  const rows = (shown: ApplyResult) => end(shown).filter(line => /^ {2}(?:failed|unknown) /.test(line))
  expect(rows({ ...result, results }).map(line => line.trim().split(/ {2,}/).slice(0, 2))).toEqual([
    ['failed', 'update-variable b env/X'],
    ['failed', 'create-set a'],
    ['unknown', 'assign b 1 workspace'],
  ])
})

test('a reason is told once', () => {
  const LATE: StepOutcome = { status: 'unknown', message: 'not seen' }
  expect(
    end(aResult(THREE, { '1': LATE, '2': LATE, '3': FAILED }, PART))
      .slice(1, 4)
      .map(line => line.trim().split(/ {2,}/)),
  ).toEqual([
    ['failed', 'assign b 1 workspace', '422', 'b.yaml:3'],
    ['unknown', 'create-set a', 'not seen', 'a.yaml:1'],
    ['unknown', 'update-variable b env/X', 'the same', 'b.yaml:2'],
  ])
})

describe('a success', () => {
  test('says what was done and verified', () => {
    expect(end(aResult(THREE, {}))).toEqual([
      'Applied: 1 created, 1 updated, 1 assigned. Verified by reading the service back.',
    ])
  })

  test('says what was already done, notes, and which secrets could not be compared', () => {
    const plan = { ...THREE, facts: { ...THREE.facts, secretsNotCompared: 2 } }
    const already: StepOutcome = { status: 'skipped', because: 'already-done' }
    expect(end(aResult(plan, { '1': already, '2': { status: 'succeeded', note: 'read back' } }))).toEqual([
      'Applied: 1 updated, 1 assigned, 1 already done. Verified by reading the service back.',
      '  note  update-variable b env/X  read back   b.yaml:2',
      'Secrets  2 not verified (the API never returns sensitive values; to send one, write a new version)',
    ])
    expect(end(aResult(THREE, { '1': already, '2': already, '3': already }))).toEqual([
      'Nothing left to do: 3 changes were already made.',
    ])
  })

  test('says if there was nothing to do', () => {
    const plan = aPlan([], { facts: { equalSets: 4 } })
    expect(end(aResult(plan, {}, { closing: { state: 'not-needed' } }))).toEqual([
      'Nothing to do. 4 sets equal.',
    ])
  })
})

describe('a failure', () => {
  test('counts outcomes, gives reasons and places, and says what to do next', () => {
    const result = aResult(
      THREE,
      { '1': LOST, '2': FAILED, '3': { status: 'skipped', because: '2' } },
      { exitCode: 3, closing: { state: 'differs', remaining: aPlan(THREE.steps.slice(1)) } },
    )
    expect(end(result)).toEqual([
      '0 done, 1 failed, 1 skipped, 1 unknown.',
      '  failed   update-variable b env/X  422   b.yaml:2',
      '  unknown  create-set a             the answer was lost   a.yaml:1',
      '  skipped  assign b 1 workspace     depends on 2   b.yaml:3',
      'The closing read shows 2 operations still to do: b',
      'Next: run the same apply again',
      'exit 3: partly applied',
    ])
  })

  test('counts skipped operations after a stop instead of listing them', () => {
    const stopped: StepOutcome = { status: 'skipped', because: 'stopped' }
    const result = aResult(
      THREE,
      { '2': stopped, '3': stopped },
      { ...PART, exitCode: 130, stopped: 'interrupted' },
    )
    expect(end(result)).toEqual([
      '1 done, 0 failed, 2 skipped, 0 unknown.',
      '  skipped  2 operations  the run stopped first',
      'Stopped: interrupted',
      'The closing read failed, so nothing is verified: timeout',
      'Next: run the same apply again',
      'exit 130: interrupted, partly applied',
    ])
  })

  describe('with a secret to write', () => {
    const rewrites = aPlan([
      step('1', update('a', text('env/X', '1'), text('env/X', '2'))),
      step('2', update('a b', hidden('env/K'), secret('env/K'))),
    ])
    const stopped: StepOutcome = { status: 'skipped', because: 'stopped' }

    test('lists the secret as still to do, although no read can show it, and repeats it in the command', () => {
      const result = aResult(rewrites, { '2': stopped }, { exitCode: 130, stopped: 'interrupted' })
      expect(end(result)).toEqual([
        '1 done, 0 failed, 1 skipped, 0 unknown.',
        '  skipped  update-variable "a b" env/K  the run stopped first',
        'Stopped: interrupted',
        'Still to do: 1 secret, which cannot be read back: "a b/env/K"',
        `Next: ${review("--rewrite 'a b/env/K'")}`,
        'exit 130: interrupted, partly applied',
      ])
    })

    test('counts the secret beside what the closing read shows, or if it failed', () => {
      const lines = (closing: ApplyResult['closing']): string[] =>
        end(aResult(rewrites, { '1': FAILED, '2': LOST }, { exitCode: 3, closing })).slice(-3)
      expect(lines({ state: 'differs', remaining: aPlan(rewrites.steps.slice(0, 1)) })).toEqual([
        'The closing read shows 1 operation still to do: a; and 1 secret, which cannot be read back: "a b/env/K"',
        `Next: ${review("--rewrite 'a b/env/K'")}`,
        'exit 3: partly applied',
      ])
      expect(lines({ state: 'unread', message: 'timeout' })).toEqual([
        'The closing read failed, so nothing is verified: timeout; still to do: 1 secret: "a b/env/K"',
        `Next: ${review("--rewrite 'a b/env/K'")}`,
        'exit 3: partly applied',
      ])
    })

    test('includes secrets of a creation without a response, unless the next plan writes them anyway', () => {
      const added = aPlan([step('1', createSet('a', { variables: [secret('env/K'), secret('env/L')] }))])
      expect(end(aResult(added, { '1': LOST }, { exitCode: 3 })).at(-2)).toBe(
        `Next: ${review('--rewrite a/env/K --rewrite a/env/L')}`,
      )
      const asked = { exitCode: 3, closing: { state: 'differs', remaining: added } } as const
      expect(end(aResult(added, { '1': LOST }, asked)).at(-2)).toBe('Next: run the same apply again')
    })

    test('selects a set by its id if its name would be read as a pattern or as a flag', () => {
      for (const name of ['a*', 'a?', '-a', '--all']) {
        const rewritten = update(name, hidden('env/K'), secret('env/K'))
        const odd = aPlan([step('1', rewritten)])
        expect(end(aResult(odd, { '1': FAILED }, { exitCode: 3 })).at(-2)).toBe(
          `Next: ${review(`--rewrite ${rewritten.subject.id}/env/K`)}`,
        )
      }
      const made = aPlan([step('1', createSet('a*', { variables: [secret('env/K')] }))])
      expect(end(aResult(made, { '1': LOST }, { exitCode: 3 })).at(-2)).toBe(
        'Next: review what is left, with --rewrite for "a*/env/K", by the id of the set, then apply it: setpoint plan',
      )
    })

    test('is the same apply again if that sends it again', () => {
      const asked = aPlan([step('1', update('a', hidden('env/K'), secret('env/K'), 'asked'))])
      const failed = aResult(asked, { '1': FAILED }, { exitCode: 3 })
      expect(end(failed).at(-2)).toBe('Next: run the same apply again')
      // A plan file asks again for each rewrite in it, whatever the reason.
      const changed = aPlan([step('1', update('a', hidden('env/K'), secret('env/K'), 'changed-outside'))])
      const byFile = { ...AGAIN, consent: 'files' } as const
      const lost = () => aResult(changed, { '1': LOST }, { exitCode: 3 })
      expect([end(lost(), byFile).at(-2), end(lost()).at(-2)]).toEqual([
        'Next: run the same apply again',
        `Next: ${review('--rewrite a/env/K')}`,
      ])
    })

    test('needs a plan without a typed command', () => {
      const lost = aResult(rewrites, { '2': FAILED }, { exitCode: 3 })
      const text = renderers.text({ kind: 'apply', result: lost }, { color: false })
      expect(text).toContain(
        'Next: plan again with --rewrite for "a b/env/K", review what is left, then apply it\n',
      )
    })
  })

  test('starts the advice with what must change if the cause is known', () => {
    const plan = aPlan([step('1', update('b', text('env/X', '1'), text('env/X', '2')), at('b.yaml', 2))])
    const left = { exitCode: 1, closing: { state: 'differs', remaining: plan } } as const
    const next = (...causes: readonly (FailureCause | undefined)[]) => {
      const results = causes.flatMap(cause =>
        aResult(plan, { '1': FAILED }).results.map(result => ({ ...result, cause })),
      )
      return end({ ...aResult(plan, {}, left), results }).filter(line => line.startsWith('Next: '))
    }
    const then = 'then run the same apply again'
    // Corrected files are another plan.
    const anew = 'then review what is left, then apply it: setpoint plan'
    expect(next('files')).toEqual([`Next: correct b.yaml:2, ${anew}`])
    expect(next('token')).toEqual([`Next: ${TOKEN}, ${then}`])
    expect(next('network')).toEqual([`Next: ${NETWORK}, ${then}`])
    expect(next('network', 'files', 'token', 'files')).toEqual([
      `Next: ${TOKEN}, correct b.yaml:2, ${NETWORK}, ${anew}`,
    ])
    expect(next(undefined)).toEqual(['Next: run the same apply again'])
  })

  test('proposes no command with names that a shell or a pattern would change', () => {
    for (const name of ['x; rm -rf ~', 'a*', '$(id)', '-rf', 'a b'])
      expect(end(aResult(aPlan([step('1', createSet(name, {}))]), { '1': FAILED }, PART)).at(-2)).toBe(
        'Next: run the same apply again',
      )
    const selected = { ...THREE, only: ['a'] }
    expect(end(aResult(selected, { '1': FAILED }, PART)).at(-2)).toBe('Next: run the same apply again')
  })

  test('explains the exit code', () => {
    const last = (others: Partial<ApplyResult>): string | undefined =>
      end({ ...aResult(THREE, {}), ...others }).at(-1)
    const nothing = {
      results: [],
      requests: { reads: 1, writes: 0 },
      closing: { state: 'not-needed' },
    } as const
    expect(last({ ...nothing, exitCode: 1 })).toBe('exit 1: error, nothing was written')
    expect(last({ ...nothing, exitCode: 4, stopped: 'stale' })).toBe('exit 4: refused, nothing was written')
    expect(last({ exitCode: 3, closing: PART.closing })).toBe('exit 3: applied, not verified')
    expect(last({ exitCode: 3, closing: { state: 'differs', remaining: THREE } })).toBe(
      'exit 3: applied, but the service differs again',
    )
    expect(last({ ...nothing, exitCode: 143 })).toBe('exit 143: interrupted, nothing was written')
  })

  test.each([1, 3, 130, 143] as const)(
    'says what comes next after exit code %i, whatever was done',
    exitCode => {
      expect(end({ ...aResult(THREE, {}), exitCode }).at(-2)).toBe('Next: run the same apply again')
    },
  )

  test('names one token, if it may neither write nor manage', () => {
    const failed = (cause: 'token' | 'network'): string => {
      const { results, ...result } = aResult(THREE, { '1': FAILED }, PART)
      const inventory = { state: 'failed', requests: 0, message: 'no', cause: 'permission' } as const
      return end({ ...result, results: results.map(one => ({ ...one, cause })), inventory }).at(-2) ?? ''
    }
    expect(failed('token')).toBe(`Next: ${TOKEN}, then run the same apply again`)
    expect(failed('network')).toBe(
      `Next: set SETPOINT_TOKEN or TFE_TOKEN to a token that may manage the organization's variable sets, ${NETWORK}, then run the same apply again`,
    )
  })

  test('lists at most fifty rows and counts the rest', () => {
    const steps = Array.from({ length: 60 }, (_, i) => step(String(i), createSet(`s${i}`, {})))
    const lines = end(aResult(aPlan(steps), Object.fromEntries(steps.map(({ id }) => [id, FAILED])), PART))
    expect(lines.filter(line => line.startsWith('  failed'))).toHaveLength(50)
    expect(lines[51]?.trim()).toBe('and 10 more')
  })
})

describe('Broken now', () => {
  const broken = (result: ApplyResult): string[] => {
    const [, title, ...lines] = end(result)
    return title === 'Broken now'
      ? lines.slice(
          0,
          lines.findIndex(line => !line.startsWith('  env') && !line.startsWith('  A, B')),
        )
      : []
  }
  const gap = (key: VariableKey, first: string, last: string): TransitionGap => ({
    key,
    between: [first, last],
    why: 'slot',
    ...EVERYBODY,
  })
  const transition = (...gaps: TransitionGap[]) => ({
    facts: { transition: { ...NO_FACTS.transition, gaps } },
  })
  const MOVE = aPlan(
    [
      step('delete', remove('base', text('env/X', '1'))),
      step('create', create('proxy', text('env/X', '1')), undefined, ['delete']),
    ],
    transition(gap('env/X', 'delete', 'create')),
  )

  test('says what workspaces see between a completed step and a failed one, and what ends it', () => {
    expect(broken(aResult(MOVE, { create: FAILED }, PART))).toEqual([
      '  env X: every workspace sees no value now, until create succeeds',
    ])
  })

  test('names the workspaces, and the set whose value they see', () => {
    const seen = { ...gap('env/X', 'delete', 'create'), count: 212, others: false, seen: { set: 'other' } }
    const facts = { ...MOVE.facts, transition: { ...MOVE.facts.transition, gaps: [seen] } }
    expect(broken(aResult({ ...MOVE, facts }, { create: FAILED }, PART))).toEqual([
      '  env X: 212 workspaces see the value of other now, until create succeeds',
    ])
  })

  test.each<[string, Record<string, StepOutcome>]>([
    ['the outcome of the second step is unknown', { create: LOST }],
    [
      'the outcome of the first step is unknown',
      { delete: LOST, create: { status: 'skipped', because: 'delete' } },
    ],
  ])('says "possibly" if %s', (_, outcomes) => {
    expect(broken(aResult(MOVE, outcomes, PART))).toEqual([
      '  env X: every workspace sees no value now, possibly, until create succeeds',
    ])
  })

  test.each<[string, ApplyResult]>([
    ['both steps were completed', aResult(MOVE, {}, PART)],
    [
      'the first step failed',
      aResult(MOVE, { delete: FAILED, create: { status: 'skipped', because: 'delete' } }, PART),
    ],
    ['the closing read found no difference', aResult(MOVE, { create: LOST }, { exitCode: 3 })],
  ])('is empty if %s', (_, result) => {
    expect(broken(result)).toEqual([])
  })

  test('combines gaps that differ only in the key', () => {
    const plan = aPlan(
      [
        step('gone', deleteSet('old', { global: true })),
        step('came', updateSet(settings('new'), settings('new'))),
      ],
      transition(gap('env/A', 'gone', 'came'), gap('env/B', 'gone', 'came')),
    )
    expect(broken(aResult(plan, { came: FAILED }, PART))).toEqual([
      '  A, B: every workspace sees no values now, until came succeeds',
    ])
  })

  test('describes an interrupted replacement by what workspaces see', () => {
    const steps = [
      step('1', remove('db', hidden('env/X'), true)),
      step('2', create('db', secret('env/X'), true), undefined, ['1']),
    ]
    const plan = aPlan(steps, transition(gap('env/X', '1', '2')))
    expect(broken(aResult(plan, { '2': FAILED }, PART))).toEqual([
      '  env X: every workspace sees no value now, until 2 succeeds',
    ])
  })

  test('names a variable whose replacement was interrupted, if no workspace sees it', () => {
    const plan = aPlan([
      step('1', remove('db', hidden('env/X'), true)),
      step('2', create('db', secret('env/X'), true), undefined, ['1']),
    ])
    expect(broken(aResult(plan, { '2': FAILED }, PART))).toEqual(['  env X is missing from db now'])
    expect(broken(aResult(plan, { '2': LOST }, PART))).toEqual(['  env X may be missing from db now'])
  })
})
