import { describe, expect, test } from 'vitest'
import type { StepResult } from '../../src/apply/outcome.ts'
import type { Io } from '../../src/cli/io.ts'
import { progressOf } from '../../src/cli/progress.ts'
import { createSet, step } from '../report/build.ts'
import { aPlace, ONE } from '../support/place.ts'

/** Progress with its own clock. `seen` is the last text on a terminal, `lines` are those of a log. */
function watched(terminal: boolean, options = { quiet: false, verbose: false }, columns = 100) {
  const written: string[] = []
  let now = 0
  const io = {
    now: () => new Date(now),
    stderr: { write: (text: string) => void written.push(text), terminal, columns },
  } as Pick<Io, 'now' | 'stderr'> as Io
  return {
    progress: progressOf(io, options),
    written,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    seen: () => written.at(-1)?.replace('\r\u001b[K', ''),
  }
}

const entry = { method: 'POST', path: '/api/v2/x', result: 201, milliseconds: 7 } as const
const ended = (status: 'succeeded' | 'failed' | 'unknown' | 'skipped'): StepResult => {
  const one = step('create-set a', createSet('a', {}))
  if (status === 'succeeded') return { step: one, outcome: { status } }
  if (status === 'skipped') return { step: one, outcome: { status, because: 'stopped' } }
  return { step: one, outcome: { status, message: 'no' } }
}

describe('on a terminal', () => {
  test('one line shows the steps, the rate and the time left, and is removed at the end', () => {
    const { progress, pass, seen, written } = watched(true)
    progress.reading()
    progress.attempt(entry)
    expect(seen()).toBe('reading: 1 request')
    progress.end()
    expect(seen()).toBe('')
    progress.applying(20)
    for (let at = 0; at < 4; at++) {
      pass(500)
      progress.attempt(entry)
      progress.result(ended(at === 1 ? 'failed' : at === 2 ? 'skipped' : 'succeeded'))
      // Two steps do not tell how long the others take.
      if (at === 1) expect(seen()).toBe('2/20 steps, 1 failed or unknown, 2 requests/s')
    }
    expect(seen()).toBe('4/20 steps, 1 failed or unknown, 1 skipped, 2 requests/s, about 8 s left')
    expect(written.every(text => text.startsWith('\r\u001b[K') && !text.includes('\n'))).toBe(true)
  })

  test('the line shows the reason for a wait', () => {
    const { progress, seen } = watched(true)
    progress.applying(2)
    progress.wait({ for: 'limit', milliseconds: 2_500, total: 62_500 })
    expect(seen()).toBe('0/2 steps; waiting 3 s: the rate limit of the service (63 s so far, at most 900 s)')
    progress.wait({ for: 'retry', milliseconds: 400, reason: 503 })
    expect(seen()).toBe('0/2 steps; waiting 1 s: retrying a request (503)')
  })

  test('after the last step, the line shows the inventory and the closing read', () => {
    const { progress, seen } = watched(true)
    progress.applying(2)
    progress.attempt(entry)
    progress.result(ended('succeeded'))
    progress.attempt(entry)
    expect(seen()).toBe('1/2 steps')
    progress.result(ended('succeeded'))
    expect(seen()).toBe('2/2 steps')
    progress.attempt(entry)
    progress.attempt(entry)
    expect(seen()).toBe('2/2 steps, inventory: 2 requests')
    progress.attempt({ ...entry, method: 'GET' })
    expect(seen()).toBe('2/2 steps, closing read: 1 request')
    progress.attempt(entry)
    expect(seen()).toBe('2/2 steps, inventory: 1 request')
  })

  test('the line fits the terminal', () => {
    const { progress, seen } = watched(true, undefined, 30)
    progress.applying(2)
    progress.wait({ for: 'limit', milliseconds: 2_500 })
    expect(seen()).toHaveLength(29)
  })
})

