import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { loadCases } from '../../../src/config/cases.ts'
import { test as testAsLibrary } from '../../../src/library/index.ts'
import { testRules } from '../../../src/run/commands/test.ts'
import { aDirectory, run } from '../../support/program.ts'
import { publishedSchema } from '../../support/published.ts'
import { fencesOf, replay } from '../../support/transcript.ts'

const RULES = `rules:
  no-global:
    for: set
    when: set.global
    require: has(set.before) && set.before.global
    message: No new global set.
    level: block
  described:
    for: set
    require: set.description != ""
    message: A set says what it is for.
    level: warn
  versions-go-up:
    for: variable
    when: variable.action == "update" && has(variable.secret)
    require: variable.version != "1"
    message: Versions go up.
    level: error
`
const SCHEMA = publishedSchema('tests')
const SET = (rest: string): string => `{ variableSets: { a: { description: A., ${rest} } } }`

const aPlace = (cases: string, rules = RULES): string =>
  aDirectory({ 'rules/all.yaml': rules, 'rules/tests/all.yaml': `cases:\n${cases}` })

const lines = async (cases: string, rules?: string): Promise<string[]> => {
  const { stdout, stderr } = await run(['test'], { cwd: aPlace(cases, rules) })
  return [...stderr.split('\n'), ...stdout.split('\n')].filter(line => line !== '')
}

