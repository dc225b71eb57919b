import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apply, type Transport } from '../src/library/index.ts'
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { aDirectory, run } from './support/program.ts'
import { commandsOf, expectDocument, expectExample, replay } from './support/transcript.ts'

/** `UPDATE_GOLDEN=1 npx vitest run test/examples.test.ts` updates the outputs in the examples. Read the diff. */
const EXAMPLES = resolve(import.meta.dirname, '../examples')
const names = readdirSync(EXAMPLES).filter(name => /^\d\d-/.test(name))
/** These have their own tests, in test/pipelines and test/export. */
const ELSEWHERE = [
  '06-github-actions',
  '07-from-terraform',
  '08-gitlab-ci',
  '09-kubernetes',
  '13-run-what-changed',
]
const tested = names.filter(name => !ELSEWHERE.includes(name))

test('thirteen examples are tested here', () => {
  expect(tested).toHaveLength(13)
})

describe.each(tested)('%s', name => {
  const folder = join(EXAMPLES, name)
  const readme = join(folder, 'README.md')
  const document = readFileSync(readme, 'utf8')
  const states = readdirSync(folder).includes('after') ? ['sets', 'after'] : ['sets']

  test('validates, plans, applies and is equal afterwards, as its README shows', async () => {
    const cwd = aDirectory({ copyOf: folder })
    expectDocument(readme, await replay(document, { cwd }))
    const left = await run(['plan', '--sandbox', '--detailed-exitcode'], { cwd })
    expect({ code: left.code, says: left.stdout.match(/^No changes\./m)?.[0] }).toEqual({
      code: 0,
      says: 'No changes.',
    })
  })

  test('shows every command for every state of its files', () => {
    const rounds = commandsOf(document).map(command => command.match(/^(?:setpoint )?\w+/)?.[0])
    const round = ['setpoint validate', 'setpoint plan', 'setpoint apply']
    const wanted = states.flatMap(state => (state === 'after' ? ['cp', ...round] : round))
    expect(inOrder(rounds, [...wanted, 'setpoint plan'])).toEqual([...wanted, 'setpoint plan'])
  })
})

/** The longest beginning of `wanted` that `given` contains in this order. */
function inOrder(given: readonly (string | undefined)[], wanted: readonly string[]): string[] {
  const found: string[] = []
  for (const one of given) if (one === wanted[found.length]) found.push(one ?? '')
  return found
}

