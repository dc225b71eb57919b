import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { env, execPath } from 'node:process'
import { applyPrepared } from '../../../../src/run/apply-prepared.ts'
import { createSandbox } from '../../../../src/sandbox/index.ts'
import { plannedIn, UNDISTURBED } from '../../../support/round.ts'
import { PATIENT } from '../../../support/signals.ts'
import { aDesiredState, aSet } from '../../../support/states.ts'
import { aWorld } from '../../../support/world.ts'
import { differing, type Probe } from './probe.ts'

const BIN = resolve(import.meta.dirname, '../../../../src/cli/bin.js')
/** Milliseconds after which an apply hangs. It should end at once, however slow the machine is. */
const HANGS = 20_000

/** Whether an apply ends by itself after two signals, while its first write never gets a response. */
async function endsAtSecondSignal(): Promise<boolean> {
  const place = mkdtempSync(join(tmpdir(), 'setpoint-probe-'))
  const sandbox = await createSandbox({ seed: { organizations: [{ name: 'acme' }] } })
  let act = (): void => {}
  const isWrite = ({ method }: { method: string }): boolean => {
    if (method === 'POST') act()
    return method === 'POST'
  }
  const faults = { matches: isWrite, probability: 1, faults: [{ kind: 'stalled' } as const] }
  const { url } = await sandbox.listen({ faults })
  mkdirSync(join(place, 'sets'))
  writeFileSync(join(place, 'setpoint.yaml'), 'organization: acme\n')
  writeFileSync(join(place, 'sets/a.yaml'), 'variableSets: { a: {} }\n')
  const connection = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  const child = spawn(execPath, [BIN, 'apply', '--auto-approve'], {
    cwd: place,
    // Only the second signal can end the run.
    env: { PATH: env.PATH, HOME: place, NODE_OPTIONS: PATIENT, ...connection },
    stdio: 'ignore',
  })
  const ended = new Promise<boolean>(done => {
    act = () => {
      child.kill('SIGINT')
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), HANGS).unref()
    }
    child.once('exit', (_, signal) => done(signal !== 'SIGKILL'))
  })
  const isEnded = await ended
  await sandbox.close()
  rmSync(place, { recursive: true, force: true })
  return isEnded
}

/** The signal arrives with the last response: everything is done, but the run was interrupted. */
async function exitCodeAfterLastWrite(): Promise<number | undefined> {
  const stop = new AbortController()
  const world = await aWorld([], {
    between: next => async (request, signal) => {
      const response = await next(request, signal)
      if (request.method !== 'GET') stop.abort()
      return response
    },
  })
  const { prepared } = await plannedIn(world, aDesiredState(aSet('a')))
  if (prepared === undefined) return undefined
  const { result } = await applyPrepared({ prepared, ...UNDISTURBED, service: world, stop: stop.signal })
  return result?.exitCode
}

export const signals: Probe = async () => [
  ...differing('the exit code after a signal', 3, await exitCodeAfterLastWrite()),
  ...((await endsAtSecondSignal()) ? [] : ['the second signal does not end the run']),
]
