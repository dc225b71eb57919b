import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FOR_PEOPLE } from '../support/formats.ts'
import { aPlace, type Place, TO_FINISH } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'
import { aPlaceWithSecrets, SECRETS as CANARY_SECRETS } from '../support/secretive-place.ts'

const SETS = `variableSets:
  shared:
    global: true
    env: { LOG: info }
  prod-db:
    workspaces: [w]
    env:
      REGION: eu-west-1
      TOKEN: { secret: TOKEN }
`

const rule = (level: string, others = ''): string => `rules:
  no-global:
    for: set
    when: set.action == "create"
    require: '!set.global'
    message: A new global set needs approval.
    level: ${level}
${others}`

const aRepository = (level: string, others = ''): Promise<Place> =>
  aPlace({ 'sets/a.yaml': SETS, 'rules/a.yaml': rule(level, others) })

const SECRETS = { env: { SETPOINT_SECRET_TOKEN: 'correct-horse-battery' } }

const reportOf = async (place: Place, ...args: readonly string[]) => {
  const { stdout, code, stderr } = await place.setpoint(['plan', '--format', 'json', ...args])
  if (stdout === '') throw new Error(stderr)
  return { code, report: JSON.parse(stdout) }
}

const HIT = {
  rule: 'no-global',
  message: 'A new global set needs approval.',
  item: { kind: 'set', set: 'shared' },
  source: { path: 'rules/a.yaml', line: 2, column: 3 },
  at: { path: 'sets/a.yaml', line: 2, column: 3 },
}

