import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { listenTo } from '../../../src/sandbox/listen.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { run } from '../../support/run.ts'
import { ROOT } from '../place.ts'

const BIN = join(ROOT, 'dist/bundle/setpoint.js')
export const SECRETS = { SETPOINT_SECRET_S: 'secret-s', SETPOINT_SECRET_T: 'secret-t' }
const HUNG = new Promise<never>(() => {})

/** When a process is killed. */
export interface Kill {
  /** The number of the request in the process, from 1. */
  readonly at: number
  readonly when: 'before' | 'after'
}

/** A kill at each request, before or after the service acts by turns: a process takes long. Another run has the other half. */
export const killsOf = (requests: number): Kill[] =>
  Array.from({ length: requests }, (_, index) => ({
    at: index + 1,
    when: (index + Number(process.env.SETPOINT_SEED ?? 0)) % 2 === 0 ? 'before' : 'after',
  }))

/** How a process ended. */
export interface Ended {
  readonly killed: boolean
  readonly code: number | null
  readonly requests: number
  readonly stderr: string
  /** Of the plan that was approved. */
  readonly digest: string
}

/** A digest does not name members of projects: where some newly receive a secret, the plan file goes with it. */
export async function approvalOf(
  cwd: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<{ readonly digest: string; readonly words: readonly string[] }> {
  const { stdout } = await run(['plan', ...flags, '--format', 'json', '--out', 'plan.json'], { cwd, env })
  const { digest, facts } = JSON.parse(stdout)
  const isFileNeeded = facts.newReach.some(({ members }: { members?: object }) => members !== undefined)
  return { digest, words: isFileNeeded ? ['plan.json'] : [] }
}

/**
 * Serves the sandbox, approves its plan by the digest, and kills the client at the request of `kill`, before or after the service acts.
 * `afterwards` runs while the service still listens at the address of the plan.
 */
export async function applyOnce(
  sandbox: Sandbox,
  cwd: string,
  kill: Kill | undefined,
  flags: readonly string[] = [],
  afterwards?: (ended: Ended, url: string) => Promise<void>,
): Promise<Ended> {
  let requests = 0
  let strike: (() => void) | undefined
  const transport: Transport = async (request, signal) => {
    if (strike === undefined || ++requests !== kill?.at) return await sandbox.transport(request, signal)
    if (kill.when === 'after') await sandbox.transport(request, signal)
    strike()
    return await HUNG
  }
  const server = await listenTo(transport, {})
  const env = { ...SECRETS, SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: sandbox.token }
  const { digest, words } = await approvalOf(cwd, env, flags)
  const argv = ['apply', ...words, ...flags, '--approve', digest, '--rate', '10000']
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  strike = () => child.kill('SIGKILL')
  const end = await new Promise<Pick<Ended, 'code' | 'killed'>>(done => {
    child.once('close', (code, signal) => done({ code, killed: signal === 'SIGKILL' }))
  })
  const ended = { ...end, requests, stderr, digest }
  strike = undefined
  await afterwards?.(ended, server.url)
  await server.close()
  return ended
}
