import type { Sandbox } from '../../../src/sandbox/index.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { type Ran, run, type Surroundings } from '../../support/run.ts'

/** How an apply ends at a request: the process is gone, or the service answers nothing but 500 from there on. */
export const MANNERS = ['killed before', 'killed after', '500 before', '500 after', '500 to writes'] as const

export interface End {
  /** The number of the request, from 1. */
  readonly at: number
  readonly manner: (typeof MANNERS)[number]
}

/** A kill at each request, before and after the service acts by turns: another seed has the other half. */
export const killsOf = (requests: number): End[] =>
  Array.from({ length: requests }, (_, index) => ({
    at: index + 1,
    manner: (index + Number(process.env.SETPOINT_SEED ?? 0)) % 2 === 0 ? 'killed before' : 'killed after',
  }))

/** How an apply ended. */
export interface Ended {
  /** Whether there was such a request. */
  readonly isMet: boolean
  /** Undefined after a kill. */
  readonly code: number | undefined
  readonly requests: number
  readonly stderr: string
}

const HUNG = new Promise<never>(() => {})

/** The program in a repository, at the service. */
export const setpointAt = (
  sandbox: Sandbox,
  cwd: string,
  argv: readonly string[],
  io: Surroundings['io'] = {},
): Promise<Ran> => {
  const secrets = { SETPOINT_SECRET_S: 'secret-s', SETPOINT_SECRET_T: 'secret-t' }
  const env = { ...secrets, SETPOINT_ADDRESS: 'https://tfe.example.com', SETPOINT_TOKEN: sandbox.token }
  return run(argv, { cwd, env, io: { transport: sandbox.transport, ...io } })
}

/** Runs an apply up to its end, or to what `end` does to it. A program that was killed gets no response any more, so it does nothing. */
export async function applyOnce(
  sandbox: Sandbox,
  cwd: string,
  argv: readonly string[],
  end?: End,
): Promise<Ended> {
  let [requests, stderr, isMet] = [0, '', false]
  let die = (): void => {}
  const death = new Promise<undefined>(resolve => {
    die = () => resolve(undefined)
  })
  const isKill = end?.manner.startsWith('killed') === true
  const transport: Transport = async (request, signal) => {
    requests++
    const isSpared = end?.manner === '500 to writes' && request.method === 'GET'
    if (end === undefined || requests < end.at || isSpared) {
      const response = await sandbox.transport(request, signal)
      return isKill && isMet ? await HUNG : response
    }
    if (!isMet && end.manner.endsWith('after')) await sandbox.transport(request, signal)
    isMet = true
    if (!isKill) return { status: 500, headers: {}, body: '{}' }
    die()
    return await HUNG
  }
  const sink = {
    write: (text: string) => {
      if (!(isKill && isMet)) stderr += text
    },
    terminal: false,
    columns: 120,
  }
  const apply = setpointAt(sandbox, cwd, [...argv, '--rate', '10000'], { transport, stderr: sink })
  const ran = await Promise.race([apply, death])
  return { isMet, code: ran?.code, requests, stderr }
}

/** Plans into `plan.json`, and returns the digest with the words of an apply of that file. */
export async function planned(
  sandbox: Sandbox,
  cwd: string,
  more: readonly string[] = [],
): Promise<
  { readonly digest: string; readonly steps: number; readonly words: readonly string[] } | undefined
> {
  const argv = ['plan', ...more, '--format', 'json', '--out', 'plan.json']
  const { code, stdout } = await setpointAt(sandbox, cwd, argv)
  if (code !== 0) return undefined
  const { digest, steps } = JSON.parse(stdout) as { digest: string; steps: readonly unknown[] }
  return { digest, steps: steps.length, words: ['apply', 'plan.json', ...more, '--approve', digest] }
}
