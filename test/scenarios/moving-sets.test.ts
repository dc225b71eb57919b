import { expect, test } from 'vitest'
import { aPlace, type Place, writeFiles } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

const config = (owner: string, more = '') => ({
  'setpoint.yaml': `organization: acme\nowner: ${owner}\n${more}`,
})
const sets = (...names: readonly string[]) => ({
  'sets/a.yaml': `variableSets: { ${names.map(name => `${name}: { env: { A: ${name} } }`).join(', ')} }\n`,
})

const setsIn = (place: Place): string[] =>
  place.live().filter(line => !line.startsWith('setpoint-inventory-'))

/** Two repositories of one organization. The old one prunes, and lists the sets that both declare. */
async function twoRepositories() {
  const old = await aPlace({ ...config('old', 'prune: true\n'), ...sets('stays', 'moves') })
  expect((await old.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  const cwd = aDirectory({ ...config('new'), ...sets('moves') })
  const fresh: Pick<Place, 'setpoint' | 'write'> = {
    setpoint: (argv, other = {}) => run(argv, { cwd, ...other, env: { ...old.env, ...other.env } }),
    write: files => writeFiles(cwd, files),
  }
  return { old, fresh }
}

test('a set moves to another repository, and the pipelines of both succeed at each step', async () => {
  const { old, fresh } = await twoRepositories()
  expect((await fresh.setpoint(['plan', '--adopt', 'moves'])).code).toBe(0)
  expect((await fresh.setpoint(['apply', '--auto-approve', '--adopt', 'moves'])).code).toBe(0)
  // The new owner changes the set, while the old repository still declares it.
  fresh.write({ 'sets/a.yaml': 'variableSets: { moves: { env: { A: changed } } }\n' })
  expect((await fresh.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  for (const argv of [['plan', '--detailed-exitcode'], ['drift'], ['apply', '--auto-approve']]) {
    const { code, stdout, stderr } = await old.setpoint(argv)
    expect([argv[0], code]).toEqual([argv[0], 0])
    expect(stdout + stderr).toMatch(/^ {2}warning {2}\S+ {2}moved-to-another$/m)
    expect(stdout + stderr).toContain('"moves" moved to "new", and this run does not change it.')
  }
  expect(setsIn(old)).toEqual(['moves  env/A=changed', 'stays  env/A=stays'])
  old.write(sets('stays'))
  const release = await old.setpoint(['apply', '--auto-approve'])
  expect(release.code).toBe(0)
  expect(release.stdout + release.stderr).not.toContain('moves')
  expect(setsIn(old)).toEqual(['moves  env/A=changed', 'stays  env/A=stays'])
  for (const repository of [old, fresh])
    expect((await repository.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
})

test('a set of another owner is refused, and one that moved can be adopted again', async () => {
  const { old, fresh } = await twoRepositories()
  await fresh.setpoint(['apply', '--auto-approve', '--adopt', 'moves'])
  fresh.write(sets('moves', 'theirs'))
  await fresh.setpoint(['apply', '--auto-approve'])
  old.write(sets('stays', 'moves', 'theirs'))
  const { code, stderr } = await old.setpoint(['plan'])
  expect(code).toBe(1)
  expect(stderr).toContain('error owned-by-another\n  "theirs" is owned by "new".')
  expect(stderr).not.toContain("--adopt '*'")
  old.write(sets('stays', 'moves'))
  expect((await old.setpoint(['apply', '--auto-approve', '--adopt', 'moves'])).code).toBe(0)
  expect((await old.setpoint(['plan'])).stdout).toContain('No changes. 2 sets equal.')
  fresh.write(sets('theirs'))
  expect((await fresh.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
})

test('a repository that gets another owner is told to take all of its sets', async () => {
  const { old } = await twoRepositories()
  old.write(sets('stays', 'moves'))
  expect((await old.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  old.write({ 'setpoint.yaml': 'organization: acme\nowner: renamed\n' })
  const { code, stderr } = await old.setpoint(['plan'])
  expect([code, stderr.match(/error owned-by-another/g)]).toEqual([1, expect.objectContaining({ length: 2 })])
  expect(stderr).toContain(
    `If "old" was the owner of this repository: setpoint apply --adopt '*' takes all 2 sets.`,
  )
  expect((await old.setpoint(['apply', '--auto-approve', '--adopt', '*'])).code).toBe(0)
  expect((await old.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
})

test('a saved plan of another owner is refused, and the error names both owners', async () => {
  const { old, fresh } = await twoRepositories()
  old.write(sets('stays', 'moves', 'more'))
  await old.setpoint(['plan', '--out', 'plan.json'])
  const { code, stderr } = await fresh.setpoint(['apply', `${old.cwd}/plan.json`, '--adopt', 'moves'])
  expect(code).toBe(4)
  expect(stderr).toContain('The reviewed plan has the owner "old", but these files have the owner "new".')
})

test('the printed --adopt command quotes the name of the set for a shell', async () => {
  const { old, fresh } = await twoRepositories()
  const named = { 'sets/a.yaml': 'variableSets: { "a $(id) it\'s": { env: { A: x } } }\n' }
  old.write(named)
  await old.setpoint(['apply', '--auto-approve'])
  fresh.write(named)
  const { stderr } = await fresh.setpoint(['plan'])
  expect(stderr).toContain(
    "To take it over, before you remove it from their files: setpoint apply --adopt 'a $(id) it'\\''s'",
  )
})
