import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, expectExample, replay } from './support/transcript.ts'
import { shell, stubs } from './support/workflow.ts'

/** Several organizations with several real processes and one service. Needs a build. */
const EXAMPLE = resolve(import.meta.dirname, '../examples/many-organizations')
const PROGRAM = resolve(import.meta.dirname, '../dist/bundle/setpoint.js')

test('the README of the example shows what its commands print', async () => {
  const readme = join(EXAMPLE, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: EXAMPLE }) }))
})

/** `UPDATE_GOLDEN=1 npx vitest run test/organizations.test.ts` updates the outputs. Read the diff. */
test('docs/organizations.md shows the real output of a run over several organizations, each with its token', async () => {
  const page = resolve(import.meta.dirname, '../docs/organizations.md')
  const names = ['acme', 'globex']
  const tokens = Object.fromEntries(names.map(name => [`tokens/${name}`, `token-of-${name}\n`]))
  const sandbox = await createSandbox({
    seed: {
      organizations: names.map(name => ({ name })),
      tokens: names.map(name => ({ token: `token-of-${name}`, permission: 'admin' })),
    },
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory(tokens)
  execFileSync('git', ['init', '-q', cwd])
  // The port is part of the digest.
  const digests: string[] = []
  const stable = (digest: string): string => {
    const short = digest.slice(0, 12)
    if (!digests.includes(short)) digests.push(short)
    return `${digests.indexOf(short) + 3}`.padEnd(digest.length, 'f9a1c2b7d4e')
  }
  await expectExample(page, 'organizations', async text => {
    const shown = await replay(text, { cwd, env: { SETPOINT_ADDRESS: url, PATH: process.env.PATH ?? '' } })
    return shown
      .replaceAll(url, 'tfe.example.com')
      .replace(/(?<=^setpoint \w+ )[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/gm, stable)
  })
})

test('docs/organizations.md shows the real output of copying sets to another organization', async () => {
  const page = resolve(import.meta.dirname, '../docs/organizations.md')
  const organizations = ['acme', 'globex'] as const
  const secret = { key: 'AWS_SECRET_ACCESS_KEY', category: 'env', value: 'value-of-acme', sensitive: true }
  const region = { key: 'AWS_REGION', category: 'env', value: 'eu-west-1' }
  const sandbox = await createSandbox({
    now: () => new Date('2026-01-02T03:04:00Z'),
    seed: {
      organizations: organizations.map(name => ({ name })),
      projects: organizations.map(organization => ({ name: 'platform', organization })),
      workspaces: [
        { name: 'network-prod', organization: 'acme' },
        { name: 'network-production', organization: 'globex' },
      ],
      sets: [
        { name: 'aws', organization: 'acme', projects: ['platform'], variables: [secret, region] },
        { name: 'aws-network', organization: 'acme', workspaces: ['network-prod'], variables: [region] },
        { name: 'gcp', organization: 'acme', variables: [] },
      ],
    },
  })
  onTestFinished(() => sandbox.close())
  const setsOf = (organization: string) =>
    (sandbox.snapshot({ sensitive: true }).sets ?? []).filter(set => set.organization === organization)
  const { url } = await sandbox.listen()
  const env = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  // The sets are managed, as they are in most organizations.
  const managing = aDirectory({ 'setpoint.yaml': 'organization: acme\nowner: edge\n' })
  for (const argv of [
    ['export', '--out', 'sets'],
    ['apply', '--auto-approve'],
  ])
    expect((await run(argv, { cwd: managing, env })).code).toBe(0)
  const before = setsOf('acme')
  await expectExample(page, 'copy', async text => {
    const shown = await replay(text, { cwd: aDirectory(), env })
    // The port is part of the digest.
    return shown
      .replaceAll(url, 'tfe.example.com')
      .replace(/(?<=^setpoint \w+ )[0-9a-f]{12}/gm, '3f9a1c2b7d4e')
  })
  expect(setsOf('acme')).toEqual(before)
  expect(
    setsOf('globex').map(({ name, workspaces, projects, variables }) => [
      name,
      workspaces?.length,
      projects?.length,
      variables?.find(({ sensitive }) => sensitive)?.value,
    ]),
  ).toEqual([
    ['aws', 0, 1, 'value-for-globex'],
    ['aws-network', 1, 0, undefined],
    ['setpoint-inventory-globex', 0, 0, undefined],
  ])
})

describe('export ORGANIZATION of sets that somebody manages', () => {
  /** Two organizations; the sets of acme are managed from the repository `edge`, beside one that nobody manages. */
  async function managed() {
    const organizations = ['acme', 'globex'].map(name => ({ name }))
    const sets = ['edge-a', 'edge-b', 'loose'].map(name => ({ name, organization: 'acme', variables: [] }))
    const sandbox = await createSandbox({ seed: { organizations, sets } })
    onTestFinished(() => sandbox.close())
    const { url } = await sandbox.listen()
    const env = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
    const repository = (configuration: string, files: Readonly<Record<string, string>> = {}) => {
      const cwd = aDirectory({ 'setpoint.yaml': configuration, ...files })
      return (...argv: readonly string[]) => run(argv, { cwd, env })
    }
    const edge = repository('organization: acme\nowner: edge\n', {
      'orgs/labs/setpoint.yaml': 'organization: globex\nowner: labs\n',
    })
    await edge('export', '--only', 'edge-*', '--out', 'sets')
    expect((await edge('apply', '--auto-approve')).code).toBe(0)
    const outside = (...argv: readonly string[]) => run(argv, { cwd: aDirectory(), env })
    return { edge, outside, repository }
  }

  const TWO =
    'orgs/labs/sets: 2 sets, 0 variables in 2 new files.\norgs/labs/.setpoint-schemas: 5 schemas for editors.\n'
  const LABS = ['export', 'acme', '--only', 'edge-*', '--out', 'orgs/labs/sets']

  test('inside the repository that manages them', async () => {
    const { edge } = await managed()
    const printed = await edge('export', 'acme', '--only', 'edge-*')
    expect(printed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('edge-b:') })
    expect(await edge(...LABS)).toEqual({ code: 0, stderr: '', stdout: TWO })
    expect((await edge('plan', '-C', 'orgs/labs')).stdout).toContain('+ edge-b')
  })

  test('for the folder of another organization, wherever the command runs', async () => {
    const { repository } = await managed()
    const monorepo = repository('organization: initech\n', {
      'orgs/labs/setpoint.yaml': 'organization: globex\nowner: labs\n',
    })
    expect(await monorepo(...LABS)).toEqual({ code: 0, stderr: '', stdout: TWO })
  })

  test('into a repository of the same organization: they are left to their owner', async () => {
    const { repository } = await managed()
    const other = repository('organization: acme\nowner: other\n')
    const { code, stdout, stderr } = await other('export', 'acme', '--out', 'sets')
    expect([code, stdout]).toEqual([
      0,
      'sets: 1 set, 0 variables in 1 new file.\n.setpoint-schemas: 5 schemas for editors.\n',
    ])
    expect(stderr).toContain('Left out 2 sets in the inventory of "edge": "edge-a", "edge-b".')
    expect((await other('plan', '--detailed-exitcode')).code).toBe(0)
  })

  test('without a configuration: they are written, and the owner is named', async () => {
    const { outside } = await managed()
    const { code, stdout, stderr } = await outside('export', 'acme')
    expect([code, stdout.match(/^ {2}\S+:/gm)]).toEqual([0, ['  edge-a:', '  edge-b:', '  loose:']])
    expect(stderr).toBe(`warning owned-by-another
  2 sets in the inventory of "edge": "edge-a", "edge-b".
  In files for another organization this is right. In files for this one, leave them to "edge".
`)
  })
})

test('an id of another organization is an error at its line', async () => {
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }, { name: 'globex' }],
      workspaces: [{ name: 'w', id: 'ws-aaaaaaaaaaaaaaaa', organization: 'acme' }],
    },
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: globex\n',
    'sets/a.yaml': 'variableSets:\n  a:\n    workspaces: [ws-aaaaaaaaaaaaaaaa]\n',
  })
  const { code, stderr } = await run(['plan'], {
    cwd,
    env: { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token },
  })
  expect([code, stderr.split('\n')[0]]).toEqual([1, 'sets/a.yaml:3:18  error unknown-id'])
})

