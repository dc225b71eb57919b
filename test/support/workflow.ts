import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { INSTALLED_PROGRAM, NODE_FOR_SHELLS } from './node-for-shells.ts'

export interface WorkflowStep {
  readonly id?: string
  readonly name?: string
  readonly uses?: string
  readonly if?: string
  readonly run?: string
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
  readonly 'continue-on-error'?: boolean
}

/** The parts of a forge's workflow file that a run needs. */
export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly steps: readonly WorkflowStep[]
        readonly permissions?: Readonly<Record<string, string>>
        readonly environment?: string
        readonly if?: string
      }
    >
  >
}

export const readWorkflow = (path: string): Workflow => parse(readFileSync(path, 'utf8'))

export interface StepRun {
  readonly name: string
  readonly code: number
  readonly output: string
  /** Its outputs for later steps. */
  readonly outputs: Readonly<Record<string, string>>
}

export interface RunnerOptions {
  readonly cwd: string
  /** The values of `${{ … }}`. An unknown expression is an error. */
  readonly context: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

/** Runs the commands of a job in a real shell, as the forge does, up to the first failure. */
export async function runJob(
  workflow: Workflow,
  job: string,
  { cwd, context, env }: RunnerOptions,
): Promise<StepRun[]> {
  return await runSteps(workflow.jobs[job]?.steps ?? [], { cwd, context, env })
}

/** Runs single steps, such as those of an action. Later steps see what a step writes to `GITHUB_OUTPUT`. */
export async function runSteps(
  steps: readonly WorkflowStep[],
  { cwd, context, env }: RunnerOptions,
): Promise<StepRun[]> {
  const runs: StepRun[] = []
  const known: Record<string, string> = { ...context }
  const outputs = join(mkdtempSync(join(tmpdir(), 'setpoint-outputs-')), 'outputs')
  let isFailed = false
  for (const { id = '', name = '', run, shell: how = '', env: own = {}, if: condition = '' } of steps) {
    if (run === undefined || (isFailed && !condition.startsWith('always()'))) continue
    const filled = Object.entries(own).map(([key, value]) => [key, evaluated(value, known)])
    writeFileSync(outputs, '')
    const step = await shell(how.includes('-ef') ? `set -f\n${run}` : run, cwd, {
      ...env,
      GITHUB_OUTPUT: outputs,
      ...Object.fromEntries(filled),
    })
    const left = Object.fromEntries(
      [...readFileSync(outputs, 'utf8').matchAll(/^([\w-]+)=(.*)$/gm)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    )
    for (const [key, value] of Object.entries(left)) known[`steps.${id}.outputs.${key}`] = value
    runs.push({ name, ...step, outputs: left })
    if (step.code !== 0) isFailed = true
  }
  rmSync(dirname(outputs), { recursive: true })
  return runs
}

const evaluated = (text: string, context: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = context[expression]
    if (value === undefined) throw new Error(`the test has no value for ${expression}`)
    return value
  })

/** Makes the folder a repository like that of a pipeline: a commit, its base, and a remote `origin` whose `main` is the base. */
export function commitAsMerge(cwd: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', ...args], {
      cwd,
      stdio: 'pipe',
    })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message=base')
  git('checkout', '--quiet', '-b', 'change')
  git('commit', '--quiet', '--allow-empty', '--message=change')
  git('remote', 'add', 'origin', cwd)
}

/** Where an installation has the program, as pipelines call it. */
const INSTALLED = 'node_modules/setpoint/dist/bundle'

/** Without `shell:`, a forge runs `bash -e`. */
export function shell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  return new Promise((done, fail) => {
    const child = spawn('bash', ['-e', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const parts: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part))
    child.on('error', fail)
    child.on('close', code => done({ code: code ?? -1, output: Buffer.concat(parts).toString() }))
  })
}

/**
 * A directory for PATH. `gh` and `npm` append each call as a line to `calls` beside them. `npm ci` installs `setpoint.js` of this
 * directory, which is our program, where an installation has it, and `node` runs it in the process of the test. Whatever runs as
 * `setpoint`, by the PATH or by `node_modules/.bin`, is not ours: a dependency could have a bin with this name.
 */
export function stubs(folder: string): { path: string; calls: () => string[] } {
  const calls = join(folder, 'calls')
  const note = (name: string): string => `#!/bin/sh\necho "${name} $*" >> '${calls}'\n`
  // Prints the open issue, and the scheduled run, that the test has defined.
  const gh = `${note('gh')}case "$*" in
'issue list'*) cat '${join(folder, 'open')}-'"$6" 2>/dev/null || true ;;
'run list'*) cat '${join(folder, 'run')}' ;;
'run download'*) if [ -e '${join(folder, 'snapshot.json')}' ]; then cp '${join(folder, 'snapshot.json')}' .; fi ;;
esac
`
  const setpoint = '#!/bin/sh\necho "This is not our program." >&2\nexit 99\n'
  const install = `mkdir -p node_modules/.bin '${INSTALLED}' && cp '${folder}/setpoint.js' '${INSTALLED}' && cp '${folder}/setpoint' node_modules/.bin`
  const npm = `${note('npm')}[ "$1" = ci ] && ${install}\n`
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries({ setpoint, gh, npm, node: NODE_FOR_SHELLS }))
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  writeFileSync(join(folder, 'setpoint.js'), `${INSTALLED_PROGRAM}\n`)
  const noted = (): string[] => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [])
  return { path: folder, calls: noted }
}
