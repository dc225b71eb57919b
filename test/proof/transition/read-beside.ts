import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { type Listening, listenTo } from '../../../src/sandbox/listen.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { inRepository, type Pair } from '../../support/repository.ts'
import { run } from '../../support/run.ts'
import { WORKSPACES } from '../../support/world.ts'
import { ROOT } from '../place.ts'
import { type Judged, judge, type Watched } from './judge.ts'
import { addSight, allVarsOf, History, type Seen, type SeenValue } from './sight.ts'
import { seedOf } from './watch.ts'

const BIN = join(ROOT, 'dist/bundle/setpoint.js')
const SECRETS = { SETPOINT_SECRET_S: 'secret-s', SETPOINT_SECRET_T: 'secret-t' }
const HUNG = new Promise<never>(() => {})

/** Kills the first apply before or after the service executes this write, counted from 1. */
export interface KilledAt {
  readonly write: number
  readonly when: 'before' | 'after'
}

export interface Beside extends Judged {
  readonly reads: number
  readonly writes: number
  readonly kills: number
}

/**
 * The built program applies over HTTP, and a reader requests `all-vars` of every workspace in a loop. The apply is slow: the
 * response to a write waits until the reader has seen its result. `undefined`: the files are invalid, or there is nothing to do.
 */
export async function readBeside(pair: Pair, kill: KilledAt | undefined): Promise<Beside | undefined> {
  const sandbox = await createSandbox({ seed: seedOf(pair) })
  const history = new History()
  const reader = new Reader(sandbox, await sandbox.listen(), history)
  try {
    return await inRepository(pair, async cwd => {
      const place = new Place(sandbox, cwd, reader)
      const runs = [await place.apply(kill)]
      if (runs[0]?.plan === undefined) return undefined
      if (place.kills > 0) runs.push(await place.apply(undefined))
      const judged = judge(runs, await reader.look(), history)
      const codes = place.codes.at(-1) === 0 ? [] : [`the last apply ends with ${place.codes.at(-1)}`]
      const broken = [...codes, ...judged.broken]
      return { ...judged, broken, reads: reader.reads, writes: place.writes, kills: place.kills }
    })
  } finally {
    await sandbox.close()
  }
}

class Reader {
  reads = 0
  readonly #sandbox: Sandbox
  readonly #server: Listening
  readonly #history: History
  #waiting: (() => void)[] = []

  constructor(sandbox: Sandbox, server: Listening, history: History) {
    this.#sandbox = sandbox
    this.#server = server
    this.#history = history
    this.remember()
  }

  /** Records the current state of the sandbox, so that the reader can interpret responses about it later. */
  remember(): void {
    this.#history.add(this.#sandbox.snapshot({ sensitive: true }))
  }

  async look(): Promise<Seen> {
    const sight = new Map<string, SeenValue>()
    for (const workspace of WORKSPACES) {
      const headers = { authorization: `Bearer ${this.#sandbox.token}` }
      const response = await fetch(this.#server.url + allVarsOf(workspace).path, { headers })
      this.reads++
      addSight(sight, workspace, { body: await response.text() }, this.#history.textOf)
    }
    return sight
  }

  /** Resolves when a read that begins now or later has ended. */
  seen(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Reads repeatedly until `isOver`. */
  async readUntil(isOver: () => boolean, seen: Seen[]): Promise<void> {
    while (!isOver()) {
      const waiting = this.#waiting
      this.#waiting = []
      seen.push(await this.look())
      for (const resolve of waiting) resolve()
    }
    for (const resolve of this.#waiting) resolve()
  }
}

/** A repository beside a sandbox. */
class Place {
  writes = 0
  kills = 0
  readonly codes: (number | null)[] = []
  readonly #sandbox: Sandbox
  readonly #cwd: string
  readonly #reader: Reader

  constructor(sandbox: Sandbox, cwd: string, reader: Reader) {
    this.#sandbox = sandbox
    this.#cwd = cwd
    this.#reader = reader
  }

  #env(server: Listening) {
    return { ...SECRETS, SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: this.#sandbox.token }
  }

  /** Plans, and applies exactly that plan in a separate process. Without a plan, applies nothing. */
  async apply(kill: KilledAt | undefined): Promise<Watched> {
    const [cwd, reader] = [this.#cwd, this.#reader]
    const watched: Watched = { old: await reader.look(), plan: undefined, seen: [] }
    let strike = (): void => {}
    const server = await listenTo(
      this.#slow(kill, () => strike()),
      {},
    )
    const planning = ['plan', '--out', 'plan.json', '--detailed-exitcode']
    const { code } = await run(planning, { cwd, env: this.#env(server) })
    // 2: there are changes. 4: a guard blocks them, and `--approve` overrides it. The file names the members of projects, a digest does not.
    if (code !== 2 && code !== 4) {
      this.codes.push(code)
      await server.close()
      return watched
    }
    const plan: Plan = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'))
    watched.plan = plan
    const argv = ['apply', 'plan.json', '--approve', plan.digest, '--rate', '10000']
    const env = { PATH: process.env.PATH, HOME: cwd, ...this.#env(server) }
    const child = spawn(process.execPath, [BIN, ...argv], { cwd, env, stdio: 'ignore' })
    strike = () => child.kill('SIGKILL')
    let isOver = false
    const ended = new Promise<number | null>(done => {
      child.once('exit', (code, signal) => {
        isOver = true
        if (signal === 'SIGKILL') this.kills++
        done(code)
      })
    })
    await reader.readUntil(() => isOver, watched.seen)
    this.codes.push(await ended)
    await server.close()
    return watched
  }

  #slow(kill: KilledAt | undefined, strike: () => void): Transport {
    let written = 0
    return async (request, signal) => {
      if (request.method === 'GET') return await this.#sandbox.transport(request, signal)
      const isLast = ++written === kill?.write
      if (isLast && kill?.when === 'before') return await struck(strike)
      const response = await this.#sandbox.transport(request, signal)
      this.writes++
      this.#reader.remember()
      await this.#reader.seen()
      return isLast ? await struck(strike) : response
    }
  }
}

function struck(strike: () => void): Promise<never> {
  strike()
  return HUNG
}
