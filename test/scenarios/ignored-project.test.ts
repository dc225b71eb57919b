import { expect, test } from 'vitest'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'

const FILES = {
  'sets/a.yaml':
    'variableSets:\n  a:\n    project: p\n    workspaces: [w]\n    env: { A: 1, S: { secret: S } }\n',
}
const SECRET = { SETPOINT_SECRET_S: 'only-for-this-test' }

/** A server that makes every set an empty one of the organization, and shows so at once or not at all. */
async function ignoring(shows: boolean) {
  const place = await aPlace(FILES)
  const transport: Transport = async (request, signal) => {
    if (request.method !== 'POST' || !request.path.endsWith('/varsets') || request.body === undefined)
      return await place.sandbox.transport(request, signal)
    const sent = JSON.parse(request.body)
    sent.data.relationships = {}
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
      `the set was created, but not completely: the service shows that the organization owns it and not the ${project}, so nothing more was sent; to keep it so, remove "project" from the set, or delete ${id} in the service`,
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
