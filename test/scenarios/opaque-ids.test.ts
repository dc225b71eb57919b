import { expect, test } from 'vitest'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace, ONE, SEED } from '../support/place.ts'

const UUID = '3f2b1c9e-1d2f-4a5b-9c8d-7e6f5a4b3c2d'
const W = `ws-${UUID}` as const
const SEEDED = {
  ...SEED,
  workspaces: [
    { name: 'w', id: W },
    { name: 'ws-team_a', id: `ws-${'a'.repeat(16)}` as const },
  ],
  projects: [{ name: 'p', id: `prj-${UUID}` as const }],
}

async function aService(files: string) {
  const place = await aPlace({ 'sets/a.yaml': files })
  place.sandbox.restore(SEEDED)
  return place
}

const file = (workspaces: string, more = ''): string =>
  `variableSets:\n  a:\n    workspaces: [${workspaces}]\n    env: { A: 1 }\n${more}`

test('ids with hyphens are assigned, exported and planned, and a name with the form of an id is a name', async () => {
  const place = await aService(file(`${W}, ws-team_a`, `    projects: [prj-${UUID}]\n`))
  expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({ code: 0, stderr: '' })
  expect(place.live()).toEqual(['a  env/A=1  -> project p, w, ws-team_a'])
  expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = await place.setpoint(['export'])
  expect(stdout).toContain('    workspaces:\n      - w\n      - { name: ws-team_a }\n')
  const [id = ''] = place.sandbox.snapshot().sets?.map(set => set.id ?? '') ?? []
  expect(await place.setpoint(['explain', W])).toMatchObject({ code: 0 })
  place.write({ 'sets/a.yaml': `removed: [${id}]\n` })
  expect((await place.setpoint(['plan'])).stdout).toContain('- a')
})

test('a text with the form of an id that is neither is an error that names it', async () => {
  const place = await aService(file('ws-team_b'))
  const { code, stderr } = await place.setpoint(['plan'])
  expect([code, stderr]).toEqual([
    1,
    `sets/a.yaml:3:18  error unknown-id
  The service shows no workspace ws-team_b to this token.
  Correct the id or remove it. If the workspace exists, give the token access to it.
`,
  ])
})

test.each([
  ['a set', '"type":"varsets"', 'data[0].id is "varset.1"', 'varset.1'],
  ['a variable', '"type":"vars"', 'data[0].relationships.vars.data[0].id is "var.1"', 'var.1'],
])('an id of %s in another form is refused with its text, before any write', async (_, type, said, id) => {
  const place = await aPlace(ONE, {
    sets: [{ name: 'b', variables: [{ key: 'B', value: '1', category: 'env' }] }],
  })
  const writes: string[] = []
  const transport: Transport = async (request, signal) => {
    if (request.method !== 'GET') writes.push(request.path)
    const response = await place.sandbox.transport(request, signal)
    const form = new RegExp(`"id":"[^"]*"(?=,${type})|(?<=${type},)"id":"[^"]*"`, 'g')
    return { ...response, body: response.body.replace(form, `"id":"${id}"`) }
  }
  const { code, stderr } = await place.setpoint(['apply', '--auto-approve'], { io: { transport } })
  expect([code, writes]).toEqual([1, []])
  expect(stderr).toContain(
    `GET /api/v2/organizations/acme/varsets: unexpected response: ${said} and not an id of this type: its prefix, "-", and letters, digits, "_" or "-".`,
  )
})
