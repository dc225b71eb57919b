import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aPlace } from '../support/place.ts'
import { rawServer } from '../support/raw-server.ts'

const FILES = { 'sets/a.yaml': 'variableSets:\n  aws:\n    env:\n      AWS_REGION: eu-west-1\n' }

test('a plan reads the list of sets once, although the request starts while files are read', async () => {
  const place = await aPlace(FILES)
  const { code, stdout } = await place.setpoint(['plan', '--format', 'json'])
  expect([code, JSON.parse(stdout).requests.reads]).toEqual([0, 1])
})

test('the list of sets is requested before all set files are read', async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `s${String(at).padStart(4, '0')}`)
  const files = names.map(name => [`sets/${name}.yaml`, `variableSets: { ${name}: { env: { A: b } } }\n`])
  const place = await aPlace(Object.fromEntries(files))
  // The first request damages the last file, which only a run that has not read it yet notices.
  const server = await rawServer(socket => {
    writeFileSync(join(place.cwd, 'sets/s1999.yaml'), 'variableSets: { late: { evn: {} } }\n')
    socket.destroy()
  })
  onTestFinished(server.close)
  const { code, stderr } = await place.setpoint(['plan', '--address', server.url])
  expect([code, stderr.split('\n')[0]]).toEqual([
    1,
    expect.stringMatching(/^sets\/s1999\.yaml.* unknown-key/),
  ])
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
