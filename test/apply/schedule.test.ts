import { describe, expect, test } from 'vitest'
import type { Execute } from '../../src/apply/outcome.ts'
import { type ApplyOptions, applySteps } from '../../src/apply/schedule.ts'
import type { Step } from '../../src/plan/plan-data.ts'

const step = (id: string, ...after: readonly string[]): Step => ({
  id,
  after: after.map(earlier => ({ step: earlier, why: { kind: 'name', name: earlier } as const })),
  operation: {
    type: 'delete-set',
    subject: { kind: 'variable-set', name: id, id: 'varset-1' },
    before: {
      name: id,
      description: '',
      global: false,
      priority: false,
      variables: [],
      workspaces: [],
      projects: [],
    },
  },
})

const options = (given: Partial<ApplyOptions> = {}): ApplyOptions => ({
  concurrency: 3,
  stop: new AbortController().signal,
  failFast: false,
  ...given,
})

const succeed: Execute = async () => ({ outcome: { status: 'succeeded' } })
const failing =
  (...ids: readonly string[]): Execute =>
  async ({ id }) =>
    ids.includes(id) ? { outcome: { status: 'failed', message: 'no' } } : { outcome: { status: 'succeeded' } }

const printed = async (steps: readonly Step[], execute: Execute, given: Partial<ApplyOptions> = {}) =>
  (await applySteps(steps, execute, options(given))).results.map(({ step: { id }, outcome }) =>
    'because' in outcome ? `${id} ${outcome.status} (${outcome.because})` : `${id} ${outcome.status}`,
  )

describe('applySteps', () => {
  test('starts a step once the steps that it waits for have succeeded', { tags: ['I-07'] }, async () => {
    const begun: string[] = []
    const ended: string[] = []
    let done = (): void => {}
    const isDone = new Promise<void>(resolve => {
      done = resolve
    })
    const execute: Execute = async ({ id }) => {
      begun.push(`${id} after ${ended.join('')}`)
      if (id === 'a') await isDone
      ended.push(id)
      if (id === 'b') done()
      return { outcome: { status: 'succeeded' } }
    }
    await applySteps([step('a'), step('b'), step('c', 'a', 'b')], execute, options())
    expect(begun).toEqual(['a after ', 'b after ', 'c after ba'])
  })

  test('skips the direct and indirect dependents of a failed step, and nothing else', {
    tags: ['F-23'],
  }, async () => {
    const steps = [step('a'), step('b', 'a'), step('c', 'b'), step('d')]
    expect(await printed(steps, failing('a'))).toEqual([
      'a failed',
      'b skipped (a)',
      'c skipped (b)',
      'd succeeded',
    ])
  })

  test('never exceeds the concurrency', { tags: ['I-07'] }, async () => {
    let now = 0
    let most = 0
    const execute: Execute = async () => {
      most = Math.max(most, ++now)
      await new Promise(resolve => setTimeout(resolve, 1))
      now--
      return { outcome: { status: 'succeeded' } }
    }
    const steps = Array.from({ length: 50 }, (_, i) => step(`s${i}`))
    await applySteps(steps, execute, options({ concurrency: 4 }))
    expect(most).toBe(4)
  })

  test('writes settings and assignments of one set one after the other, and those of two sets at once', async () => {
    const of = (type: string, id: string): Step =>
      ({
        ...step(`${type} ${id}`),
        operation: { type, subject: { kind: 'variable-set', name: id, id } },
      }) as never
    const under = new Set<string>()
    let [most, mostOfA] = [0, 0]
    const execute: Execute = async ({ id }) => {
      under.add(id)
      most = Math.max(most, under.size)
      mostOfA = Math.max(mostOfA, [...under].filter(one => /(?:update-set|assign) a$/.test(one)).length)
      await new Promise(resolve => setTimeout(resolve, 1))
      under.delete(id)
      return { outcome: { status: 'succeeded' } }
    }
    const steps = [
      ...[of('update-set', 'a'), of('unassign', 'a'), of('assign', 'a')],
      ...[of('create-variable', 'a'), of('update-set', 'b')],
    ]
    await applySteps(steps, execute, options({ concurrency: 10 }))
    expect({ most, mostOfA }).toEqual({ most: 3, mostOfA: 1 })
  })

  test('does not count waiting steps: concurrency 1 is enough for a chain of 30', async () => {
    const steps = Array.from({ length: 30 }, (_, i) => (i === 0 ? step('s0') : step(`s${i}`, `s${i - 1}`)))
    expect(await printed(steps, succeed, { concurrency: 1 })).toEqual(
      steps.map(({ id }) => `${id} succeeded`),
    )
  })

  test('starts nothing new after a failure, with fail-fast', async () => {
    const steps = [step('a'), step('b'), step('c')]
    expect(await printed(steps, failing('a'), { concurrency: 1, failFast: true })).toEqual([
      'a failed',
      'b skipped (stopped)',
      'c skipped (stopped)',
    ])
  })

  test('starts nothing new after a step that stops the run, and gives its reason', async () => {
    const execute: Execute = async ({ id }) =>
      id === 'a'
        ? { outcome: { status: 'failed', message: '401' }, stops: 'the token' }
        : { outcome: { status: 'succeeded' } }
    const { results, stopped } = await applySteps(
      [step('a'), step('b')],
      execute,
      options({ concurrency: 1 }),
    )
    expect(results.map(({ outcome }) => outcome.status)).toEqual(['failed', 'skipped'])
    expect(stopped).toBe('the token')
  })

  test('starts nothing new after a signal, and lets running steps finish', async () => {
    const stop = new AbortController()
    const execute: Execute = async ({ id }) => {
      if (id === 'a') stop.abort()
      return { outcome: { status: 'succeeded' } }
    }
    const steps = [step('a'), step('b')]
    expect(await printed(steps, execute, { concurrency: 1, stop: stop.signal })).toEqual([
      'a succeeded',
      'b skipped (stopped)',
    ])
  })

  test('reports each result at once', async () => {
    const reported: string[] = []
    await applySteps(
      [step('a'), step('b', 'a')],
      succeed,
      options({ onResult: ({ step: { id } }) => reported.push(id) }),
    )
    expect(reported).toEqual(['a', 'b'])
  })
})
