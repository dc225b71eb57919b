import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { mistake } from '../../model/diagnostic.ts'
import { fail, misuse } from '../../run/commands/ending.ts'
import { checkOutputs, type Output, TERRAFORM_RC, writeOutput } from '../../run/commands/output-files.ts'
import { codeOfSignal, EXIT } from '../../run/exit-codes.ts'
import { WriteError } from '../../run/write-files.ts'
import type { ListenOptions, Profile, SandboxOptions, TokenSeed } from '../../sandbox/index.ts'
import type { CommandRun } from '../command.ts'
import type { CommandContext } from '../io.ts'

/** Serves until a signal. Prints one line: the address, and a token that may change everything. */
export const run: CommandRun = async io => {
  const { terraformRc: rc, data } = io.options
  const outputs: Output[] = [
    ...(data === undefined ? [] : [{ flag: '--data', path: data, kind: 'sandbox' as const }]),
    ...(rc === undefined ? [] : [{ flag: '--terraform-rc', path: rc, kind: 'terraform-rc' as const }]),
  ]
  await checkOutputs(io, outputs)
  const { createSandbox, SandboxFileError, LockedError, SeedError } = await import('../../sandbox/index.ts')
  try {
    const sandbox = await createSandbox(await sandboxOptions(io))
    try {
      const { url, close } = await sandbox.listen(await listenOptions(io))
      if (rc !== undefined) await writeTerraformRc(io, rc, url, sandbox.token)
      io.stdout.write(`SETPOINT_ADDRESS=${url} SETPOINT_TOKEN=${sandbox.token}\n`)
      if (io.options.exposeToNetwork !== undefined)
        io.stderr.write(
          'Warning: other machines can reach the sandbox, over plain http. Anyone with the token can change everything.\n',
        )
      await new Promise<void>(done => {
        if (io.stop.aborted) done()
        io.stop.addEventListener('abort', () => done())
      })
      await close()
    } finally {
      await sandbox.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      fail(io, mistake('port-in-use', `Port ${io.options.port} is in use.`, ANOTHER_PORT))
    const told = [SeedError, SandboxFileError, LockedError, WriteError].some(kind => error instanceof kind)
    if (!(error instanceof Error) || !(told || 'syscall' in error)) throw error
    misuse(io, error.message)
  }
  return codeOfSignal(io) ?? EXIT.done
}

const ANOTHER_PORT = 'Choose another one with --port, or leave --port out for a free one.'

async function sandboxOptions(io: CommandContext): Promise<SandboxOptions> {
  const { DEFAULT_SEED, parseSeed } = await import('../../sandbox/index.ts')
  const { organizations } = DEFAULT_SEED
  const { seed, data, profile, token } = io.options
  return {
    now: io.now,
    ...(seed !== undefined && {
      seed: { organizations, ...parseSeed(await readFile(resolve(io.cwd, seed), 'utf8')) },
    }),
    ...(data !== undefined && { file: resolve(io.cwd, data) }),
    ...(profile.length > 0 && { profile: await profileFrom(io, profile) }),
    tokens: token.map(text => tokenFrom(io, text)),
  }
}

async function listenOptions(io: CommandContext): Promise<ListenOptions> {
  const { parseFaults } = await import('../../sandbox/index.ts')
  const { port, latency, rateLimit, faults, exposeToNetwork: host } = io.options
  return {
    port,
    latency,
    rateLimit: rateLimit === undefined ? undefined : { hint: 'reset', requestsPerSecond: rateLimit },
    faults: faults === undefined ? undefined : parseFaults(await readFile(resolve(io.cwd, faults), 'utf8')),
    host,
    dangerouslyExposeToNetwork: host !== undefined,
  }
}

const PERMISSIONS = ['none', 'read-variables', 'manage-workspaces', 'admin'] as const

/** Reads `TOKEN=PERMISSION`. A token may contain `=`. */
function tokenFrom(io: CommandContext, text: string): TokenSeed {
  const at = text.lastIndexOf('=')
  const token = text.slice(0, at)
  const permission = PERMISSIONS.find(name => name === text.slice(at + 1))
  if (at < 1 || !/^[\x21-\x7e]+$/.test(token) || permission === undefined)
    misuse(io, `--token requires a token and a permission: TOKEN=${PERMISSIONS.join('|')}.`)
  return { token, permission }
}

/** `NAME=VALUE` texts, or names of servers: `otf` is `server=otf`. An unknown name or value is an error that lists the known ones. */
async function profileFrom(io: CommandContext, texts: readonly string[]): Promise<Partial<Profile>> {
  const { profileOf } = await import('../../sandbox/index.ts')
  const given = texts.map(text => {
    const [name = '', value = ''] = (text.includes('=') ? text : `server=${text}`).split('=', 2)
    const one: Partial<Profile> = { [name]: /^\d+$/.test(value) ? Number(value) : value }
    try {
      profileOf(one)
      return one
    } catch (error) {
      if (error instanceof RangeError) misuse(io, `--profile ${text}: ${error.message}`)
      throw error
    }
  })
  return Object.assign({}, ...given)
}

/** The services that Terraform and its provider discover (docs/service.md 14.2). */
const SERVICES = ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2']

/**
 * A Terraform CLI configuration for a sandbox. Plain http needs a `host` block, because discovery requires https
 * (docs/service.md 14.2). Terraform reads it as its older HCL, which has no templates, so the quoting of JSON is enough.
 */
export function terraformRc(url: string, token: string): string {
  const host = JSON.stringify(new URL(url).host)
  const services = SERVICES.map(name => `    ${`"${name}"`.padEnd(10)} = "${url}/api/v2/"`)
  return [
    TERRAFORM_RC,
    `host ${host} {`,
    '  services = {',
    ...services,
    '  }',
    '}',
    '',
    `credentials ${host} {`,
    `  token = ${JSON.stringify(token)}`,
    '}',
    '',
  ].join('\n')
}

/** Readable by its owner only. Rejects with a `WriteError`. */
const writeTerraformRc = (io: CommandContext, path: string, url: string, token: string): Promise<void> =>
  writeOutput(io, { path, kind: 'terraform-rc' }, terraformRc(url, token))
