import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace, ONE } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\nprune: true\n',
  ...ONE,
  'sets/more/b.yaml': 'variableSets: { b: { env: { B: 1 } } }\n',
}

const HINT =
  'Remove it and name its files where they are, such as `sets: [sets/**/*.yaml, shared/**/*.yaml]`, or write a narrower pattern.'

describe('a directory with sets that becomes a link', () => {
  test.each([
    ['to the same files', '../shared'],
    ['to another directory', '../empty'],
    ['to nothing', 'nowhere'],
  ])('%s: no command takes its sets for deleted', async (_, target) => {
    const place = await aPlace(FILES)
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    const live = place.live()
    renameSync(join(place.cwd, 'sets/more'), join(place.cwd, 'shared'))
    mkdirSync(join(place.cwd, 'empty'))
    symlinkSync(target, join(place.cwd, 'sets/more'))
    for (const command of [
      ['validate'],
      ['plan'],
      ['apply', '--auto-approve'],
      ['drift'],
      ['export', '--update', 'a'],
    ]) {
      const { code, stdout, stderr } = await place.setpoint(command)
      expect([command, code, stdout + stderr]).toEqual([
        command,
        1,
        expect.stringContaining(
          `setpoint.yaml:1:1  error outside-repository\n  "sets/more" is a link, and links to directories are not followed.\n  ${HINT}\n`,
        ),
      ])
    }
    expect(place.live()).toEqual(live)
    // As the hint says.
    rmSync(join(place.cwd, 'sets/more'))
    place.write({ 'setpoint.yaml': `${FILES['setpoint.yaml']}sets: [sets/**/*.yaml, shared/**/*.yaml]\n` })
    const { code, stdout } = await place.setpoint(['plan'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('No changes.')])
  })
})

test('configurations behind a link are an error, not a part of the run that is missing', async () => {
  const place = await aPlace({
    'orgs/one/setpoint.yaml': 'organization: acme\n',
    'orgs/one/sets/a.yaml': ONE['sets/a.yaml'],
  })
  symlinkSync(join(place.cwd, 'orgs/one'), join(place.cwd, 'orgs/two'))
  const { code, stderr } = await place.setpoint(['validate', '--config', 'orgs/*/setpoint.yaml'])
  expect([code, stderr]).toEqual([
    1,
    'error outside-repository\n  "orgs/two" is a link, and links to directories are not followed.\n  Write a narrower pattern.\n',
  ])
  expect((await place.setpoint(['validate', '--config', 'orgs/o*/setpoint.yaml'])).code).toBe(0)
})

test('rules behind a link are an error, in a repository and in a directory of --rules', async () => {
  const place = await aPlace(ONE)
  const rules = aDirectory({
    'a.yaml': 'rules: { a: { for: plan, require: "true", message: m, level: warn } }\n',
  })
  mkdirSync(join(place.cwd, 'rules'))
  symlinkSync(rules, join(place.cwd, 'rules/team'))
  const own = await place.setpoint(['validate'])
  expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('rules/team:1:1  error no-rules')])
  rmSync(join(place.cwd, 'rules/team'))
  symlinkSync('.', join(rules, 'team'))
  const passed = await place.setpoint(['validate', '--rules', rules])
  expect([passed.code, passed.stderr]).toEqual([
    1,
    expect.stringContaining(`${rules}/team:1:1  error no-rules`),
  ])
})
