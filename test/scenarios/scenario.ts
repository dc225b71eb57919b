import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox, type SandboxSeed } from '../../src/sandbox/index.ts'
import { type Live, printedSets } from '../support/printed-sets.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'

/** One state of a repository, and of the service after its apply. */
export interface State {
  /** Text of `sets/sets.yaml`, or files by path below the repository. All files of the previous state are removed. */
  readonly files: string | Readonly<Record<string, string>>
  /** Ids of the steps of the plan, in its order. */
  readonly does: readonly string[]
  /** Every set of the service after the apply, one line each, sorted: see `printedSets`. */
  readonly live: readonly string[]
  /** Values of the secrets in this run. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  /** A manual change of the service before the run. */
  readonly byHand?: (live: Live) => Live
  /** A guard blocks the plan; the run approves its digest. */
  readonly guarded?: true
}

/** Applies one state after the other on one sandbox. After each, the service has the given sets, and a second plan is empty. */
export function scenario(name: string, ...states: readonly State[]): void {
  test(name, async () => {
    const cwd = aDirectory()
    const stages: Pick<State, 'does' | 'live'>[] = []
    for (const state of states) stages.push(await enter(cwd, state))
    expect(stages).toEqual(states.map(({ does, live }) => ({ does, live })))
  })
}

async function enter(cwd: string, state: State): Promise<Pick<State, 'does' | 'live'>> {
  writeFiles(cwd, typeof state.files === 'string' ? { 'sets/sets.yaml': state.files } : state.files)
  if (state.byHand !== undefined) await changeLive(cwd, state.byHand)
  const env = Object.fromEntries(
    Object.entries(state.secrets ?? {}).map(([key, text]) => [`SETPOINT_SECRET_${key}`, text]),
  )
  const setpoint = (...argv: readonly string[]): Promise<Ran> =>
    run([...argv, '--sandbox', ...(state.flags ?? [])], { cwd, env })
  const plan = parsed(await setpoint('plan', '--format', 'json'))
  expect(plan.blocked).toBe(state.guarded === true)
  const consent = state.guarded === true ? ['--approve', plan.digest] : ['--auto-approve']
  const applied = await setpoint('apply', ...consent)
  expect(applied, applied.stdout + applied.stderr).toMatchObject({ code: 0 })
  const again = await setpoint('plan', '--detailed-exitcode')
  expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 })
  return { does: plan.steps.map(step => step.id), live: printedSets(await liveOf(cwd)) }
}

function writeFiles(cwd: string, files: Readonly<Record<string, string>>): void {
  rmSync(join(cwd, 'sets'), { recursive: true, force: true })
  for (const [path, text] of Object.entries({ 'setpoint.yaml': 'organization: acme\n', ...files })) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
}

interface PlanReport {
  readonly digest: string
  readonly blocked: boolean
  readonly steps: readonly { readonly id: string }[]
}

function parsed({ code, stdout, stderr }: Ran): PlanReport {
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

const openSandbox = (cwd: string) => createSandbox({ file: join(cwd, '.setpoint/sandbox') })

async function liveOf(cwd: string): Promise<SandboxSeed> {
  const sandbox = await openSandbox(cwd)
  try {
    return sandbox.snapshot({ sensitive: true })
  } finally {
    await sandbox.close()
  }
}

async function changeLive(cwd: string, change: (live: Live) => Live): Promise<void> {
  const sandbox = await openSandbox(cwd)
  try {
    const seed = sandbox.snapshot({ sensitive: true })
    sandbox.restore({ ...seed, sets: change(seed.sets ?? []) })
  } finally {
    await sandbox.close()
  }
}