describe('a rule of the level warn', () => {
  test('is reported under *Review first* and as a warning, and changes neither digest nor exit code', async () => {
    const place = await aRepository('warn')
    const { code, report } = await reportOf(place, '--detailed-exitcode')
    expect([code, report.blocked, report.hits]).toEqual([2, false, [{ ...HIT, level: 'warn' }]])
    expect(report.diagnostics).toEqual([
      {
        severity: 'warning',
        code: 'rule-violated',
        message: '"shared" violates the rule no-global: A new global set needs approval.',
        hint: 'It is declared at sets/a.yaml:2.',
        source: HIT.source,
      },
    ])
    rmSync(join(place.cwd, 'rules'), { recursive: true })
    expect((await reportOf(place)).report.digest).toBe(report.digest)
  })

  test.each(FOR_PEOPLE)('is reported once in %s, with id and message', async format => {
    const { stdout } = await (await aRepository('warn')).setpoint(['plan', '--format', format])
    const plain = stdout.replace(/<[^>]*>|[`*\\]/g, '')
    expect(plain.split('no-global')).toHaveLength(2)
    expect(plain).toContain('A new global set needs approval.')
  })
})

describe('a rule of the level block', () => {
  test('blocks like a guard: only the digest of exactly this plan passes', async () => {
    const place = await aRepository('block')
    const { code, report } = await reportOf(place, '--detailed-exitcode')
    expect([code, report.blocked]).toEqual([4, true])
    expect(report.blocks).toEqual([
      {
        code: 'violates-rule',
        message: '"shared" violates the rule no-global: A new global set needs approval.',
        item: { kind: 'set', set: 'shared' },
        rule: 'no-global',
        source: HIT.source,
      },
    ])
    const refused = await place.setpoint(['apply', '--auto-approve'], SECRETS)
    expect([refused.code, place.live()]).toEqual([4, []])
    expect(refused.stderr).toContain('violates the rule no-global')
    const { stdout } = await place.setpoint(['plan'])
    const command = stdout.split('\n').find(line => line.startsWith('BLOCKED')) ?? ''
    expect(command).toContain(`setpoint apply --approve ${report.digest}`)
    const applied = await place.setpoint(['apply', '--approve', report.digest], SECRETS)
    expect([applied.code, applied.stderr.replace(TO_FINISH, '')]).toEqual([0, ''])
  })

  test('an approval is invalid if another hit appears or the rule changes', async () => {
    const place = await aRepository('block')
    const { digest } = (await reportOf(place)).report
    const digests = [digest]
    for (const text of [
      rule(
        'block',
        "  no-log:\n    for: variable\n    require: variable.key != 'LOG'\n    message: No.\n    level: block\n",
      ),
      rule('block').replace('needs approval', 'is fine'),
      rule('block').replaceAll('no-global', 'global'),
    ]) {
      place.write({ 'rules/a.yaml': text })
      digests.push((await reportOf(place)).report.digest)
      const { code, stderr } = await place.setpoint(['apply', '--approve', digest], SECRETS)
      expect([code, place.live()]).toEqual([4, []])
      expect(stderr).toContain('The approval is for')
    }
    expect(new Set(digests).size).toBe(4)
  })

  test('a saved plan that the rule blocks is not applied by a run without the rule', async () => {
    const rules = aDirectory({ 'policy.yaml': rule('block') })
    const place = await aPlace({ 'sets/a.yaml': SETS })
    await place.setpoint(['plan', '--rules', rules, '--out', 'plan.json'])
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], SECRETS)
    expect([code, place.live()]).toEqual([4, []])
    expect(stderr).toContain('The plan in "plan.json" is blocked: "shared" violates the rule no-global')
    const [, digest = ''] = /--approve ([0-9a-f]{64})$/m.exec(stderr) ?? []
    expect((await place.setpoint(['apply', 'plan.json', '--approve', digest], SECRETS)).code).toBe(0)
  })

  test('does not block a plan without changes, but is reported', async () => {
    const place = await aPlace({ 'sets/a.yaml': SETS })
    await place.setpoint(['apply', '--auto-approve'], SECRETS)
    place.write({ 'rules/a.yaml': rule('block').replace(/when: .*/, 'when: "true"') })
    const { code, report } = await reportOf(place, '--detailed-exitcode')
    expect([code, report.blocked, report.blocks, report.hits.length]).toEqual([0, false, [], 1])
    expect(report.diagnostics).toMatchObject([{ severity: 'warning', code: 'rule-violated' }])
    const { stdout } = await place.setpoint(['apply', '--auto-approve'])
    expect(stdout).toContain('rule  shared  violates the rule no-global')
    expect(stdout).not.toContain('BLOCKED')
  })

  test('a plan that was saved before the rule existed is blocked', async () => {
    const place = await aRepository('warn')
    await place.setpoint(['plan', '--out', 'plan.json'])
    place.write({ 'rules/a.yaml': rule('block') })
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], SECRETS)
    expect([code, place.live()]).toEqual([4, []])
    expect(stderr).toContain('violates the rule no-global')
  })

  test('a saved plan contains its hits, and removing them makes it an edited plan', async () => {
    const place = await aRepository('block')
    await place.setpoint(['plan', '--out', 'plan.json'])
    expect((await place.setpoint(['show', 'plan.json'])).stdout).toContain('violates the rule no-global')
    const {
      hits: _,
      checksum: __,
      ...others
    } = JSON.parse(readFileSync(join(place.cwd, 'plan.json'), 'utf8'))
    const { parseSavedPlan, savedPlan } = await import('../../src/plan/reviewed-plan.ts')
    expect(parseSavedPlan(savedPlan(others), (_one): _one is never => true)).toBe('edited')
  })
})

describe('a rule of the level error', () => {
  test('forbids the plan: it is shown without a digest, and no approval passes it', async () => {
    const place = await aRepository('block')
    const { digest } = (await reportOf(place)).report
    place.write({ 'rules/a.yaml': rule('error') })
    const { code, report } = await reportOf(place, '--detailed-exitcode', '--out', 'plan.json')
    expect([code, report.digest, report.steps.length]).toEqual([1, undefined, 2])
    const { stdout, stderr } = await place.setpoint(['plan', '--out', 'plan.json'])
    expect(stdout).toContain('forbidden  shared         violates the rule no-global')
    expect(stdout).toContain('FORBIDDEN   Nobody can approve this plan: change the files, or the rules.')
    expect(stderr).toContain('Rules forbid this plan. It has no digest, and is not saved.')
    for (const argv of [['--auto-approve'], ['--approve', digest], ['plan.json']]) {
      const ran = await place.setpoint(['apply', ...argv], SECRETS)
      expect([ran.code, place.live()]).toEqual([1, []])
    }
  })

  test.each(FOR_PEOPLE)('%s does not offer to approve the plan', async format => {
    const { stdout } = await (await aRepository('error')).setpoint(['plan', '--format', format])
    expect(stdout).toMatch(/forbidden/i)
    expect(stdout).not.toContain('--approve')
  })
})

test('a rule that cannot be evaluated is an error and not ignored', async () => {
  const place = await aRepository(
    'warn',
    '  version:\n    for: variable\n    require: variable.version != ""\n    message: No.\n    level: warn\n',
  )
  const { code, report } = await reportOf(place)
  expect([code, report.digest]).toEqual([1, undefined])
  expect(report.diagnostics).toContainEqual({
    severity: 'error',
    code: 'rule-failed',
    message: 'The rule "version" cannot be evaluated. This Variable has no "version", at `variable.version`.',
    hint: 'It may be absent. Check first: `has(….version) && …`.',
    source: { path: 'rules/a.yaml', line: 10, column: 14 },
  })
  expect(report.review[0]).toMatchObject({ kind: 'forbidden' })
})

describe('mistakes in rules', () => {
  const WRONG = rule('warn').replace('set.action', 'set.actoin')
  const REPORTED = `rules/a.yaml:4:11  error rule-expression
  A Set has no field "actoin", at \`set.actoin\`.
  Did you mean "action"? Its fields: name, action, description, global, priority, projectOwned, project, workspaces, projects, stacks, count, variables, deleted, before.
`

  test.each([['plan'], ['apply'], ['validate']])(
    'are reported by %s with their line, before the service is read',
    async command => {
      const place = await aPlace({ 'sets/a.yaml': SETS, 'rules/a.yaml': WRONG })
      expect(await place.setpoint([command])).toMatchObject({ code: 1, stderr: REPORTED, stdout: '' })
    },
  )

  test('are reported together with mistakes in sets', async () => {
    const place = await aPlace({
      'sets/a.yaml': 'variableSets: { a: { gloabl: true } }\n',
      'rules/a.yaml': WRONG,
    })
    for (const command of ['plan', 'validate']) {
      const { stderr } = await place.setpoint([command])
      expect(stderr).toContain('actoin')
      expect(stderr).toContain('gloabl')
    }
  })

  test('are all reported together, even several in one rule', async () => {
    const place = await aPlace({
      'sets/a.yaml': SETS,
      'rules/a.yaml': `rules:
  one:
    for: set
    when: set.nam == "" || set.gloabl
    require: >-
      set.projekt == "a"
      && set.workspaces.all(w, w.nam != "" || w.idd != "")
    message: A rule with mistakes.
    level: fatal
  two:
    for: plan
    require: plan.chages < 3 && plan.delets < 3
    message: Another one.
    level: warn
`,
    })
    const { stderr } = await place.setpoint(['validate'])
    expect(stderr.match(/^rules.*|^ {2}A \w+ has no.*/gm)).toEqual([
      'rules/a.yaml:4:11  error rule-expression',
      '  A Set has no field "nam", at `set.nam`.',
      'rules/a.yaml:4:11  error rule-expression',
      '  A Set has no field "gloabl", at `set.gloabl`.',
      'rules/a.yaml:5:14  error rule-expression',
      '  A Set has no field "projekt", at `set.projekt`.',
      'rules/a.yaml:5:14  error rule-expression',
      '  A Workspace has no field "nam", at `w.nam`.',
      'rules/a.yaml:5:14  error rule-expression',
      '  A Workspace has no field "idd", at `w.idd`.',
      'rules/a.yaml:9:5  error wrong-value',
      'rules/a.yaml:12:14  error rule-expression',
      '  A Plan has no field "chages", at `plan.chages`.',
      'rules/a.yaml:12:14  error rule-expression',
      '  A Plan has no field "delets", at `plan.delets`.',
    ])
  })

  test('are annotated in GitHub Actions at the line of the rule, like hits', async () => {
    const github = { env: { GITHUB_ACTIONS: 'true' } }
    const wrong = await aPlace({ 'sets/a.yaml': SETS, 'rules/a.yaml': WRONG })
    expect((await wrong.setpoint(['validate'], github)).stderr).toContain(
      '::error file=rules/a.yaml,line=4,col=11,title=rule-expression::',
    )
    for (const level of ['warn', 'block'])
      expect((await (await aRepository(level)).setpoint(['plan'], github)).stderr).toContain(
        '::warning file=rules/a.yaml,line=2,col=3,',
      )
  })
})

describe('--rules', () => {
  test('adds rules from outside the repository', async () => {
    const rules = aDirectory({ 'policy.yaml': rule('block') })
    const place = await aPlace({ 'sets/a.yaml': SETS })
    const { report } = await reportOf(place, '--rules', rules)
    expect(report.hits).toEqual([
      { ...HIT, level: 'block', source: { path: join(rules, 'policy.yaml'), line: 2, column: 3 } },
    ])
    const { stdout } = await place.setpoint(['plan', '--rules', rules])
    expect(stdout).toContain(`setpoint apply --rules ${rules} --approve ${report.digest}`)
    const applied = await place.setpoint(['apply', '--rules', rules, '--approve', report.digest], SECRETS)
    expect(applied.code).toBe(0)
  })

  test('a rule of the repository cannot have the id of a rule from --rules', async () => {
    const rules = aDirectory({ 'policy.yaml': rule('block') })
    const place = await aRepository('warn')
    const { code, stderr } = await place.setpoint(['plan', '--rules', rules])
    expect(code).toBe(1)
    expect(stderr).toContain('rules/a.yaml:2:3  error duplicate-set')
  })

  test.each([
    ['does not exist', 'nowhere', '"nowhere" does not exist.'],
    ['is a file', 'sets/b.txt', '"sets/b.txt" is not a directory.'],
    ['cannot be read', 'loop', '"loop" cannot be read (ELOOP).'],
    ['has no rules', 'sets', 'There is no rule file in "sets".'],
  ])('a directory that %s is an error', async (_, directory, expected) => {
    const place = await aPlace({
      'sets/a.txt': '',
      'sets/b.txt': SETS,
      'setpoint.yaml': 'organization: acme\nsets: sets/b.txt\n',
    })
    symlinkSync('loop', join(place.cwd, 'loop'))
    const { code, stderr } = await place.setpoint(['validate', '--rules', directory])
    expect([code, stderr]).toEqual([
      1,
      `error no-rules\n  ${expected}\n  Pass a directory with files whose names end in .yaml or .yml.\n`,
    ])
  })
})

test('every YAML file below rules is a rule, but not below rules/tests', async () => {
  const place = await aPlace({
    'sets/a.yaml': SETS,
    'rules/team/a.yaml': rule('error'),
    'rules/team/tests/b.yml': rule('warn').replace('no-global', 'other'),
    'rules/tests/deep/case.yaml': 'cases: { nothing: { after: {}, expect: [] } }\n',
    'rules/.hidden/c.yaml': 'not: rules\n',
  })
  const { report } = await reportOf(place)
  expect(report.hits.map((hit: typeof HIT) => hit.source.path)).toEqual([
    'rules/team/a.yaml',
    'rules/team/tests/b.yml',
  ])
  const tested = await place.setpoint(['test'])
  expect([tested.code, tested.stdout]).toEqual([
    0,
    expect.stringContaining('pass  rules/tests/deep/case.yaml:1'),
  ])
  place.write({ 'rules/team/notes.yaml': 'to: do\n' })
  const { code, stderr: said } = await place.setpoint(['validate'])
  expect([code, said]).toEqual([1, expect.stringContaining('rules/team/notes.yaml:1:1  error missing-key')])
})

test('rules that is no directory is an error', async () => {
  const linked = await aPlace({ 'sets/a.yaml': SETS })
  symlinkSync('nowhere', join(linked.cwd, 'rules'))
  const dangling = await linked.setpoint(['validate'])
  expect(dangling.stderr).toContain(
    'rules:1:1  error no-rules\n  No rules are read: "rules" is a link, and links to directories are not followed.',
  )
  const file = await (await aPlace({ 'sets/a.yaml': SETS, rules: rule('error') })).setpoint(['validate'])
  expect([file.code, file.stderr]).toEqual([1, expect.stringContaining('"rules" is not a directory.')])
})

describe('a directory of --rules', () => {
  const FILES = {
    'policy.yaml': rule('block'),
    'team/a.yaml': rule('error').replace('rules:\n  ', 'rules:\n  team-'),
    '.github/workflows/ci.yaml': 'on: push\n',
    'tests/case.yaml': 'cases: {}\n',
  }

  test.each(['inside', 'outside'])(
    '%s of the repository: files in its directories are rules, each read once',
    async where => {
      const place = await aPlace({
        'sets/a.yaml': SETS,
        ...Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`policies/${path}`, text])),
      })
      const shown = where === 'inside' ? 'policies' : aDirectory(FILES)
      for (const more of [[], ['--rules', shown], ['--rules', `${shown}/team`]]) {
        const { report } = await reportOf(place, '--rules', shown, ...more)
        expect(report.hits.map((hit: { rule: string }) => hit.rule)).toEqual(['team-no-global', 'no-global'])
      }
    },
  )
})

test('a symbolic link out of a directory of --rules is an error', async () => {
  const outside = aDirectory({ 'a.yaml': rule('error') })
  const directory = aDirectory({})
  symlinkSync(join(outside, 'a.yaml'), join(directory, 'a.yaml'))
  const place = await aPlace({ 'sets/a.yaml': SETS })
  const { code, stderr } = await place.setpoint(['validate', '--rules', directory])
  expect(code).toBe(1)
  expect(stderr).toContain('is outside its directory.\n  Copy the file into that directory.')
})

test('a link to a directory in a directory of --rules is an error: what it leads to would not be in force', async () => {
  const place = await aPlace({
    'sets/a.yaml': SETS,
    'policies/a.yaml': rule('warn'),
    'shared/b.yaml': rule('block'),
  })
  symlinkSync('../shared', join(place.cwd, 'policies/more'))
  const { code, stderr } = await place.setpoint(['validate', '--rules', 'policies'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'policies/more:1:1  error no-rules\n  No rules are read: "policies/more" is a link, and links to directories are not followed.',
    ),
  ])
})

