import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import type { ApiRequest, Transport } from '../../src/wire/transport.ts'

export const NAMES = ['acme', 'blue-lab', 'globex', 'initech']
export const ALL = ['--config', 'orgs/*/setpoint.yaml']

export const FILES = Object.fromEntries(
  NAMES.flatMap(name => [
    [`orgs/${name}/setpoint.yaml`, `# ${name}\norganization: ${name}\nowner: team\n`],
    [
      `orgs/${name}/sets/a.yaml`,
      `variableSets:\n  base: { workspaces: [prod], env: { A: ${name}, B: { secret: B } } }\n`,
    ],
  ]),
)

export const tokenOf = (name: string): string => `canary-token-of-${name}`

export const ENV: Readonly<Record<string, string>> = {
  SETPOINT_SECRET_B: 'b-secret-of-everybody',
  SETPOINT_TOKEN: 'canary-token-of-nobody',
  TF_TOKEN_app_terraform_io: 'canary-token-of-the-host',
  ...Object.fromEntries(
    NAMES.map(name => [`SETPOINT_TOKEN_${name.toUpperCase().replace('-', '_')}`, tokenOf(name)]),
  ),
}

/** A service for each organization that knows only its own token and ids. A request with another token gets no further than 401. */
export async function services() {
  const sandboxes = new Map<string, Sandbox>()
  for (const name of NAMES) {
    const sandbox = await createSandbox({
      seed: {
        organizations: [{ name }],
        workspaces: [{ name: 'prod' }],
        tokens: [{ token: tokenOf(name), permission: 'admin' }],
      },
    })
    onTestFinished(() => sandbox.close())
    sandboxes.set(`Bearer ${tokenOf(name)}`, sandbox)
  }
  const seen: { readonly token: string; readonly request: ApiRequest }[] = []
  const transport: Transport = async (request, signal) => {
    const token = request.headers.authorization ?? ''
    seen.push({ token, request })
    const sandbox = sandboxes.get(token)
    return sandbox === undefined
      ? { status: 401, headers: {}, body: '' }
      : await sandbox.transport(request, signal)
  }
  return { seen, transport, sandboxes }
}