/** What happens before the commands of a section, to a repository with applied files. */
const INCIDENTS: Readonly<Record<string, (cwd: string) => Promise<unknown>>> = {
  'The forge is down': cwd => inSetsOf(cwd, text => text.replace('info', 'debug')),
  'An apply hangs or was killed': async cwd => {
    await withSandbox(cwd, sandbox => sandbox.restore({ organizations: [{ name: 'acme' }] }))
    const killed = new AbortController()
    await withSandbox(cwd, sandbox => {
      const transport: Transport = async (request, signal) => {
        const answer = await sandbox.transport(request, signal)
        if (request.method === 'POST') killed.abort()
        return answer
      }
      const secrets = { DB_PASSWORD: 'the-first-one' }
      const { signal } = killed
      return apply({ cwd, sandbox: { ...sandbox, transport }, secrets, autoApprove: true, signal })
    })
  },
  'Somebody edits by hand during a freeze': cwd =>
    withSandbox(cwd, async ({ transport, token, snapshot }) => {
      const set = snapshot().sets?.find(({ name }) => name === 'payments')
      const variable = set?.variables?.find(({ key }) => key === 'LOG_LEVEL')
      await transport({
        method: 'PATCH',
        path: `/api/v2/varsets/${set?.id}/relationships/vars/${variable?.id}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({
          data: { type: 'vars', attributes: { key: 'LOG_LEVEL', category: 'env', value: 'debug' } },
        }),
      })
    }),
  'Somebody renamed a set': cwd =>
    withSandbox(cwd, sandbox => {
      const seed = sandbox.snapshot({ sensitive: true })
      const sets = seed.sets?.map(set => (set.name === 'payments' ? { ...set, name: 'pay' } : set))
      sandbox.restore({ ...seed, sets })
    }),
  'Somebody deleted the inventory': cwd =>
    withSandbox(cwd, sandbox => {
      const seed = sandbox.snapshot({ sensitive: true })
      const sets = seed.sets?.filter(({ name }) => !name.startsWith('setpoint-inventory-'))
      sandbox.restore({ ...seed, sets })
    }),
  'A wrong merge': async cwd => {
    const before = await inSetsOf(cwd, text =>
      text
        .replace('[payments-prod]', '[]')
        .replace('info', 'trace')
        .replace(/\{ HTTP_PROXY.*\}/, '{}'),
    )
    const { code } = await run(['apply', '--sandbox', '--auto-approve'], { cwd })
    expect(code).toBe(0)
    await inSetsOf(cwd, () => before)
  },
}

/** Changes the file of the sets, and returns what it was. */
async function inSetsOf(cwd: string, change: (text: string) => string): Promise<string> {
  const file = join(cwd, 'sets/payments.yaml')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, change(before))
  return before
}

async function withSandbox(cwd: string, act: (sandbox: Sandbox) => unknown): Promise<void> {
  const now = (): Date => new Date('2026-01-02T03:04:00Z')
  const sandbox = await createSandbox({ file: join(cwd, '.setpoint/sandbox'), seed: {}, now })
  await act(sandbox)
  await sandbox.close()
}

test('docs/bad-days.md shows the output of its commands', async () => {
  const page = resolve(EXAMPLES, '../docs/bad-days.md')
  const env = { SETPOINT_SECRET_DB_PASSWORD: 'the-first-one' }
  await expectExample(page, 'emergencies', async text => {
    const [start = '', ...sections] = text.split(/^(?=## )/m)
    let result = start
    for (const section of sections) {
      const title = section.match(/^## (.*)/)?.[1] ?? ''
      const cwd = aDirectory()
      await replay(start, { cwd })
      await run(['apply', '--sandbox', '--auto-approve'], { cwd, env })
      await INCIDENTS[title]?.(cwd)
      result += await replayed(section, cwd, env)
    }
    return result
  })
})

test('docs/connect.md shows the output of commands with tokens of each kind', async () => {
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ name: 'payments' }],
      tokens: [
        { token: 'reader', permission: 'read-variables' },
        { token: 'team', permission: 'read-variables', projects: { payments: 'manage' } },
        { token: 'writer', permission: 'manage-workspaces' },
      ],
    },
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  // The port is part of the digest.
  const digests: string[] = []
  const stable = (digest: string): string => {
    if (!digests.includes(digest)) digests.push(digest)
    return `${digests.indexOf(digest) + 3}`.padEnd(12, 'f9a1c2b7d4e')
  }
  await expectExample(resolve(EXAMPLES, '../docs/connect.md'), 'tokens', async text => {
    const shown = await replay(text, { cwd: aDirectory(), env: { SETPOINT_ADDRESS: url } })
    return shown
      .replaceAll(url, 'tfe.example.com')
      .replaceAll(new URL(url).host, 'tfe.example.com')
      .replace(/(?<=^setpoint \w+ )[0-9a-f]{12}/gm, stable)
  })
})

/** With a service at an address, for commands without the sandbox. `…` stands for one of its tokens. */
async function replayed(
  section: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const sandbox = await createSandbox({
    seed: { organizations: [{ name: 'acme' }], workspaces: [{ name: 'payments-prod' }] },
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const { host } = new URL(url)
  const service = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: 'revoked' }
  if (section.includes('SETPOINT_TOKEN'))
    await run(['apply', '--auto-approve'], {
      cwd,
      env: { ...env, SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token },
    })
  const shown = await replay(section, {
    cwd,
    env: { ...env, ...service },
    standIns: { SETPOINT_TOKEN: sandbox.token },
  })
  // The port is part of the digest.
  return shown
    .replaceAll(url, 'tfe.example.com')
    .replaceAll(host, 'tfe.example.com')
    .replace(/^(setpoint plan )[0-9a-f]{12}(?= .* tfe\.example\.com )/gm, '$13f9a1c2b7d4e')
}