test.each(['empty', './empty'])('--rules "%s" without a rule in its files is an error', async directory => {
  const place = await aPlace({ 'sets/a.yaml': SETS, 'empty/a.yaml': 'rules: {}\n' })
  const { code, stderr } = await place.setpoint(['validate', '--rules', directory])
  expect([code, stderr]).toEqual([
    1,
    `error no-rules\n  There is no rule in the files of "${directory}".\n  Pass a directory with rules, or remove --rules.\n`,
  ])
})

test('an expression that YAML reads as a tag, and one that is too long, have a hint', async () => {
  const long = `rules:\n  a:\n    for: set\n    require: ${'a'.repeat(4001)}\n    message: m\n    level: warn\n`
  const place = await aPlace({
    'sets/a.yaml': SETS,
    'rules/a.yaml': rule('warn').replaceAll("'", ''),
    'rules/b.yaml': long,
  })
  const { stderr } = await place.setpoint(['validate'])
  expect(stderr).toContain('If the text itself begins with `!`, put it in quotes.')
  expect(stderr).toContain('Write a CEL expression of at most 4,000 characters.')
})

describe('--base', () => {
  const git = (cwd: string, ...args: readonly string[]): void => {
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.test', '-c', 'commit.gpgsign=false']
    execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' })
  }

  async function onTopicOf(base: string): Promise<Place> {
    const place = await aPlace({ 'sets/a.yaml': SETS, 'rules/a.yaml': base })
    git(place.cwd, 'init', '-q', '-b', 'main')
    git(place.cwd, 'add', '.')
    git(place.cwd, 'commit', '-qm', 'Begin')
    return place
  }

  const levelsIn = (report: { hits?: readonly { rule: string; level: string }[] }) =>
    (report.hits ?? []).map(({ rule: id, level }) => `${id} ${level}`)

  test('an invalid rule of the base does not disable the other rules of the base', async () => {
    const broken = '  broken:\n    for: set\n    require: set.nam == ""\n    message: No.\n    level: block\n'
    const place = await onTopicOf(rule('block', broken))
    place.write({ 'rules/a.yaml': 'rules: {}\n' })
    const { report } = await reportOf(place, '--base', 'main')
    expect(levelsIn(report)).toEqual(['no-global block'])
    expect(JSON.stringify(report.review)).toContain('the rule no-global is deleted')
    expect(JSON.stringify(report.review)).not.toContain('the rule broken')
  })

  test.each([
    [
      'deletes',
      'rules: {}\n',
      'no-global block',
      'the rule no-global is deleted; here it still counts as in the base',
    ],
    [
      'lowers',
      rule('warn'),
      'no-global block',
      'the rule no-global is changed from block to warn; here it still counts as in the base',
    ],
    [
      'empties',
      rule('block').replace("'!set.global'", '"true"'),
      'no-global block',
      'the rule no-global is changed from block to block with other expressions; here it still counts as in the base',
    ],
    ['raises', rule('error'), 'no-global error', undefined],
  ])('a change that %s a rule is checked with the stricter version', async (_, head, hit, expected) => {
    const place = await onTopicOf(rule('block'))
    place.write({ 'rules/a.yaml': head })
    const { report } = await reportOf(place, '--base', 'main')
    expect(levelsIn(report)).toEqual([hit])
    const loosened = report.review.filter(({ kind }: { kind: string }) => kind === 'loosened')
    expect(loosened.map(({ text }: { text: string }) => text)).toEqual(
      expected === undefined ? [] : [expected],
    )
    if (expected !== undefined)
      expect(report.facts.base.loosened).toMatchObject([{ setting: 'rules.no-global' }])
  })

  test('an apply with the same base accepts the approval of the plan', async () => {
    const place = await onTopicOf(rule('block'))
    rmSync(join(place.cwd, 'rules'), { recursive: true })
    const { digest } = (await reportOf(place, '--base', 'main')).report
    expect((await place.setpoint(['plan', '--base', 'main'])).stdout).toContain(
      `setpoint apply --base main --approve ${digest}`,
    )
    const without = await place.setpoint(['apply', '--approve', digest], SECRETS)
    expect([without.code, place.live()]).toEqual([4, []])
    const applied = await place.setpoint(['apply', '--base', 'main', '--approve', digest], SECRETS)
    expect(applied.code).toBe(0)
  })

  test('rules of the base are checked even if its set files are invalid', async () => {
    const place = await onTopicOf(rule('block'))
    place.write({ 'sets/a.yaml': 'variableSets: [\n' })
    git(place.cwd, 'commit', '-qam', 'Break the sets')
    place.write({ 'sets/a.yaml': SETS, 'rules/a.yaml': 'rules: {}\n' })
    const { report } = await reportOf(place, '--base', 'main')
    expect(levelsIn(report)).toEqual(['no-global block'])
    expect(report.blocked).toBe(true)
  })

  test('if the rule files of the base cannot be read there is no plan, because they might forbid it', async () => {
    const place = await onTopicOf(`${rule('block')}  broken: [\n`)
    place.write({ 'rules/a.yaml': 'rules: {}\n' })
    const { code, stdout, stderr } = await place.setpoint(['plan', '--base', 'main'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(
      'error broken-base\n  The rules of "main" cannot be read, and might forbid this plan.',
    )
  })

  test('invalid rules of the base are reported, and a change can correct them', async () => {
    const place = await onTopicOf(rule('block').replace('set.action', 'set.actoin'))
    place.write({ 'rules/a.yaml': rule('block') })
    const { code, report } = await reportOf(place, '--base', 'main')
    expect([code, levelsIn(report)]).toEqual([0, ['no-global block']])
    expect(report.diagnostics).toMatchObject([
      {
        code: 'broken-base',
        message: 'The rules of "main" are not valid. A Set has no field "actoin", at `set.actoin`.',
      },
    ])
  })
})

test('a rule that is violated while the confirmation is asked for blocks the apply', async () => {
  const few = rule('block').replace(
    /for: set[\s\S]*?message/,
    'for: plan\n    require: plan.affected < 3\n    message',
  )
  const place = await aPlace({ 'sets/a.yaml': SETS, 'rules/a.yaml': few })
  const ask = (another: boolean) => async (): Promise<string> => {
    if (another) place.sandbox.ensure({ workspaces: [{ organization: 'acme', name: 'y' }] })
    return 'yes'
  }
  const ran = await place.setpoint(['apply'], { ...SECRETS, io: { input: () => ({ ask: ask(true) }) } })
  expect([ran.code, place.live()]).toEqual([4, []])
  expect(ran.stderr).toContain('The plan violates the rule no-global')
  place.write({ 'rules/a.yaml': few.replace('< 3', '< 4') })
  const agreed = await place.setpoint(['apply'], { ...SECRETS, io: { input: () => ({ ask: ask(false) }) } })
  expect(agreed.code).toBe(0)
})

test('a rule can read no secret, and no value that reports hide', async () => {
  const pattern = '"CANARY|first .line|secret-3f61|old-readable|set-by-hand|token-of|key-of"'
  const place = await aPlaceWithSecrets()
  const seen = (...path: string[]): string =>
    [
      ...path.slice(1).map((_, at) => `has(${path.slice(0, at + 2).join('.')})`),
      `${path.join('.')}.matches(${pattern})`,
    ].join(' && ')
  const unseen = [
    ['variable', 'value'],
    ['variable', 'before', 'value'],
  ].map(path => `!(${seen(...path)})`)
  const leaks = `rules:
  variables:
    for: variable
    require: ${JSON.stringify(unseen.join(' && '))}
    message: A hidden value was seen.
    level: error
  effects:
    for: effect
    require: '!(has(effect.before) && effect.before.matches(${pattern})) && !(has(effect.after) && effect.after.matches(${pattern}))'
    message: A hidden value was seen.
    level: error
  shown:
    for: variable
    require: '!has(variable.value) || variable.value != "this may be seen"'
    message: A readable value is seen.
    level: warn
`
  place.write({ 'rules/a.yaml': leaks })
  const { stdout } = await place.setpoint(['plan', '--format', 'json'], { env: CANARY_SECRETS })
  expect(JSON.parse(stdout).hits.map(({ rule: id }: { rule: string }) => id)).toEqual(['shown'])
})
