import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../place.ts'
import { at, type LiveSet, printed, type Server, Stopped, same } from './server.ts'

const BIN = join(ROOT, 'dist/bundle/setpoint.js')

/** What a server, or the program on it, does otherwise than the scenario says. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly ended: Promise<Ran>
  readonly kill: () => void
}

type Env = Readonly<Record<string, string>>

/** Runs the program without a way to kill it. */
export type Program = (
  argv: readonly string[],
  surroundings: { readonly cwd: string; readonly env: Env },
) => Promise<Ran>

/** A repository in a temporary directory, the program, and the server that it works on. */
export class Stage {
  readonly server: Server
  readonly cwd: string
  /** Names of workspaces that the organization has. */
  readonly workspaces: readonly string[]
  readonly #nameOf: (id: string) => string
  readonly #rate: readonly string[]
  readonly #program: Program | undefined
  readonly #stop: AbortSignal | undefined

  /** `rate`: requests per second. `program`: what `run` runs in place of the built program, which a `stop` ends. */
  constructor(
    server: Server,
    names: ReadonlyMap<string, string>,
    {
      rate,
      program,
      stop,
    }: { readonly rate?: number; readonly program?: Program; readonly stop?: AbortSignal | undefined },
  ) {
    this.server = server
    this.#program = program
    this.#stop = stop
    this.cwd = mkdtempSync(join(tmpdir(), 'setpoint-servers-'))
    this.workspaces = [...names.values()]
    this.#nameOf = id => names.get(id) ?? id
    this.#rate = rate === undefined ? [] : ['--rate', `${rate}`]
  }

  /** Replaces all sets of the repository. `owner`: with an inventory. */
  write(sets: string, owner?: string): void {
    rmSync(join(this.cwd, 'sets'), { recursive: true, force: true })
    const { organization } = this.server.where
    const config = `organization: ${organization}\n${owner === undefined ? '' : `owner: ${owner}\n`}`
    this.file('setpoint.yaml', config)
    this.file('sets/sets.yaml', sets)
  }

  file(path: string, text: string): void {
    mkdirSync(dirname(join(this.cwd, path)), { recursive: true })
    writeFileSync(join(this.cwd, path), text)
  }

  /** Starts the built program. */
  start(argv: readonly string[], env: Env = {}): Running {
    const child = spawn(process.execPath, [BIN, ...this.#paced(argv)], {
      cwd: this.cwd,
      env: { PATH: process.env.PATH, HOME: this.cwd, ...this.#connected(env) },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(this.#stop && { signal: this.#stop }),
    })
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text
      })
    const ended = new Promise<Ran>((done, fail) => {
      child.once('error', error => fail(this.#stop?.aborted ? new Stopped('stopped') : error))
      child.once('close', code => done({ code, ...texts }))
    })
    return { ended, kill: () => void child.kill('SIGKILL') }
  }

  /** Runs the program, which has to end with this code. */
  async run(argv: readonly string[], code = 0, env: Env = {}): Promise<Ran> {
    const surroundings = { cwd: this.cwd, env: this.#connected(env) }
    const ran = await (this.#program?.(this.#paced(argv), surroundings) ?? this.start(argv, env).ended)
    if (ran.code !== code)
      throw new Difference(`${argv[0]} ends with ${ran.code}, not ${code}: ${reasonIn(ran)}`)
    return ran
  }

  /** Applies the files, with the consent that a guard asks for; a second plan then has no changes. */
  async apply(env: Env = {}, ...flags: readonly string[]): Promise<Ran> {
    const { stdout } = await this.run(['plan', '--format', 'json', ...flags], 0, env)
    const digest = String(at(JSON.parse(stdout), 'digest'))
    const ran = await this.run(['apply', '--approve', digest, ...flags], 0, env)
    await this.run(['plan', '--detailed-exitcode'], 0, env)
    return ran
  }

  /** The server has these sets, and no other. The inventory is not one of them. */
  async holds(...lines: readonly string[]): Promise<readonly LiveSet[]> {
    const live = (await this.server.sets()).filter(set => !set.name.startsWith('setpoint-inventory-'))
    const shown = printed(live, this.#nameOf)
    if (!same(shown, lines))
      throw new Difference(`the server has ${JSON.stringify(shown)}, not ${JSON.stringify(lines)}`)
    return live
  }

  #paced(argv: readonly string[]): readonly string[] {
    const [command = '', ...rest] = argv
    const paced = ['init', 'plan', 'apply', 'drift', 'export', 'explain'].includes(command) ? this.#rate : []
    return [command, ...paced, ...rest]
  }

  #connected(env: Env): Env {
    const { address, token } = this.server.where
    return { SETPOINT_ADDRESS: address, SETPOINT_TOKEN: token, ...env }
  }

  close(): void {
    rmSync(this.cwd, { recursive: true, force: true })
  }
}

/** Fails the scenario unless it is as it should be. */
export function require(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Difference(otherwise)
}

/** The first two lines that say why a run ended as it did. */
function reasonIn({ stdout, stderr }: Ran): string {
  const lines = `${stderr}\n${stdout}`.split('\n').map(line => line.trim())
  const from = lines.findIndex(
    line => /^(?:error|unknown|failed|blocked|The closing read)\b/.test(line) || / error /.test(line),
  )
  const reason = lines.slice(Math.max(0, from)).filter(line => line !== '')
  return reason.slice(0, 2).join(' ').slice(0, 240)
}