test('four shards in parallel apply every organization exactly once', async () => {
  const names = Array.from({ length: 10 }, (_, at) => `org-${at}`)
  const cwd = aDirectory(
    Object.fromEntries(
      names.flatMap(name => [
        [`orgs/${name}/setpoint.yaml`, `organization: ${name}\n`],
        [`orgs/${name}/sets/a.yaml`, 'variableSets: { a: { env: { A: "1" } } }\n'],
      ]),
    ),
  )
  const { env, sandbox } = await aService(names)
  const shards = ['1/4', '2/4', '3/4', '4/4']
  const command = (shard: string) =>
    `node '${PROGRAM}' apply --config 'orgs/*/setpoint.yaml' --shard ${shard} --auto-approve --rate 5`
  const runs = await Promise.all(shards.map(shard => shell(command(shard), cwd, env)))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect((sandbox.snapshot().sets ?? []).map(set => set.organization).toSorted()).toEqual(names)
})

describe('the commands of the CI manifests work', () => {
  const places: Readonly<Record<string, { command: string; env: Record<string, string> }>> = {
    'matrix.yml': {
      command: commandIn('matrix.yml', 'jobs', 'drift', 'steps', '3', 'run'),
      env: { SHARD: '2' },
    },
    'gitlab-ci.yml': {
      command: commandIn('gitlab-ci.yml', 'drift', 'script', '0'),
      env: { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '4' },
    },
    'job.yaml': {
      command: `node node_modules/setpoint/dist/bundle/setpoint.js ${argumentsIn('job.yaml', { JOB_COMPLETION_INDEX: '1' })}`,
      env: {},
    },
  }

  test.each(Object.keys(places))('%s', async file => {
    const { command, env: own } = places[file] ?? { command: 'false', env: {} }
    const cwd = aDirectory({ copyOf: EXAMPLE })
    const names = ['acme', 'globex', 'initech']
    const { env, sandbox } = await aService(names)
    const { SETPOINT_TOKEN: _, ...service } = env
    const isMounted = command.includes('/run/setpoint/tokens')
    const tokens = Object.fromEntries(
      names.map(name =>
        isMounted ? [name, sandbox.token] : [`SETPOINT_TOKEN_${name.toUpperCase()}`, sandbox.token],
      ),
    )
    const run = isMounted ? command.replace('/run/setpoint/tokens', aDirectory(tokens)) : command
    const { code, output } = await shell(`npm ci && ${run}`, cwd, {
      ...service,
      ...own,
      ...(isMounted ? {} : tokens),
    })
    expect([code, output]).toEqual([2, expect.stringContaining('orgs/globex/setpoint.yaml')])
    expect(output).toContain('   1 organization\n1 with changes')
  })
})