describe('in a log', () => {
  test('there is a line every ten seconds, and for a long wait', () => {
    const { progress, pass, written } = watched(false)
    progress.applying(100)
    for (let at = 0; at < 50; at++) {
      pass(500)
      progress.attempt(entry)
      progress.result(ended('succeeded'))
    }
    progress.wait({ for: 'retry', milliseconds: 400, reason: 'ECONNRESET' })
    progress.wait({ for: 'limit', milliseconds: 30_000, total: 30_000 })
    progress.end()
    expect(written).toEqual([
      '19/100 steps, 2 requests/s, about 43 s left\n',
      '39/100 steps, 2 requests/s, about 31 s left\n',
      'waiting 30 s: the rate limit of the service (30 s so far, at most 900 s)\n',
    ])
  })

  test('reading, the inventory and the closing read have a line every ten seconds, too', () => {
    const { progress, pass, written } = watched(false)
    progress.reading()
    for (let at = 0; at < 22; at++) {
      pass(500)
      progress.attempt({ ...entry, method: 'GET' })
    }
    progress.end()
    progress.applying(1)
    progress.result(ended('succeeded'))
    for (let at = 0; at < 44; at++) {
      pass(500)
      progress.attempt({ ...entry, method: at < 20 ? 'POST' : 'GET' })
    }
    progress.end()
    expect(written).toEqual([
      'reading: 20 requests, 2 requests/s\n',
      '1/1 steps, 2 requests/s, inventory: 20 requests\n',
      '1/1 steps, 2 requests/s, closing read: 20 requests\n',
    ])
  })

  test('short waits for a rate limit are summed up in one line', () => {
    const { progress, written } = watched(false)
    progress.applying(2)
    for (let at = 1; at <= 12; at++) progress.wait({ for: 'limit', milliseconds: 1_000, total: at * 1_000 })
    expect(written).toEqual([
      'waiting 1 s: the rate limit of the service (5 s so far, at most 900 s)\n',
      'waiting 1 s: the rate limit of the service (10 s so far, at most 900 s)\n',
    ])
  })

  test('a short wait before a request is repeated is no part of them', () => {
    const { progress, written } = watched(false)
    progress.applying(2)
    progress.wait({ for: 'limit', milliseconds: 3_000, total: 3_000 })
    progress.wait({ for: 'retry', milliseconds: 3_000, reason: 503 })
    expect(written).toEqual([])
  })

  test('with --verbose there is a line for each request and each wait, and no other', () => {
    const { progress, pass, written } = watched(false, { quiet: false, verbose: true })
    progress.applying(1)
    progress.attempt(entry)
    progress.wait({ for: 'retry', milliseconds: 400, reason: 503 })
    pass(60_000)
    progress.result(ended('succeeded'))
    expect(written).toEqual(['POST /api/v2/x 201 7 ms\n', 'waiting 400 ms: retrying a request (503)\n'])
  })
})

test.each([[true], [false]])('with --quiet there is no progress (terminal: %s)', terminal => {
  const { progress, pass, written } = watched(terminal, { quiet: true, verbose: false })
  progress.reading()
  progress.attempt(entry)
  progress.end()
  progress.applying(1)
  pass(60_000)
  progress.wait({ for: 'limit', milliseconds: 60_000 })
  progress.result(ended('succeeded'))
  progress.end()
  expect(written).toEqual([])
})

describe('--quiet', () => {
  const WARNED = { 'sets/a.yaml': 'variableSets: { a: { global: true, workspaces: [w], env: { A: 1 } } }\n' }

  test('hides warnings on stderr, but not errors or the result', async () => {
    const place = await aPlace(WARNED)
    const loud = await place.setpoint(['plan'])
    const quiet = await place.setpoint(['plan', '--quiet'])
    expect(loud.stderr).toContain('warning')
    expect(quiet).toEqual({ code: 0, stdout: loud.stdout, stderr: '' })
    const refused = await place.setpoint(['apply', '--quiet'])
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('error refused'),
    })
  })
})

test('a retry is reported with --verbose, with its reason', async () => {
  let first = 0
  const place = await aPlace(ONE, {
    faults: {
      matches: () => first++ === 0,
      probability: 1,
      faults: [{ kind: 'error', status: 503, commit: 'before' }],
    },
  })
  const { stderr } = await place.setpoint(['plan', '--verbose'])
  expect(stderr).toMatch(
    /GET \S+ 503 \d+ ms\nwaiting \d+ ms: retrying a request \(503\)\nGET \S+ 200 \d+ ms\n/,
  )
})
