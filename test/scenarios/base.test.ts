import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { aPlace, SEED } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

const git = (cwd: string, ...args: readonly string[]): void => {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.test',
    '-c',
    'commit.gpgsign=false',
  ]
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' })
}

const set = (region: string, level: string): string =>
  `variableSets:\n  aws:\n    env: { AWS_REGION: ${region}, LOG_LEVEL: ${level} }\n  old: {}\n`

interface Report {
  readonly facts: {
    readonly origins: readonly { readonly set: string; readonly items: Readonly<Record<string, string>> }[]
    readonly base?: { readonly ref: string; readonly loosened: readonly { readonly setting: string }[] }
  }
  readonly blocks: readonly { readonly code: string }[]
  readonly diagnostics: readonly { readonly code: string; readonly source?: { readonly path: string } }[]
}

async function planned(cwd: string, ...args: readonly string[]): Promise<Report> {
  const { stdout, stderr, code } = await run(['plan', '--sandbox', '--format', 'json', ...args], { cwd })
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Report
}

/** A branch with a merged change that is not applied, and with a change of its own. */
async function aTopic(): Promise<string> {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\nowner: team\nguards: { deletions: 20% }\n',
    'sets/aws.yaml': set('eu-west-1', 'info'),
  })
  git(cwd, 'init', '-q', '-b', 'main')
  writeFileSync(join(cwd, '.gitignore'), '.setpoint\n')
  git(cwd, 'add', '.')
  git(cwd, 'commit', '-qm', 'Begin')
  await run(['apply', '--sandbox', '--auto-approve'], { cwd })
  writeFileSync(join(cwd, 'sets/aws.yaml'), set('eu-west-1', 'debug'))
  git(cwd, 'commit', '-qam', 'Merged, and never applied')
  git(cwd, 'checkout', '-qb', 'topic')
  writeFileSync(
    join(cwd, 'sets/aws.yaml'),
    'variableSets:\n  aws:\n    env: { AWS_REGION: eu-north-1, LOG_LEVEL: debug }\n',
  )
  writeFileSync(join(cwd, 'setpoint.yaml'), 'organization: acme\nowner: team\nguards: { deletions: 90% }\n')
  git(cwd, 'commit', '-qam', 'Move to the north')
  return cwd
}

describe('plan --base', () => {
  test('resolves the names of the base by themselves: the files may not have them any more', async () => {
    const file = (workspace: string) => `variableSets:\n  a:\n    workspaces: [${workspace}]\n`
    const place = await aPlace({ 'sets/a.yaml': file('w150') }, { sets: [] })
    const workspaces = Array.from({ length: 200 }, (_, at) => ({ name: `w${at}` }))
    place.sandbox.restore({ ...SEED, workspaces, sets: [{ name: 'a', workspaces: ['w150'] }] })
    git(place.cwd, 'init', '-q')
    git(place.cwd, 'add', '.')
    git(place.cwd, 'commit', '-qm', 'Begin')
    place.write({ 'sets/a.yaml': file('w160') })
    const { code, stdout } = await place.setpoint(['plan', '--base', 'HEAD', '--only-this-change'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/w160\n.*- workspace {2}w150\n/)])
  })

  test('distinguishes this change from changes that were merged earlier and not applied', async () => {
    const { facts } = await planned(await aTopic(), '--base', 'main')
    expect(facts.origins[0]?.items).toEqual({
      'env/AWS_REGION': 'this-change',
      'env/LOG_LEVEL': 'not-applied',
    })
    expect(facts.base).toMatchObject({ ref: 'main', loosened: [{ setting: 'guards.deletions' }] })
  })

  test('warns about a set that was removed from the files, with its line in the base', async () => {
    const { diagnostics } = await planned(await aTopic(), '--base', 'main')
    expect(diagnostics).toMatchObject([{ code: 'left-behind', source: { path: 'main:sets/aws.yaml' } }])
  })

  test('does not change the working tree or the index, and leaves no temporary files', async () => {
    const cwd = await aTopic()
    // Other tests write bases to the default directory at the same time.
    const place = aDirectory()
    vi.stubEnv('TMPDIR', place)
    onTestFinished(() => void vi.unstubAllEnvs())
    await planned(cwd, '--base', 'main')
    expect(readdirSync(place)).toEqual([])
    expect(execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })).toBe('')
  })

  test('says what to do if the commit is unknown or the directory is no repository', async () => {
    const cwd = await aTopic()
    const unknown = await run(['plan', '--sandbox', '--base', 'origin/main'], { cwd })
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('git fetch --depth=1 origin main'),
    ])
    const alone = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': 'variableSets: {}\n' })
    const without = await run(['plan', '--sandbox', '--base', 'main'], { cwd: alone })
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('a repository around')])
  })

  test('does not pass a ref that looks like a flag to git as a flag', async () => {
    const { code, stderr } = await run(['plan', '--sandbox', '--base=-x'], {
      cwd: await aTopic(),
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('This clone has no commit')])
  })

  test('warns about an invalid base, and still plans', async () => {
    const other = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': 'variableSets: [\n' })
    git(other, 'init', '-q', '-b', 'main')
    git(other, 'add', '.')
    git(other, 'commit', '-qm', 'Broken')
    writeFileSync(join(other, 'sets/a.yaml'), 'variableSets: { a: {} }\n')
    const { code, stdout, stderr } = await run(['plan', '--sandbox', '--base', 'HEAD'], { cwd: other })
    expect([code, stderr]).toEqual([0, expect.stringContaining('broken-base')])
    expect(stdout).toContain('+ a')
  })

  test('warns about a base without Setpoint files, without naming its temporary directory', async () => {
    const first = aDirectory({ 'README.md': '' })
    git(first, 'init', '-q', '-b', 'main')
    git(first, 'add', '.')
    git(first, 'commit', '-qm', 'Empty')
    writeFileSync(join(first, 'setpoint.yaml'), 'organization: acme\n')
    mkdirSync(join(first, 'sets'))
    writeFileSync(join(first, 'sets/a.yaml'), 'variableSets: { a: {} }\n')
    const { code, stderr } = await run(['plan', '--sandbox', '--base', 'HEAD'], { cwd: first })
    expect(code).toBe(0)
    expect(stderr).toContain('The files of "HEAD" are not valid. There is no setpoint.yaml in its directory.')
  })
})