describe('setpoint test', () => {
  test('a workspace and a project that only the state before names are known', async () => {
    const printed = await lines(`
  it leaves them:
    before: ${SET('workspaces: [w], projects: [p]')}
    after: ${SET('workspaces: [], projects: []')}
    expect: []
`)
    expect(printed[1]).toBe('1 case: 1 passed, 0 failed.')
  })

  test('rules see where a value came from, as after an apply', async () => {
    const rules = `rules:
  taken-charge:
    for: variable
    when: has(variable.before) && has(variable.before.external) && variable.before.external
    require: variable.external
    message: It was set elsewhere.
    level: block
`
    const printed = await lines(
      `
  an external variable gets a secret:
    before: ${SET('env: { K: { external: true } }')}
    after: ${SET('env: { K: { secret: K } }')}
    expect: [taken-charge]
  a secret becomes external:
    before: ${SET('env: { K: { secret: K } }')}
    after: ${SET('env: { K: { external: true } }')}
    expect: []
`,
      rules,
    )
    expect(printed[1]).toBe('2 cases: 2 passed, 0 failed.')
  })

  test('prints for each case whether it passed, expected and actual violations, and rules without a case', async () => {
    const cwd = aPlace(`
  it becomes global:
    before: ${SET('env: { K: v }')}
    after: ${SET('global: true, env: { K: v }')}
    expect: [no-global]
  it is global from the beginning:
    after: ${SET('global: true, env: { K: v }')}
    expect: []
  nothing happens:
    before: ${SET('env: { K: v }')}
    after: ${SET('env: { K: v }')}
    expect: [{ rule: described, set: a }]
`)
    const { code, stdout, stderr } = await run(['test'], { cwd })
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout.split('\n')).toEqual([
      'setpoint test   3 rules',
      '3 cases: 1 passed, 2 failed.',
      '',
      '  pass  rules/tests/all.yaml:3  it becomes global',
      '',
      'No case triggers these rules',
      '  described   rules/all.yaml:8',
      '  versions-go-up   rules/all.yaml:13',
      '',
      '  FAIL  rules/tests/all.yaml:7   it is global from the beginning',
      '      unexpected  no-global at a: No new global set.',
      '  FAIL  rules/tests/all.yaml:10  nothing happens',
      '      missing  described at a',
      '               The change violates no rule.',
      '',
    ])
    const onGithub = await run(['test'], { cwd, env: { GITHUB_ACTIONS: 'true' } })
    expect(onGithub.stdout).toBe(stdout)
    expect(onGithub.stderr.trimEnd().split('\n')).toEqual([
      '::error file=rules/tests/all.yaml,line=7,col=3,title=case-failed::The case "it is global from the beginning" fails. Unexpectedly violated: no-global.',
      '::error file=rules/tests/all.yaml,line=10,col=3,title=case-failed::The case "nothing happens" fails. Not violated: described.',
    ])
    const asLibrary = await testAsLibrary({ cwd })
    expect([asLibrary.exitCode, asLibrary.report?.failed, asLibrary.diagnostics.length]).toEqual([1, 2, 2])
    const named = await testAsLibrary({ cwd, directories: ['nowhere', 'rules'] })
    expect([named.exitCode, named.report, named.diagnostics[0]?.message]).toEqual([
      1,
      undefined,
      '"nowhere" does not exist.',
    ])
  })

  test('a case can expect a rule for a particular set or key', async () => {
    const two = '{ variableSets: { a: { env: { K: v } }, b: { env: { K: v } } } }'
    expect(await lines(`  both:\n    after: ${two}\n    expect: [{ rule: described, set: b }]\n`)).toEqual(
      expect.arrayContaining(['      unexpected  described at a: A set says what it is for.']),
    )
    expect(await lines(`  both:\n    after: ${two}\n    expect: [described]\n`)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^ {2}pass/)]),
    )
  })

  test('the state before a case is in the inventory, with the versions of secrets', async () => {
    const secret = (version: string): string =>
      SET(`env: { K: { secret: { name: K, version: "${version}" } } }`)
    const cases = `
  down:
    before: ${secret('2')}
    after: ${secret('1')}
    expect: [{ rule: versions-go-up, key: env/K }]
  up:
    before: ${secret('1')}
    after: ${secret('2')}
    expect: []
  not at all:
    before: ${secret('1')}
    after: ${secret('1')}
    expect: []
`
    expect((await lines(cases)).filter(line => /^ {2}pass/.test(line))).toHaveLength(3)
  })

  test('renames, removals, bases, owning projects and Stacks work in a case as in files', async () => {
    const rules = `rules:
  told:
    for: set
    require: "false"
    message: Told.
    level: warn
  deleted:
    for: set
    when: set.action == "delete"
    require: "false"
    message: Deleted.
    level: warn
  renamed:
    for: set
    when: has(set.before) && set.before.name != set.name
    require: "false"
    message: Renamed.
    level: warn
  owned:
    for: set
    when: has(set.project)
    require: set.project == "core" && set.stacks == ["net"] && set.variables.exists(v, v.key == "B")
    message: Owned by another.
    level: warn
  reached:
    for: exposure
    require: exposure.projects == ["core"]
    message: Reached.
    level: warn
`
    const cases = `
  removed:
    before: ${SET('env: { K: v }')}
    after: { removed: [a] }
    expect: [told, deleted]
  renamed:
    before: ${SET('env: { K: v }')}
    after: { variableSets: { b: { previousNames: [a], env: { K: v } } } }
    expect: [{ rule: told, set: b }, { rule: renamed, set: b }]
  owned:
    workspaces: { w: core }
    after:
      bases: { x: { env: { B: v } } }
      variableSets: { a: { project: core, stacks: [net], workspaces: [w], from: x, env: { K: { secret: K } } } }
    expect: [told]
`
    expect(
      (await lines(cases, rules)).filter(
        line => !/^(?:setpoint test|3 cases: 3 passed|No case| {2}\w)/.test(line),
      ),
    ).toEqual([])
  })

  test('a case can have its own setpoint.yaml', async () => {
    const rules = `rules:
  pruned:
    for: set
    require: set.action != "delete"
    message: Pruned.
    level: warn
  owned:
    for: plan
    require: has(plan.owner) && plan.owner == "platform" && plan.organization == "acme"
    message: Owned.
    level: warn
`
    const states = `before: ${SET('env: { K: v }')}\n    after: { variableSets: { b: { env: { K: v } } } }`
    const cases = `
  as it is without one:
    ${states}
    expect: [owned]
  pruning:
    setpoint: { organization: acme, owner: platform, prune: true }
    ${states}
    expect: [{ rule: pruned, set: a }]
  without an owner:
    setpoint: { organization: acme }
    ${states}
    expect: [owned]
`
    expect((await lines(cases, rules))[1]).toBe('3 cases: 3 passed, 0 failed.')
    const { stderr } = await run(['test'], {
      cwd: aPlace(`  one:\n    setpoint: { organisation: acme }\n    after: {}\n    expect: []\n`),
    })
    expect(stderr).toContain('rules/tests/all.yaml:3:17  error unknown-key')
  })

  test('the given directories are tested, wherever they are, and without a configuration', async () => {
    const other = aDirectory({
      'r/all.yaml': RULES,
      'r/tests/a.yaml': `cases:\n  one:\n    after: ${SET('env: { K: v }')}\n    expect: []\n`,
    })
    const more = aDirectory({ 'more.yaml': RULES.replaceAll(/^ {2}(?=\w)/gm, '  x-') })
    const { code, stdout } = await run(['test', join(other, 'r'), more, '--format', 'json'], {
      cwd: aDirectory(),
    })
    const result = JSON.parse(stdout)
    expect([code, result.passed, result.rules, result.untested.length]).toEqual([0, 1, 6, 6])
    const closed = JSON.parse(
      JSON.stringify(SCHEMA).replaceAll('"properties":', '"additionalProperties":false,"properties":'),
    )
    const validate = new Ajv2020({ strict: true }).compile(closed)
    expect(validate(result) || validate.errors).toBe(true)
    expect(SCHEMA.examples.every((example: unknown) => validate(example))).toBe(true)
  })

  test('the JSON output of a failed case matches its schema', async () => {
    const cwd = aPlace(
      `  a:\n    after: ${SET('global: true, env: { K: v }')}\n    expect: [{ rule: described, set: a, key: env/K }]\n  b:\n    after: { removed: [b] }\n    expect: []\n`,
    )
    const { code, stdout } = await run(['test', '--format', 'json'], { cwd })
    const validate = new Ajv2020({ strict: true }).compile(SCHEMA)
    expect([code, validate(JSON.parse(stdout)) || validate.errors]).toEqual([1, true])
  })

  test.each([
    [
      'a rule that does not exist',
      'after: {}\n    expect: [no-globl]',
      '5:14',
      'unknown-rule',
      'Did you mean "no-global"?',
    ],
    ['an unknown key', 'after: {}\n    expects: []', '5:5', 'unknown-key', 'expect'],
    ['a missing expectation', 'after: {}', '3:3', 'missing-key', 'expect'],
    [
      'an unknown key of a set',
      `after: ${SET('evn: { K: v }')}\n    expect: []`,
      '4:52',
      'unknown-key',
      'env',
    ],
    [
      'an error in a set',
      `before: ${SET('from: net, env: { K: v }')}\n    after: {}\n    expect: []`,
      '4:59',
      'unknown-base',
      '',
    ],
    [
      'a duplicate case',
      'after: {}\n    expect: []\n  one:\n    after: {}\n    expect: []',
      '6:3',
      'duplicate-key',
      '',
    ],
  ])('%s is an error at its place', async (_, text, place, code, hint) => {
    const { code: exit, stdout, stderr } = await run(['test'], { cwd: aPlace(`\n  one:\n    ${text}\n`) })
    expect([exit, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`rules/tests/all.yaml:${place}  error ${code}\n`)
    expect(stderr).toContain(hint)
  })

  test('an error in a rule, and a missing directory, are reported', async () => {
    const wrong = await run(['test'], {
      cwd: aPlace(`  one: { after: {}, expect: [] }\n`, RULES.replace('set.global\n', 'set.globl\n')),
    })
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('rules/all.yaml:4:11  error rule-expression'),
    ])
    const none = await run(['test', 'policies'], { cwd: aDirectory() })
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('"policies" does not exist.')])
  })

  test('a rule sees the gaps of a plan', async () => {
    const rules = `rules:
  no-gap-in-core:
    for: plan
    require: >-
      !plan.gaps.exists(gap, gap.category == "env" && gap.key == "K" && gap.why == "slot" && !has(gap.seen) &&
      gap.from == "a" && gap.to == "b" && gap.count == 1 && gap.workspaces.exists(w, w.project == "core"))
    message: The workspaces of core have every value at every moment.
    level: block
`
    const global = (a: string, b: string): string =>
      `{ variableSets: { a: { global: true${a} }, b: { global: true${b} } } }`
    const env = ', env: { K: v }'
    const cases = `
  between global sets:
    workspaces: { w: core }
    before: ${global(env, '')}
    after: ${global('', env)}
    expect: [no-gap-in-core]
  of other workspaces:
    workspaces: { w: net }
    before: ${global(env, '')}
    after: ${global('', env)}
    expect: []
  between other sets:
    workspaces: { w: core }
    before: { variableSets: { a: { workspaces: [w], env: { K: v } } } }
    after: { variableSets: { a: { workspaces: [w] }, b: { workspaces: [w], env: { K: v } } } }
    expect: []
`
    expect((await lines(cases, rules)).filter(line => /^ {2}(?:pass|FAIL)/.test(line))).toEqual([
      expect.stringMatching(/^ {2}pass/),
      expect.stringMatching(/^ {2}pass/),
      expect.stringMatching(/^ {2}pass/),
    ])
  })

  test('a change without a plan, and a rule that cannot be evaluated, fail the case', async () => {
    const rules = RULES.replace('set.description != ""', 'set.variables[9].key != ""')
    const found = await lines(
      `  clash:\n    before: { variableSets: { a: { global: true, env: { K: v } } } }\n    after: { removed: [a], variableSets: { b: { id: varset-1234567890123456, env: { K: v } } } }\n    expect: []\n`,
      rules,
    )
    expect(found.join('\n')).toMatch(
      /^ {2}FAIL .* clash\n +error {2}unknown-set-id {2}.+ {3}rules\/tests\/all\.yaml:4\n/m,
    )
    const failed = await lines(`  fails:\n    after: ${SET('env: { K: v }')}\n    expect: []\n`, rules)
    expect(failed.join('\n')).toMatch(
      /^ {2}FAIL .* fails\n +error {2}rule-failed {2}.+ {3}rules\/all\.yaml:10$/m,
    )
  })

  test('an endless rule stops the run once, not once per case', async () => {
    const list = `[${Array(400).fill('1').join(',')}]`
    const endless = `'${list}.all(a, ${list}.all(b, a + b > 0 && ${list.slice(0, 100)}1].all(c, a + b + c > 0)))'`
    const cases = `  a: { after: ${SET('env: { K: v }')}, expect: [] }\n  b: { after: ${SET('env: { K: v }')}, expect: [] }\n`
    const path = join(aPlace(cases, RULES.replace('set.description != ""', endless)), 'rules')
    const { value, diagnostics } = await loadCases({ directory: path }, [{ path, shown: 'rules' }])
    expect(diagnostics).toEqual([])
    const tested = await testRules(value?.rules ?? [], value?.cases ?? [], 300)
    expect([tested.value, tested.diagnostics.map(({ code }) => code)]).toEqual([
      undefined,
      ['rule-too-expensive'],
    ])
  })

  test('files with cases are neither set files nor rules of a plan', async () => {
    const cwd = aPlace(`  one: { after: {}, expect: [] }\n`)
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(cwd, 'setpoint.yaml'), 'organization: acme\nsets: "**/*.yaml"\n')
    writeFileSync(join(cwd, 'a.yaml'), 'variableSets: { a: { env: { K: v } } }\n')
    expect(await run(['validate'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Valid: 1 set'),
    })
  })

  test('names of cases cannot control a terminal or a CI log', async () => {
    const cwd = aPlace(`  "\\e]0;x\\a::error::x\\n::error::y": { after: {}, expect: [no-global] }\n`)
    const { stdout } = await run(['test'], { cwd })
    expect(stdout).not.toMatch(/^\s*::/m)
    expect(stdout).not.toContain('\u001b')
  })
})

test('docs/rules.md shows the real output of its case', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/rules.md'), 'utf8')
  const chapter = /^## Tests of rules\n[\s\S]*?(?=^## |$(?![\s\S]))/m.exec(page)?.[0] ?? ''
  const [rule] = fencesOf(page).filter(({ body }) => body.startsWith('# rules/production.yaml\n'))
  const cwd = aDirectory({ 'rules/production.yaml': rule?.body ?? '' })
  expect(await replay(chapter, { cwd })).toBe(chapter)
  expect(chapter).toContain('1 passed, 0 failed.')
})