/** Replaces variables in the arguments, as the kubelet does. */
function argumentsIn(file: string, env: Readonly<Record<string, string>>): string {
  const path = ['spec', 'jobTemplate', 'spec', 'template', 'spec', 'containers', '0', 'args']
  return Array.from({ length: 7 }, (_, at) => commandIn(file, ...path, String(at)))
    .map(word => `'${word.replace(/\$\((\w+)\)/g, (whole, name: string) => env[name] ?? whole)}'`)
    .join(' ')
}

function commandIn(file: string, ...path: readonly string[]): string {
  let at: unknown = parse(readFileSync(join(EXAMPLE, file), 'utf8'))
  for (const step of path)
    at = at instanceof Object ? Object.entries(at).find(([key]) => key === step)?.[1] : undefined
  if (typeof at !== 'string') throw new TypeError(`${file} has no ${path.join('.')}`)
  return at
}

async function aService(
  names: readonly string[],
): Promise<{ sandbox: Sandbox; env: Record<string, string> }> {
  // This profile allows equal names, so that duplicates would show.
  const profile = { duplicates: 'second' } as const
  const sandbox = await createSandbox({ profile, seed: { organizations: names.map(name => ({ name })) } })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  return {
    sandbox,
    env: {
      PATH: `${stubs(join(aDirectory(), 'bin')).path}:${process.env.PATH ?? ''}`,
      SETPOINT_ADDRESS: url,
      SETPOINT_TOKEN: sandbox.token,
    },
  }
}
