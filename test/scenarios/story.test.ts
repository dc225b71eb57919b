import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { aDirectory, run } from '../support/program.ts'

const GOLDEN = new URL('golden/story.txt', import.meta.url)

const NETWORK = 'organization: acme\nowner: network\nprune: true\n'
const DATA = 'organization: acme\nowner: data\n'
const set = (name: string, ...lines: readonly string[]) =>
  `  ${name}:\n${lines.map(line => `    ${line}\n`).join('')}`
const sets = (...each: readonly string[]) => `variableSets:\n${each.join('')}`
const key = (version: string) => `env: { REGION: eu, KEY: { secret: { name: KEY, version: "${version}" } } }`

/** Two repositories and one organization: the output for each of them, step by step. */
test('two repositories share one organization, which is also changed outside', async () => {
  const root = aDirectory()
  const file = join(root, 'service')
  const transcript: string[] = []
  const env = { SETPOINT_SANDBOX_FILE: file, SETPOINT_SECRET_KEY: 'canary-1' }
  let step = 0

  async function says(
    title: string,
    repository: 'network' | 'data',
    argv: string,
    more: Record<string, string> = {},
  ) {
    const ran = await run([...argv.split(' '), '--sandbox'], {
      cwd: join(root, repository),
      env: { ...env, ...more },
    })
    transcript.push(
      `## ${++step}. ${title}\n${repository}$ setpoint ${argv}\n${ran.stdout}${ran.stderr}exit ${ran.code}\n`,
    )
    return ran.code
  }
  function files(repository: 'network' | 'data', text: string): void {
    const path = join(root, repository, 'sets/all.yaml')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(join(root, repository, 'setpoint.yaml'), repository === 'network' ? NETWORK : DATA)
    writeFileSync(path, text)
  }
  /** Changes the service outside of Setpoint. */
  async function changeLive(
    method: 'PATCH' | 'DELETE' | 'POST',
    name: string,
    path: string,
    attributes?: unknown,
  ) {
    const sandbox = await createSandbox({ file, now: () => new Date('2026-02-01T03:12:00Z') })
    const found = sandbox.snapshot().sets?.find(one => one.name === name)
    const variable = found?.variables?.find(one => one.key === 'KEY')
    const target = path.replace(':set', found?.id ?? '').replace(':key', variable?.id ?? '')
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' }
    const type = path.includes('relationships/vars') ? 'vars' : 'varsets'
    const body = attributes === undefined ? {} : { body: JSON.stringify({ data: { type, attributes } }) }
    const answer = await sandbox.transport({ method, path: `/api/v2/${target}`, headers, ...body })
    await sandbox.close()
    expect(answer.status).toBeLessThan(300)
  }

  files('network', sets(set('net-a', key('1')), set('net-b', 'env: { B: b }')))
  files('data', sets(set('data-a', 'env: { D: d }')))
  expect(await says('The first repository begins.', 'network', 'apply --auto-approve')).toBe(0)
  expect(await says('So does the second, beside it.', 'data', 'apply --auto-approve')).toBe(0)
  expect(await says('Nothing is left to do.', 'network', 'plan --detailed-exitcode')).toBe(0)

  files('data', sets(set('data-a', 'env: { D: d }'), set('net-b', 'env: { B: mine }')))
  expect(await says('The second claims a set of the first: refused.', 'data', 'plan')).toBe(1)

  await changeLive('POST', '', 'organizations/acme/varsets', { name: 'loose', description: 'By hand.' })
  files('data', sets(set('data-a', 'env: { D: d }'), set('loose', 'env: { L: l }')))
  expect(await says('A set that nobody lists differs: a guard.', 'data', 'apply --auto-approve')).toBe(4)
  expect(await says('Taken over on purpose.', 'data', 'apply --auto-approve --adopt loose')).toBe(0)

  await changeLive('POST', '', 'organizations/acme/varsets', { name: 'same' })
  files('data', sets(set('data-a', 'env: { D: d }'), set('loose', 'env: { L: l }'), set('same', 'env: {}')))
  expect(await says('One that equals the files is taken in silently.', 'data', 'apply --auto-approve')).toBe(
    0,
  )

  files('network', sets(set('net-a', key('2')), set('net-b', 'env: { B: b }')))
  expect(await says('A secret is rotated: one line in review.', 'network', 'apply --auto-approve')).toBe(0)

  await changeLive('PATCH', 'net-a', 'varsets/:set/relationships/vars/:key', { value: 'meddled' })
  expect(await says('Somebody writes the secret in the service: drift.', 'network', 'drift')).toBe(2)
  expect(await says('The repair.', 'network', 'apply --auto-approve')).toBe(0)
  expect(await says('No drift any more.', 'network', 'drift')).toBe(0)

  const keyed = { SETPOINT_FINGERPRINT_KEY: 'f'.repeat(32) }
  expect(
    await says(
      'Written again with a key for fingerprints.',
      'network',
      'apply --auto-approve --rewrite net-a/KEY',
      keyed,
    ),
  ).toBe(0)
  expect(
    await says('A changed value is noticed by its fingerprint.', 'network', 'plan --detailed-exitcode', {
      ...keyed,
      SETPOINT_SECRET_KEY: 'canary-2',
    }),
  ).toBe(2)

  files('data', sets(set('data-a', 'env: { D: d }'), set('net-b', 'env: { B: b }')))
  expect(
    await says(
      'A set moves to the second repository: first command.',
      'data',
      'apply --auto-approve --adopt net-b',
    ),
  ).toBe(0)
  expect(await says('The first still declares it: left to the second.', 'network', 'apply')).toBe(0)
  files('network', sets(set('net-a', key('2'))))
  expect(
    await says('Second command: it lets go, and prunes nothing.', 'network', 'apply --auto-approve'),
  ).toBe(0)

  files('network', sets(set('net-core', 'previousNames: [net-a]', key('2'))))
  expect(await says('A rename keeps the id and the entry.', 'network', 'apply --auto-approve')).toBe(0)

  await changeLive('DELETE', 'setpoint-inventory-network', 'varsets/:set')
  expect(
    await says(
      'The inventory is lost: nothing is pruned, what is equal is taken in.',
      'network',
      'apply --auto-approve',
    ),
  ).toBe(0)

  files(
    'network',
    sets(set('net-core', key('2')), set('net-x', 'env: { X: x }'), set('net-y', 'env: { Y: y }')),
  )
  expect(await says('Two sets more.', 'network', 'apply --auto-approve')).toBe(0)
  files('network', sets(set('net-core', key('2')), set('net-x', 'env: { X: x }')))
  expect(await says('One leaves the files, and is pruned.', 'network', 'apply --auto-approve')).toBe(0)
  expect(await says('At the end the one is equal.', 'network', 'drift')).toBe(0)
  expect(await says('And so is the other.', 'data', 'drift')).toBe(0)

  const text = transcript.join('\n')
  expect(text).not.toContain('canary')
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(dirname(GOLDEN.pathname), { recursive: true })
    writeFileSync(GOLDEN, text)
  }
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'))
})
