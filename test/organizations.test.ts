import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, replay } from './support/transcript.ts'
import { shell, stubs } from './support/workflow.ts'

/** Several organizations with several real processes and one service. Needs a build. */
const EXAMPLE = resolve(import.meta.dirname, '../examples/many-organizations')

test('the README of the example shows what its commands print', async () => {
  const readme = join(EXAMPLE, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: EXAMPLE }) }))
})

/** `UPDATE_GOLDEN=1 npx vitest run test/organizations.test.ts` updates the outputs. Read the diff. */
test('docs/organizations.md shows the real output of copying sets to another organization', async () => {
  const page = resolve(import.meta.dirname, '../docs/organizations.md')
  const parts = readFileSync(page, 'utf8').split(/^(?=## )/m)
  const at = parts.findIndex(part => part.startsWith('## Copying'))
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
  const before = setsOf('acme')
  const { url } = await sandbox.listen()
  const env = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  const shown = await replay(parts[at] ?? '', { cwd: aDirectory(), env })
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
  // The port is part of the digest.
  parts[at] = shown
    .replaceAll(url, 'tfe.example.com')
    .replace(/(?<=^setpoint \w+ )[0-9a-f]{12}/gm, '3f9a1c2b7d4e')
  expectDocument(page, parts.join(''))
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
    `setpoint apply --config 'orgs/*/setpoint.yaml' --shard ${shard} --auto-approve --rate 5`
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
      command: `node_modules/.bin/setpoint ${argumentsIn('job.yaml', { JOB_COMPLETION_INDEX: '1' })}`,
      env: {},
    },
  }

  test.each(Object.keys(places))('%s', async file => {
    const { command, env: own } = places[file] ?? { command: 'false', env: {} }
    const cwd = aDirectory({ copyOf: EXAMPLE })
    const { env } = await aService(['acme', 'globex', 'initech'])
    const { code, output } = await shell(`npm ci && ${command}`, cwd, { ...env, ...own })
    expect([code, output]).toEqual([2, expect.stringContaining('orgs/globex/setpoint.yaml')])
    expect(output).toContain('1 organization: 1 with changes')
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
  const profile = { setNames: 'any' } as const
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
