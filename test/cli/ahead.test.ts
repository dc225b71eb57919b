import { expect, test } from 'vitest'
import { aPlace } from './place.ts'

const FILES = { 'sets/a.yaml': 'variableSets:\n  aws:\n    env:\n      AWS_REGION: eu-west-1\n' }

test('a plan reads the list once, although it began while files were read', async () => {
  const place = await aPlace(FILES)
  const { code, stdout } = await place.setpoint(['plan', '--format', 'json'])
  expect([code, JSON.parse(stdout).requests.reads]).toEqual([0, 1])
})

test('of files with a mistake nothing is said but the mistake, whatever the service answered', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets:\n  aws:\n    evn: {}\n' })
  const { code, stdout, stderr } = await place.setpoint(['plan'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.split('\n')[0]).toMatch(/^sets\/a\.yaml:3:5\s+error\s+unknown-key/)
  expect(stderr).not.toMatch(/service-failure|varsets/)
})

test('a service that cannot be reached is told after the files are known to be right', async () => {
  const place = await aPlace(FILES)
  const { code, stderr } = await place.setpoint(['plan', '--address', 'http://127.0.0.1:9'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/service-failure/)
})
