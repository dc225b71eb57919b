import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { listenTo } from '../../../src/sandbox/listen.ts'
import type { ApiRequest, Transport } from '../../../src/wire/transport.ts'
import { type Ended, start } from '../../support/child.ts'
import { aDirectory, run } from '../../support/program.ts'
import { PATIENT, sender, TELLING } from '../../support/signals.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': `variableSets:
  a: { description: new, env: { A: 2, N: 1, M: 1 }, workspaces: [w1] }
  b: { env: { A: 1 }, workspaces: [w1] }
  c: { priority: true }
  d: { env: { K: 1 } }
removed: [x, y]
`,
}
const SEED = {
  organizations: [{ name: 'acme' }],
  projects: [{ name: 'p' }],
  workspaces: [1, 2].map(i => ({ id: `ws-AAAAAAAAAAAAAAA${i}`, name: `w${i}`, project: 'p' })),
  sets: [
    {
      name: 'a',
      variables: [
        { key: 'A', value: '1', category: 'env' },
        { key: 'O', value: '1', category: 'env' },
      ],
      workspaces: ['ws-AAAAAAAAAAAAAAA2'],
    },
    { name: 'x' },
    { name: 'y' },
    { name: 'left-alone', variables: [{ key: 'A', value: 'theirs', category: 'env' }] },
  ],
}

type Manner = 'answered' | 'given up' | 'second signal' | 'killed'

interface Interrupted extends Ended {
  /** Requests that arrived after the program had received the signal. */
  readonly late: readonly ApiRequest[]
  readonly requests: number
}

const HUNG = new Promise<never>(() => {})
const EXIT = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Applies, one request at a time. At this request (from 0), the program gets a signal. Its response comes after the program has
 * received the signal, or never. Optionally, a second signal follows.
 */
async function interruptedAt(
  sandbox: Sandbox,
  cwd: string,
  at: number,
  signal: keyof typeof EXIT,
  manner: Manner,
): Promise<Interrupted> {
  const late: ApiRequest[] = []
  let requests = 0
  let act = async (): Promise<void> => {}
  const transport: Transport = async (request, abort) => {
    if (requests > at) late.push(request)
    if (requests++ !== at) return await sandbox.transport(request, abort)
    await act()
    return manner === 'answered' ? await sandbox.transport(request, abort) : await HUNG
  }
  const server = await listenTo(transport, {})
  const child = start(
    ['apply', '--auto-approve', '--format', 'json', '--concurrency', '1', '--rate', '10000'],
    {
      cwd,
      env: {
        SETPOINT_ADDRESS: server.url,
        SETPOINT_TOKEN: sandbox.token,
        NODE_OPTIONS: manner === 'given up' ? TELLING : `${TELLING} ${PATIENT}`,
      },
    },
  )
  const send = sender(child.process)
  act = async () => {
    if (manner === 'killed') return void child.process.kill('SIGKILL')
    await send(signal)
    if (manner === 'second signal') await send(signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT')
  }
  const ended = await child.ended
  await server.close()
  return { ...ended, late, requests }
}

const isWrite = ({ method }: ApiRequest): boolean => method !== 'GET'
const namesIn = (sandbox: Sandbox): string[] => (sandbox.snapshot().sets ?? []).map(({ name }) => name).sort()

const NAMES = ['a', 'b', 'c', 'd', 'left-alone']

/** The exit code of one run without signals. */
async function rerun(sandbox: Sandbox, cwd: string): Promise<number> {
  const server = await sandbox.listen()
  const env = { SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: sandbox.token }
  const { code } = await run(['apply', '--auto-approve', '--rate', '10000'], { cwd, env })
  await server.close()
  return code
}

interface Result {
  readonly id: string
  readonly status: string
}

/** Compares the reported results about created and deleted sets with the service. */
function wrongResults(results: readonly Result[], names: readonly string[]): string[] {
  return results.flatMap(({ id, status }) => {
    const [type = '', name = ''] = id.split(' ')
    if (!['create-set', 'delete-set'].includes(type) || status === 'unknown') return []
    const isDone = names.includes(name) === (type === 'create-set')
    return isDone === (status === 'succeeded') ? [] : [`${id} is ${status}`]
  })
}

/** Counts the requests of a run without a signal. */
const QUIET = Number.POSITIVE_INFINITY

test.each(['answered', 'second signal'] as const)(
  'SIGINT and SIGTERM at any request, %s: nothing more is written, the report is correct, and the next run repairs',
  async manner => {
    const cwd = aDirectory(FILES)
    const { requests, code } = await interruptedAt(
      await createSandbox({ seed: SEED }),
      cwd,
      QUIET,
      'SIGINT',
      manner,
    )
    expect(code).toBe(0)
    expect(requests).toBeGreaterThan(9)
    // Every second request only, because processes take time, in another run the others; other tests cover all of them in virtual time.
    const from = Number(process.env.SETPOINT_SEED ?? 0) % 2
    for (let at = from; at < requests; at += 2) {
      const sandbox = await createSandbox({ seed: SEED })
      const signal = at % 4 < 2 ? 'SIGINT' : 'SIGTERM'
      const ended = await interruptedAt(sandbox, cwd, at, signal, manner)
      // A read ends with the first signal, so the second one may come when everything is said and Node itself ends.
      const { results } = ended.stdout === '' ? {} : JSON.parse(ended.stdout)
      const wasOver = manner === 'second signal' && ended.signal !== null && results === undefined
      expect([at, ended.code, ended.signal]).toEqual(
        wasOver ? [at, null, signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT'] : [at, EXIT[signal], null],
      )
      expect([at, ended.late.filter(isWrite)]).toEqual([at, []])
      if (results === undefined)
        expect([at, ended.stderr]).toEqual([at, expect.stringContaining('Nothing was written')])
      else expect([at, ...wrongResults(results, namesIn(sandbox))]).toEqual([at])
      expect([at, await rerun(sandbox, cwd), namesIn(sandbox)]).toEqual([at, 0, NAMES])
      await sandbox.close()
    }
  },
)

test('after SIGKILL at a read, a write and the closing read, the next run repairs', {
  tags: ['F-21'],
}, async () => {
  const cwd = aDirectory(FILES)
  const quiet = await interruptedAt(await createSandbox({ seed: SEED }), cwd, QUIET, 'SIGINT', 'answered')
  for (const at of [0, 3, 6, quiet.requests - 1]) {
    const sandbox = await createSandbox({ seed: SEED })
    const { signal } = await interruptedAt(sandbox, cwd, at, 'SIGINT', 'killed')
    expect([at, signal, await rerun(sandbox, cwd), namesIn(sandbox)]).toEqual([at, 'SIGKILL', 0, NAMES])
    await sandbox.close()
  }
})

test('a request without a response is given up and reported as unknown', async () => {
  const cwd = aDirectory(FILES)
  const sandbox = await createSandbox({ seed: SEED })
  const { code, stdout, late } = await interruptedAt(sandbox, cwd, 6, 'SIGTERM', 'given up')
  expect(code).toBe(143)
  expect(late).toEqual([])
  const statuses = JSON.parse(stdout).results.map(({ status }: Result) => status)
  expect(statuses).toContain('unknown')
  expect(statuses).toContain('skipped')
  await sandbox.close()
})

test('the program is built', () => {
  expect(existsSync(resolve(import.meta.dirname, '../../../dist/bundle/setpoint.js'))).toBe(true)
})
