import { describe, expect, test } from 'vitest'
import { NO_FIELDS } from '../../src/model/fields.ts'
import type { Operation } from '../../src/plan/operation.ts'
import type { Step } from '../../src/plan/plan-data.ts'
import { notKept } from '../../src/run/closing.ts'
import { aPlace } from '../support/place.ts'
import { appliedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld } from '../support/world.ts'

const file = (priority: boolean) => `variableSets:\n  a:\n    priority: ${priority}\n    env: { A: 1 }\n`
const AUTO = ['apply', '--auto-approve']
const SENT = '"priority": true was sent, and it shows false.'

test.each([
  ['creates', undefined, 'applied, but the service does not keep all of it'],
  // The response to an update repeats what was sent.
  ['updates', false, 'partly applied'],
])(
  'an apply that %s a set says once which attribute the service does not keep, and what to write',
  async (_, old, exit) => {
    const place = await aPlace({ 'sets/a.yaml': file(old ?? true) }, { profile: { server: 'otf' } })
    if (old !== undefined) {
      expect(await place.setpoint(AUTO)).toMatchObject({ code: 0 })
      place.write({ 'sets/a.yaml': file(true) })
    }
    const { code, stdout } = await place.setpoint(AUTO)
    expect(code).toBe(3)
    expect(stdout.replace(/\s+/g, ' ').split(SENT)).toHaveLength(2)
    expect(stdout).toContain(
      'Next: correct sets/a.yaml:2, then review what is left, then apply it: setpoint plan',
    )
    expect(stdout).toContain(`exit 3: ${exit}\n`)
    expect(stdout).not.toMatch(/run the same apply again|still to do|differs again/)
    place.write({ 'sets/a.yaml': file(false) })
    expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0 })
  },
)

test('an attribute that the response to an update shows otherwise is certainly not kept', async () => {
  const world = await aWorld([{ name: 'a' }], {
    between: next => (request, signal) =>
      next({ ...request, body: request.body?.replace('"priority":true', '"priority":false') }, signal),
  })
  const { results, exitCode } = await appliedIn(world, aDesiredState(aSet('a', { priority: true })))
  expect([exitCode, results.map(({ outcome }) => outcome)]).toEqual([
    3,
    [
      {
        status: 'succeeded',
        note: `the service does not keep ${SENT.replace(/\.$/, '')}. Write priority: false`,
      },
    ],
  ])
})

describe('with an inventory, what the service does not keep is said once and remembered', () => {
  const WARNING = `  warning  sets/a.yaml:2:3  stored-otherwise
      The service does not keep "priority" of "a": true was sent, and it shows false.
      Write priority: false. Until then, each plan says so.
`

  const SAID = { code: 0, stdout: expect.stringContaining(WARNING) }

  test.each([
    ['created with it', undefined],
    ['given it later', false],
  ])('a set that is %s is no drift, and other changes of it end with 0', async (_, old) => {
    const owned = { 'setpoint.yaml': 'organization: acme\nowner: us\n', 'sets/a.yaml': file(old ?? true) }
    const place = await aPlace(owned, { profile: { server: 'otf' } })
    if (old !== undefined) {
      expect(await place.setpoint(AUTO)).toMatchObject({ code: 0 })
      place.write({ 'sets/a.yaml': file(true) })
    }
    expect(await place.setpoint(AUTO)).toMatchObject({ code: 3 })
    expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject(SAID)
    expect(await place.setpoint(['drift'])).toMatchObject(SAID)
    place.write({ 'sets/a.yaml': file(true).replace('A: 1', 'A: 2') })
    expect(await place.setpoint(AUTO)).toMatchObject({ code: 0 })
    place.write({
      'sets/a.yaml': file(true).replace('A: 1', 'A: 2').replace('  env', '  description: d\n    env'),
    })
    expect(await place.setpoint(AUTO)).toMatchObject({ code: 0 })
    expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject(SAID)
    place.write({ 'sets/a.yaml': file(false) })
    expect(await place.setpoint(AUTO)).toMatchObject({ code: 0 })
    expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('stored-otherwise'),
    })
  })

  test('also in a plan from a snapshot', async () => {
    const owned = { 'setpoint.yaml': 'organization: acme\nowner: us\n', 'sets/a.yaml': file(true) }
    const place = await aPlace(owned, { profile: { server: 'otf' } })
    await place.setpoint(AUTO)
    expect(await place.setpoint(['snapshot', '--out', 'snapshot.json'])).toMatchObject({ code: 0 })
    const offline = await place.setpoint(['plan', '--snapshot', 'snapshot.json', '--detailed-exitcode'])
    expect(offline).toMatchObject(SAID)
  })

  test('on a server that keeps it, somebody who takes it away is drift', async () => {
    const owned = { 'setpoint.yaml': 'organization: acme\nowner: us\n', 'sets/a.yaml': file(true) }
    const place = await aPlace(owned)
    expect(await place.setpoint(AUTO)).toMatchObject({ code: 0 })
    const { sets = [], ...rest } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...rest, sets: sets.map(set => ({ ...set, priority: false })) })
    expect(await place.setpoint(['drift'])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('changed outside'),
    })
  })
})

describe('an attribute counts as not kept', () => {
  const subject = { kind: 'variable-set', name: 'a', id: 'varset-1' } as const
  const settings = { name: 'a', description: 'new', global: false, priority: false }
  const update = (before: string, after: string): Operation => ({
    type: 'update-set',
    subject,
    before: { ...settings, description: before },
    after: { ...settings, description: after },
  })
  const variable = (before: string, after: string): Operation => ({
    type: 'update-variable',
    subject,
    variableId: 'var-1',
    before: { key: 'env/A', value: { text: '1' }, ...NO_FIELDS, description: before },
    after: { key: 'env/A', value: { text: '1' }, ...NO_FIELDS, description: after },
  })
  const asked = (operation: Operation): readonly Step[] => [{ id: 'again', after: [], operation }]

  test.each([
    ['the service shows what it had before', update('old', 'new'), update('old', 'new'), true],
    ['not if it shows what somebody else wrote', update('old', 'new'), update('theirs', 'new'), false],
    ['not if the set needs another change', update('old', 'new'), update('new', 'newer'), false],
    ['also of a variable', variable('old', 'new'), variable('old', 'new'), true],
    ['not if somebody else wrote the variable', variable('old', 'new'), variable('theirs', 'new'), false],
  ])('if %s', (_, sent, again, is) => {
    expect(notKept(sent, asked(again), undefined)).toEqual(
      is
        ? {
            sentence:
              'the service reported success and may not keep "description": "new" was sent, and it shows "old". If the next plan shows the change again, write description: "old"',
            isCertain: false,
            steps: ['again'],
            ...(sent.type === 'update-set' && { settings: { description: 'old' } }),
          }
        : undefined,
    )
  })
})
