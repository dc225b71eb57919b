import { expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'

const FILES = { 'sets/a.yaml': 'variableSets:\n  aws:\n    env:\n      AWS_REGION: eu-west-1\n' }

test('a plan reads the list of sets once, and of an organization without sets whether it exists', async () => {
  const place = await aPlace(FILES)
  const { code, stdout } = await place.setpoint(['plan', '--format', 'json'])
  expect([code, JSON.parse(stdout).requests.reads]).toEqual([0, 2])
})

test('a mistake in a file is the only error that is reported, whatever the service answers', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets:\n  aws:\n    evn: {}\n' })
  const { code, stdout, stderr } = await place.setpoint(['plan'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.split('\n')[0]).toMatch(/^sets\/a\.yaml:3:5\s+error\s+unknown-key/)
  expect(stderr).not.toMatch(/service-failure|varsets/)
})

test('an unreachable service is reported once the files are valid', async () => {
  const place = await aPlace(FILES)
  const { code, stderr } = await place.setpoint(['plan', '--address', 'http://127.0.0.1:9'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/service-failure/)
})
