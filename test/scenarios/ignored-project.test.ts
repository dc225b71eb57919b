import { expect, test } from 'vitest'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'

const FILES = {
  'sets/a.yaml':
    'variableSets:\n  a:\n    project: p\n    workspaces: [w]\n    env: { A: 1, S: { secret: S } }\n',
}
const SECRET = { SETPOINT_SECRET_S: 'only-for-this-test' }

/**
 * A server that makes every set one of the organization, and shows so at once or not at all. `isEmpty`: it makes it without variables and
 * assignments, too.
 */
async function ignoring(shows: boolean, isEmpty = true) {
  const place = await aPlace(FILES)
  const transport: Transport = async (request, signal) => {
    if (request.method !== 'POST' || !request.path.endsWith('/varsets') || request.body === undefined)
      return await place.sandbox.transport(request, signal)
    const sent = JSON.parse(request.body)
    if (isEmpty) sent.data.relationships = {}
    else delete sent.data.relationships.parent
    const made = await place.sandbox.transport({ ...request, body: JSON.stringify(sent) }, signal)
    const answer = JSON.parse(made.body)
    if (!shows) delete answer.data.relationships.parent
    return { ...made, body: JSON.stringify(answer) }
  }
  const setpoint = (...argv: readonly string[]) => place.setpoint(argv, { env: SECRET, io: { transport } })
  return { ...place, setpoint }
}

test.each([
  ['the response', true],
  ['a read of the set', false],
])(
  'a server that shows another owner than was sent, in %s, gets nothing more of the set',
  async (_, shows) => {
    const place = await ignoring(shows)
    const { code, stdout } = await place.setpoint('apply', '--auto-approve')
    expect([code, place.live()]).toEqual([3, ['a']])
    const [id] = place.sandbox.snapshot().sets?.map(one => one.id) ?? []
    const [, project] = /not the (project prj-\w+)/.exec(stdout) ?? []
    expect(stdout).toContain(
      `the set was created, but not completely: the service shows that the organization owns it and not the ${project}, so nothing more was sent; to accept that owner, remove "project" from the set; otherwise, delete ${id} in the service`,
    )
    expect(stdout).toContain(
      'Next: correct sets/a.yaml:2, then review what is left, then apply it: setpoint plan',
    )
    // The remedy.
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('    project: p\n', '') })
    expect((await place.setpoint('apply', '--auto-approve')).code).toBe(0)
    expect(place.live()).toEqual(['a  env/A=1 env/S=(only-for-this-test)  -> w'])
  },
)

test.each([
  ['and the response says so', true, true],
  ['and the response says nothing of it', false, false],
])(
  'an owner that was ignored is what the apply says, %s, and not that the closing read failed',
  async (_, shows, isEmpty) => {
    const place = await ignoring(shows, isEmpty)
    const { code, stdout } = await place.setpoint('apply', '--auto-approve')
    expect(code).toBe(3)
    expect(stdout).not.toContain('closing read failed')
    expect(stdout).toMatch(
      /\nNothing is verified: "a" is a set of the project "p" in the file, but varset-\w+ is a set of the organization, and the service cannot move a set\./,
    )
    // The same apply would only fail, so the plan that names the ways out comes first.
    expect(stdout).toMatch(/\nNext: .*review what is left, then apply it: setpoint plan\n/)
    const { code: planned, stderr } = await place.setpoint('plan')
    expect([planned, stderr]).toEqual([1, expect.stringContaining('remove `project`')])
  },
)
