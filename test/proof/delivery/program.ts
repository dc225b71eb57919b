import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SCHEMA_NAMES, WRITTEN_SCHEMAS } from '../../../src/run/schema-names.gen.ts'
import { listenTo } from '../../../src/sandbox/listen.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { schemaFile } from '../../support/published.ts'
import { aWorld } from '../../support/world.ts'
import { ROOT } from '../place.ts'

/** An installed program: what starts it, and its PATH. */
export interface Program {
  readonly file: string
  /** Arguments before those of the user: the program, if the file is Node. */
  readonly first?: readonly string[]
  readonly path: string
}

interface Ended {
  readonly code: number | null
  /** Both streams, as a terminal shows them. */
  readonly output: string
}

interface Setting {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void
}

export const start = (
  file: string,
  args: readonly string[],
  { cwd, env, onStart }: Setting,
): Promise<Ended> =>
  new Promise((done, fail) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    child.once('error', fail)
    child.once('close', code => done({ code, output }))
    onStart?.(signal => child.kill(signal))
  })

export async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'setpoint-delivery-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A directory for PATH with only these programs. */
export function pathOf(folder: string, names: readonly string[]): string {
  mkdirSync(folder)
  for (const name of names) {
    const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    symlinkSync(found, join(folder, name))
  }
  return folder
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': 'variableSets:\n  a: { env: { X: "1" } }\n  b: { env: { X: "1" } }\n',
}

/** Checks exit codes, the README's first guide and the demo of an installed program. Returns what is wrong. */
export async function wrongWith(program: Program, version: string): Promise<string[]> {
  return await inFolder(async folder => {
    const found: string[] = []
    const setpoint = (cwd: string, args: readonly string[], more: Partial<Setting> = {}): Promise<Ended> =>
      start(program.file, [...(program.first ?? []), ...args], {
        ...more,
        cwd,
        env: { PATH: program.path, HOME: folder, ...more.env },
      })
    const expectCode = async (
      wanted: number,
      args: readonly string[],
      more?: Partial<Setting>,
    ): Promise<void> => {
      const { code, output } = await setpoint(join(folder, 'codes'), args, more)
      if (code !== wanted) found.push(`${args.join(' ')} exits with ${code} instead of ${wanted}: ${output}`)
    }
    const printed = await setpoint(folder, ['--version'])
    if (printed.output !== `${version}\n`) found.push(`--version prints ${printed.output}`)
    write(join(folder, 'codes'), FILES)
    await expectCode(0, ['validate'])
    await expectCode(1, ['paln'])
    await expectCode(2, ['plan', '--sandbox', '--detailed-exitcode'])
    await expectCode(4, ['apply', '--sandbox', '--approve', 'a'.repeat(64)])
    await withService(refusingSecondWrite, env => expectCode(3, ['apply', '--auto-approve'], { env }))
    let interrupt = (): void => {}
    const hanging = () => (): Promise<never> => {
      interrupt()
      return new Promise(() => {})
    }
    const onStart = (kill: (signal: NodeJS.Signals) => void): void => {
      interrupt = () => kill('SIGINT')
    }
    await withService(hanging, env => expectCode(130, ['plan'], { env, onStart }))
    for (const name of SCHEMA_NAMES) {
      const { output } = await setpoint(folder, ['schema', name])
      if (output !== readFileSync(schemaFile(name), 'utf8'))
        found.push(`schema ${name} differs: ${output.slice(0, 200)}`)
    }
    await setpoint(join(folder, 'codes'), ['validate', '--fix-schema'])
    for (const name of WRITTEN_SCHEMAS) {
      const copy = join(folder, `codes/.setpoint-schemas/${name}.schema.json`)
      if (!existsSync(copy) || readFileSync(copy, 'utf8') !== readFileSync(schemaFile(name), 'utf8'))
        found.push(`validate --fix-schema does not write the schema ${name}`)
    }
    found.push(
      ...(await guide(join(folder, 'guide'), (args, env) => setpoint(join(folder, 'guide'), args, { env }))),
    )
    const demo = await setpoint(folder, ['demo'])
    if (demo.code !== 0 || !demo.output.includes('The demo is in setpoint-demo'))
      found.push(`demo exits with ${demo.code}: ${demo.output}`)
    return found
  })
}

/** The README's quick look: its files, its commands and their output. */
async function guide(
  folder: string,
  setpoint: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<Ended>,
): Promise<string[]> {
  const [, look = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## A quick look\n')
  const [text = ''] = look.split('\n## ')
  const found: string[] = []
  const env: NodeJS.ProcessEnv = {}
  let commands = 0
  for (const [, language, body = ''] of text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [, path] = /^# (\S+\.yaml)\n/.exec(body) ?? []
    if (language === 'yaml' && path !== undefined) write(folder, { [path]: body })
    if (language !== 'console') continue
    for (const [, command = '', printed = ''] of body.matchAll(/^\$ (.*)\n((?:[^$].*\n|\n)*)/gm)) {
      const [program, ...words] = command.split(' ')
      const [name = '', value] = words[0]?.split('=') ?? []
      if (program === 'export') env[name] = value
      if (program !== 'setpoint') continue
      commands += 1
      const { output } = await setpoint(words, env)
      if (output !== printed)
        found.push(`the README says that ${command} prints\n${printed}and it prints\n${output}`)
    }
  }
  return commands < 5 ? [...found, `the quick look of the README has ${commands} commands`] : found
}

/** A service at an address, with `between` before it. */
async function withService(
  between: (next: Transport) => Transport,
  use: (env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const { sandbox } = await aWorld([])
  const server = await listenTo(between(sandbox.transport))
  await use({ SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: sandbox.token })
  await server.close()
  await sandbox.close()
}

/** Refuses to create the second set. */
function refusingSecondWrite(next: Transport): Transport {
  let writes = 0
  return async (request, signal) => {
    if (request.method === 'GET' || ++writes < 2) return await next(request, signal)
    return { status: 403, headers: {}, body: '{"errors":[{"status":"403","title":"forbidden"}]}' }
  }
}
