import { describe, expect, test } from 'vitest'
import type { Fault, ListenOptions } from '../../src/sandbox/index.ts'
import { start } from '../support/child.ts'
import { aPlace } from '../support/place.ts'
import { PATIENT, sender, TELLING, withoutTelling } from '../support/signals.ts'

const NAMES = Array.from({ length: 30 }, (_, i) => `set-${String(i).padStart(2, '0')}`)
const SETS = { 'sets/a.yaml': `variableSets:\n${NAMES.map(name => `  ${name}: {}\n`).join('')}` }
const APPLY = ['apply', '--auto-approve', '--format', 'json', '--concurrency', '4']

interface Result {
  readonly id: string
  readonly status: string
}

type Send = (name: NodeJS.Signals) => Promise<void>

/** An apply of thirty sets against a slow service. `act` is called at the third write. */
async function slowApply(
  act: (send: Send) => Promise<void>,
  { fault, options = '' }: { fault?: Fault; options?: string } = {},
) {
  let writes = 0
  let send: Send | undefined
  const listen: ListenOptions = {
    latency: 100,
    faults: {
      matches: ({ method }) => {
        if (method !== 'POST') return false
        writes++
        if (writes === 3 && send !== undefined) void act(send)
        return writes > 1
      },
      ...(fault === undefined ? {} : { probability: 1, faults: [fault] }),
    },
  }
  const place = await aPlace(SETS, listen)
  const child = start(APPLY, { cwd: place.cwd, env: { ...place.env, NODE_OPTIONS: `${TELLING} ${options}` } })
  send = sender(child.process)
  const { code, signal, stdout, stderr } = await child.ended
  return { place, code, signal, stdout, stderr: withoutTelling(stderr), writes }
}

const idsOf = (results: readonly Result[], status: string): string[] =>
  results.filter(result => result.status === status).map(({ id }) => id.replace('create-set ', ''))

describe('a signal during an apply', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s: no step starts, running steps finish, and the report matches the service',
    { tags: ['F-22', 'I-11'] },
    async (name, exit) => {
      const { place, code, stdout, stderr, writes } = await slowApply(send => send(name), {
        options: PATIENT,
      })
      const { results, exitCode, stopped } = JSON.parse(stdout)
      expect({ code, exitCode, stopped, stderr }).toEqual({
        code: exit,
        exitCode: exit,
        stopped: 'interrupted',
        stderr: '',
      })
      expect(idsOf(results, 'succeeded')).toEqual(place.live())
      expect(idsOf(results, 'skipped')).toHaveLength(NAMES.length - writes)
      expect(writes).toBe(place.live().length)
      expect(writes).toBeLessThan(NAMES.length)
    },
  )

  test('a step without a response is given up after five seconds and reported as unknown', async () => {
    const { place, code, stdout, writes } = await slowApply(send => send('SIGINT'), {
      fault: { kind: 'stalled' },
    })
    const { results } = JSON.parse(stdout)
    expect(code).toBe(130)
    // A request that was given up may have reached the service or not: both are unknown.
    const told = [...idsOf(results, 'succeeded'), ...idsOf(results, 'unknown')]
    expect(place.live().filter(one => !told.includes(one))).toEqual([])
    expect(idsOf(results, 'skipped')).toHaveLength(NAMES.length - writes)
  })

  test('a second signal gives up running steps at once', async () => {
    const act = async (send: Send): Promise<void> => {
      await send('SIGTERM')
      await send('SIGINT')
    }
    const { place, code, stdout } = await slowApply(act, { fault: { kind: 'stalled' }, options: PATIENT })
    const { results } = JSON.parse(stdout)
    expect(code).toBe(143)
    // Without it, the others would end at the deadline of their requests, and be read back.
    expect(idsOf(results, 'succeeded')).toEqual([NAMES[0]])
    // A request that was given up may have reached the service or not: both are unknown.
    const told = [...idsOf(results, 'succeeded'), ...idsOf(results, 'unknown')]
    expect(place.live().filter(one => !told.includes(one))).toEqual([])
  })

  test('the next run applies the rest', async () => {
    const { place } = await slowApply(send => send('SIGINT'))
    const { code } = await place.setpoint(['apply', '--auto-approve', '--rate', '1000'])
    expect({ code, live: place.live() }).toEqual({ code: 0, live: NAMES })
  })
})

test('a signal during a read ends the run at once, and nothing is written', {
  tags: ['exit-130'],
}, async () => {
  let send = (): void => {}
  const place = await aPlace(SETS, {
    faults: {
      matches: () => {
        send()
        return true
      },
      probability: 1,
      faults: [{ kind: 'stalled' }],
    },
  })
  const child = start(APPLY, { cwd: place.cwd, env: { ...place.env, NODE_OPTIONS: PATIENT } })
  send = () => child.process.kill('SIGTERM')
  const { stdout, ...ended } = await child.ended
  expect(ended).toEqual({ code: 143, signal: null, stderr: 'Interrupted. Nothing was written.\n' })
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'failure', exitCode: 143, diagnostics: [] })
  expect(place.live()).toEqual([])
})
