import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { inDirectory } from './load-text.ts'

test('the organization is reported before a set file is read, and once', async () => {
  const files = { 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': 'variableSets: { a: {} }\n' }
  await inDirectory(files, async directory => {
    const reported: string[] = []
    const onOrganization = (organization: string) => {
      reported.push(organization)
      writeFileSync(join(directory, 'sets/a.yaml'), 'variableSets: { b: {} }\n')
    }
    const { value } = await loadDesired({ directory, onOrganization })
    expect([reported, value?.sets.map(({ name }) => name)]).toEqual([['acme'], ['b']])
  })
})

test.each(['organization: acme\nonwer: x\n', 'owner: x\n', ''])(
  'the organization is not reported if the configuration has a mistake: %j',
  async text => {
    await inDirectory({ 'setpoint.yaml': text, 'sets/a.yaml': 'variableSets: {}\n' }, async directory => {
      let reported = 0
      await loadDesired({ directory, onOrganization: () => reported++ })
      expect(reported).toBe(0)
    })
  },
)

test('the event loop gets a turn between large files', async () => {
  const large = `variableSets:\n  SET:\n    env:\n${Array.from({ length: 20_000 }, (_, index) => `      K${index}: value\n`).join('')}`
  const files = Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`sets/${index}.yaml`, large.replace('SET', `s${index}`)]),
  )
  await inDirectory({ 'setpoint.yaml': 'organization: acme\n', ...files }, async directory => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const { value } = await loadDesired({ directory })
    isDone = true
    expect(value?.sets.length).toBe(5)
    expect(turns).toBeGreaterThan(3)
  })
})
