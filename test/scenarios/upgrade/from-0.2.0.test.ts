import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, type SandboxOptions, type SandboxSeed } from '../../../src/sandbox/index.ts'
import { aDirectory, run } from '../../support/program.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures/0.2.0')

type Files = Readonly<Record<string, string>>

/** What a plan says: its steps, what blocks it, and what the inventory and the secrets need. */
interface Said {
  readonly code: number
  readonly steps: readonly string[]
  readonly blocks: readonly string[]
  readonly requests: number
  readonly adopted: readonly string[]
  readonly secrets: readonly string[]
}

/** A service and repositories as 0.2.0 left them. */
interface State {
  readonly traits: NonNullable<SandboxOptions['traits']>
  readonly env: Readonly<Record<string, Files>>
  readonly service: SandboxSeed
  readonly repositories: Readonly<Record<string, Files>>
  readonly plans: Readonly<Record<string, Said>>
}

/** The file of the set whose entry was too long. */
const LONG = {
  'sets/long.yaml': `variableSets:\n  long: { env: { A: { secret: { name: A, version: ${'v'.repeat(262_144)} } }, B: { secret: B } } }\n`,
}

const NAMES = readdirSync(FIXTURES).flatMap(file => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
const STATES = NAMES.map((name): [string, State] => [
  name,
  JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')),
])
const OWNERS = STATES.flatMap(([name, state]) =>
  Object.keys(state.plans).map((owner): [string, string, State] => [name, owner, state]),
)

async function restored(owner: string, { traits, service, env, repositories }: State, more: Files = {}) {
  const sandbox = await createSandbox({ seed: service, traits })
  onTestFinished(() => sandbox.close())
  const files = repositories[owner] ?? {}
  const cwd = aDirectory({ ...files, ...('sets/edited.yaml' in files ? LONG : {}), ...more })
  const writes: string[] = []
  const setpoint = (...argv: readonly string[]) =>
    run(argv, {
      cwd,
      env: { ...env[owner], SETPOINT_ADDRESS: 'https://app.example.com', SETPOINT_TOKEN: sandbox.token },
      io: {
        transport: (request, signal) => {
          if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`)
          return sandbox.transport(request, signal)
        },
      },
    })
  const plan = async (): Promise<Said> => {
    const { code, stdout, stderr } = await setpoint('plan', '--detailed-exitcode', '--format', 'json')
    expect([0, 2], stderr).toContain(code)
    const { steps, blocks, facts } = JSON.parse(stdout)
    return {
      code,
      steps: steps.map(({ id }: { id: string }) => id),
      blocks: blocks.map((block: { code: string }) => block.code),
      requests: facts.inventory.requests,
      adopted: facts.inventory.adopted,
      secrets: facts.secrets.map(
        (note: { set: string; key: string; state: { state: string } }) =>
          `${note.set} ${note.key} ${note.state.state}`,
      ),
    }
  }
  return { plan, setpoint, writes }
}

describe.each(OWNERS)('what 0.2.0 left (%s), for the owner %s,', (_, owner, state) => {
  const said = state.plans[owner]

  test('has the plan that 0.2.0 made of it, also of the inventory', async () => {
    const { plan, writes } = await restored(owner, state)
    expect(await plan()).toEqual(said)
    expect(writes).toEqual([])
  })

  test('is applied with the requests of that plan and no other, and has an empty plan afterwards', async () => {
    const { plan, setpoint, writes } = await restored(owner, state)
    const { code, stdout, stderr } = await setpoint('apply', '--auto-approve')
    expect(code, stdout + stderr).toBe(0)
    expect(writes).toHaveLength((said?.steps.length ?? 0) + (said?.requests ?? 0))
    expect(await plan()).toMatchObject({ code: 0, steps: [], requests: 0 })
  })

  test('has the same plan after another set was added', async () => {
    const { plan, setpoint } = await restored(owner, state, {
      'sets/new.yaml': 'variableSets: { new: {} }\n',
    })
    expect(await plan()).toEqual({
      ...said,
      code: 2,
      steps: [...(said?.steps ?? []), 'create-set new'].toSorted(),
      requests: (said?.requests ?? 0) + 1,
    })
    expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
    expect(await plan()).toMatchObject({ code: 0, steps: [], requests: 0 })
  })
})