describe('apply --expect-no-drift', () => {
  test('applies if nothing was changed outside', async () => {
    const here = aDirectory({
      'setpoint.yaml': 'organization: acme\nowner: team\n',
      'sets/a.yaml': 'variableSets: { a: { env: { A: "1" } } }\n',
    })
    const first = await run(['apply', '--sandbox', '--auto-approve', '--expect-no-drift'], { cwd: here })
    writeFileSync(join(here, 'sets/a.yaml'), 'variableSets: { a: { env: { A: "2" } } }\n')
    const second = await run(['apply', '--sandbox', '--auto-approve', '--expect-no-drift'], { cwd: here })
    expect([first.code, second.code]).toEqual([0, 0])
  })

  test('refuses to apply after a change from outside, and writes nothing', async () => {
    const other = aDirectory({
      'setpoint.yaml': 'organization: acme\nowner: other\n',
      'sets/a.yaml': 'variableSets: { aws: { env: { AWS_REGION: eu-west-1 } } }\n',
    })
    const apply = ['apply', '--sandbox', '--auto-approve']
    await run(apply, { cwd: other })
    // The change from outside: a repository without an inventory, with the same service.
    const hand = aDirectory({
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': 'variableSets: { aws: { env: { AWS_REGION: outside } } }\n',
    })
    const env = { SETPOINT_SANDBOX_FILE: join(other, '.setpoint/sandbox') }
    await run([...apply, '--adopt', 'aws'], { cwd: hand, env })
    const refused = await run([...apply, '--expect-no-drift'], { cwd: other })
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('Changed outside Setpoint since the last apply: "aws"'),
    ])
    expect((await run(['drift', '--sandbox'], { cwd: other })).code).toBe(2)
  })

  test('requires an owner', async () => {
    const { code, stderr } = await run(['apply', '--sandbox', '--expect-no-drift', '--auto-approve'], {
      cwd: aDirectory({
        'setpoint.yaml': 'organization: acme\n',
        'sets/a.yaml': 'variableSets: { a: {} }\n',
      }),
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('requires an `owner`')])
  })
})

test('a branch behind its base is told how to compare with where it began, with the ref that was typed', async () => {
  const cwd = await aTopic()
  git(cwd, 'checkout', '-q', 'main')
  writeFileSync(join(cwd, 'sets/b.yaml'), 'variableSets: { later: { env: { L: 1 } } }\n')
  git(cwd, 'add', '.')
  git(cwd, 'commit', '-qm', 'Merged later')
  git(cwd, 'checkout', '-q', 'topic')
  const behind = async (base: string) => {
    const { code, stdout, stderr } = await run(['plan', '--sandbox', '--base', base], { cwd })
    expect(code).toBe(0)
    return /--base "\$\((git merge-base \S+ HEAD)\)"/.exec(stdout + stderr)?.[1]
  }
  const hint = await behind('main')
  expect(hint).toBe('git merge-base main HEAD')
  const began = execFileSync('sh', ['-c', hint ?? 'false'], { cwd, encoding: 'utf8' }).trim()
  expect(await behind(began)).toBeUndefined()
  // What a shell would read otherwise is not printed.
  git(cwd, 'branch', 'a$(date)', 'main')
  expect(await behind('a$(date)')).toBe('git merge-base origin/main HEAD')
})
