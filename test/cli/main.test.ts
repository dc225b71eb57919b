import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT_MEANINGS } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/definitions.ts'
import { FORMATS } from '../../src/report/formats.ts'
import { flagOf } from '../../src/run/options.ts'
import { aPlace, ONE, writeFiles } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

const WHERE = { cwd: import.meta.dirname }

describe('help', () => {
  test('lists what everyone needs before what few runs need', async () => {
    const { stdout } = await run(['plan', '--help'], WHERE)
    const listed = [...stdout.matchAll(/^ {2}(--[\w-]+|-C)/gm)].map(([, flag]) => flag)
    const rare = ['--limit', '--shard', '--concurrency', '--rate', '--markdown-limit']
    expect(listed.filter(flag => flag !== undefined && rare.includes(flag))).toEqual(rare)
    expect(Math.min(...rare.map(flag => listed.indexOf(flag)))).toBeGreaterThan(listed.indexOf('--report'))
  })

  test.each(COMMANDS)('of $name has a summary, each flag, and examples', async command => {
    const { code, stdout, stderr } = await run([command.name, '--help'], WHERE)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // It may be wrapped.
    expect(stdout.replaceAll('\n', ' ')).toContain(`  ${command.summary}  `)
    for (const { flag } of command.options) expect(stdout).toContain(`  ${flag} `)
    expect(command.examples.length).toBeGreaterThan(0)
    for (const [example, comment] of command.examples)
      expect(stdout).toContain(`\n  ${example}\n      ${comment}\n`)
    expect(await run(['help', command.name], WHERE)).toEqual({ code, stdout, stderr })
  })

  test.each(COMMANDS.flatMap(command => command.examples))('has a valid example: %s', async example => {
    const [, line = ''] = /\bsetpoint ([^>|]*)/.exec(example) ?? []
    const words = line.replaceAll('"', '').trim().split(' ')
    const { code } = await run([...words, '--help'], WHERE)
    expect(code).toBe(0)
    const flags = words.filter(word => /^-./.test(word))
    const known = COMMANDS.find(({ name }) => name === words[0])?.options.map(flagOf)
    expect(flags.filter(flag => known?.includes(flag) !== true)).toEqual([])
  })

  test('of the program lists the commands and every exit code', async () => {
    const { code, stdout } = await run(['--help'], WHERE)
    expect(code).toBe(0)
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'))

    const words = stdout.replaceAll(/\s+/g, ' ')
    for (const [exit, meaning] of EXIT_MEANINGS) expect(words).toContain(` ${exit} ${meaning}`)
  })

  test('fits in 80 columns, also in a wider terminal', async () => {
    for (const argv of [['--help'], ...COMMANDS.map(({ name }) => [name, '--help'])]) {
      const out: string[] = []
      const stdout = { write: (text: string) => out.push(text), terminal: true, columns: 200 }
      await run(argv, { ...WHERE, io: { stdout } })
      const help = out.join('')
      expect(help).toContain('Usage: setpoint')
      expect(help.split('\n').filter(line => line.length > 80)).toEqual([])
    }
  })

  test('is printed on stderr with exit code 1 if no command is given', async () => {
    const { code, stdout, stderr } = await run([], WHERE)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('Usage: setpoint')
  })

  test('--version is one line', async () => {
    expect(await run(['--version'], WHERE)).toEqual({ code: 0, stdout: '0.0.0-test\n', stderr: '' })
  })
})

describe('options may stand before the command, as in git', () => {
  test.each([
    [['-C', 'infra', 'validate']],
    [['-Cinfra', 'validate']],
    [['--no-color', '-C', 'infra', '--config=setpoint.yaml', 'validate', '--format', 'text']],
  ])('setpoint %j', async argv => {
    const cwd = aDirectory({
      'infra/setpoint.yaml': 'organization: acme\n',
      'infra/sets/a.yaml': 'variableSets: { a: {} }\n',
    })
    expect(await run(argv, { cwd })).toMatchObject({
      code: 0,
      stdout: 'Valid: 1 set, 0 variables in 2 files.\n',
    })
  })

  test.each([
    [['-C', 'infra', 'plna'], "Unknown command 'plna'.\n  Did you mean plan?"],
    [
      ['-C', 'infra', 'status'],
      "Unknown command 'status'.\n  To compare the service with the files: setpoint drift",
    ],
    [['--port', '1', 'plan'], "Unknown option '--port'.\n  --port is an option of sandbox."],
    [['--only', 'plan'], "Unknown option '--only'"],
    [['--dry-run', 'plan'], "Unknown option '--dry-run'.\n  setpoint plan shows what an apply would do"],
  ])('setpoint %j says what is wrong', async (argv, expected) => {
    const { code, stdout, stderr } = await run(argv, WHERE)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(expected)
  })
})

describe('a mistake in the arguments is reported on stderr and changes nothing', () => {
  test.each([
    [['plna'], "Unknown command 'plna'.\n  Did you mean plan?"],
    [['plan', '--otu', 'x'], "Unknown option '--otu'.\n  Did you mean --out?"],
    [['apply', '--auto-aprove'], "Unknown option '--auto-aprove'.\n  Did you mean --auto-approve?"],
    [['plan', '--force'], "Unknown option '--force'"],
    [['plan', '-x'], "Unknown option '-x'"],
    [['plan', '--token', 't'], "Unknown option '--token'"],
    [
      ['drift', '--base', 'main'],
      "Unknown option '--base'.\n  --base is an option of plan, apply, affected.",
    ],
    [['plan', '-out=p.json'], "Unknown option '-out'.\n  Did you mean --out?"],
    [['plan', '-target=a'], "Unknown option '-target'.\n  To select sets: --only NAME."],
    [['apply', '--yes'], "Unknown option '--yes'.\n  To apply or release without a question: --auto-approve"],
    [['apply', '-auto-approve'], "Unknown option '-auto-approve'.\n  Did you mean --auto-approve?"],
    [['plan', '-chdir=x'], "Unknown option '-chdir'.\n  To run in another directory: -C DIRECTORY"],
    [['--yes'], "Unknown option '--yes'.\n  To apply or release without a question: --auto-approve"],
    [
      ['plan', 'a'],
      "Too many arguments for 'plan'. Expected 0 arguments but got 1.\n  To select sets: --only NAME.\n",
    ],
    [
      ['validate', 'sets/a.yaml'],
      "Too many arguments for 'validate'. Expected 0 arguments but got 1.\n  The files are those of a configuration: -C DIRECTORY or --config FILE.\n",
    ],
    [['plan', 'plan.json'], "Too many arguments for 'plan'"],
    [['show', 'a.json', 'b.json'], "Too many arguments for 'show'"],
    [['show'], 'Missing argument: PLANFILE.\n  Run: setpoint show PLANFILE\n'],
    [['explain'], 'Missing argument: WORKSPACE.'],
    [['comment'], 'Missing argument: FILE.'],
    [['show', '--format'], "'--format <format>' argument missing"],
    [
      ['plan', '--only'],
      "Option '--only <pattern>' is invalid. Expected a value, not another flag.\n  If it is the value, write --only=VALUE.\n",
    ],
    [
      ['plan', '--only=--b', '--only'],
      "Option '--only <pattern>' is invalid. Expected a value, not another flag.",
    ],
    [
      ['--only', '--sandbox', 'plan'],
      "Option '--only <pattern>' is invalid. Expected a value, not another flag.",
    ],
    [['plan', '--address'], "Option '--address <url>' is invalid. Expected a value, not another flag."],
    [
      ['apply', '--config', 'a.yaml', '--config=b.yaml'],
      "Option '--config <file>' is given more than once.\n  A pattern names several files: --config 'orgs/*/setpoint.yaml'\n",
    ],
    [
      ['plan', '--out=a', '-C', '.', '--out', 'b'],
      "Option '--out <file>' is given more than once.\n  Only the last would count: write it once.\n",
    ],
    [
      ['apply', '--auto-approve', '--approve', ''],
      "Option '--approve <digest>' is empty.\n  Leave it out, or write a value: a variable that is not set is empty.\n",
    ],
    [['plan', '--out='], "Option '--out <file>' is empty."],
    [['plan', '--only', 'a', '--only', ''], "Option '--only <pattern>' is empty."],
    [['-C', 'a', 'plan', '-Cb'], "Option '-C <dir>' is given more than once."],
    [['plan', '--verbose=yes'], "Unknown option '--verbose'.\n  --verbose takes no value: write it alone.\n"],
    [['drift', '--sandbox=on'], "Unknown option '--sandbox'.\n  --sandbox takes no value: write it alone.\n"],
    [['help', 'plna'], "Unknown command 'plna'.\n  Did you mean plan?\n"],
    [
      ['help', 'status'],
      "Unknown command 'status'.\n  To compare the service with the files: setpoint drift",
    ],
    [['plan', '--format', 'yaml'], `Allowed choices are ${FORMATS.join(', ')}.`],
    [['plan', '--concurrency', '0'], 'Expected a whole number from 1 to 10000.'],
    [['plan', '--concurrency', '-1'], 'Expected a whole number from 1 to 10000.'],
    [['plan', '--concurrency', '1.5'], 'Expected a whole number from 1 to 10000.'],
    [['plan', '--concurrency', '1e3'], 'Expected a whole number from 1 to 10000.'],
    [['plan', '--rate', '0'], 'Expected a whole number from 1 to 10000.'],
    [['plan', '--rate', 'fast'], 'Expected a whole number from 1 to 10000.'],
    [['sandbox', '--port', '65536'], 'Expected a port from 0 to 65535.'],
    [['sandbox', '--latency', 'soon'], 'Expected milliseconds, such as 50ms.'],
    [
      ['sandbox', '--profile', 'toString'],
      '--profile toString: "server" must be one of interface, hcp, enterprise,',
    ],
    [['sandbox', '--profile', 'listOrdr=id'], '--profile listOrdr=id: Unknown: "listOrdr".'],
    [['sandbox', '--profile', 'listOrder=up'], '"listOrder" is gone: write server=loose.'],
    [['sandbox', '--seed', 'no.yaml'], 'no.yaml'],
    [['sandbox', '--faults', 'no.yaml'], 'no.yaml'],
    [['sandbox', '--expose-to-network', '300.0.0.1'], '300.0.0.1'],
  ])('setpoint %j', async (argv, expected) => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', ...ONE })
    const { code, stdout, stderr } = await run([...argv, ...(argv[0] === 'plan' ? ['--sandbox'] : [])], {
      cwd,
    })
    expect(stderr).toContain(expected)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(existsSync(join(cwd, '.setpoint'))).toBe(false)
  })
})

test('a value may begin like a flag, behind an equals sign, and is printed so', async () => {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\nowner: net\n',
    'sets/a.yaml': 'variableSets: { "--sandbox": { env: { A: { secret: A } } }, b: {} }\n',
  })
  const env = { SETPOINT_SECRET_A: 'a-long-secret' }
  const planned = await run(['plan', '--sandbox', '--only=--sandbox'], { cwd, env })
  expect(planned.stdout).toContain('1 set outside --only "--sandbox"')
  const unmatched = await run(['plan', '--sandbox', '--only=--sandbx'], { cwd, env })
  expect(unmatched.stderr).toContain('  Did you mean --only=--sandbox?\n')
  const rewritten = ['apply', '--sandbox', '--auto-approve', '--only=--sandbox', '--rewrite=--sandbox/A']
  expect((await run(rewritten, { cwd, env })).code).toBe(0)
})

test('the sandbox names a port that is in use, and what to do', async () => {
  const { url } = await aPlace(ONE)
  const { port } = new URL(url)
  expect(await run(['sandbox', '--port', port], WHERE)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error port-in-use\n  Port ${port} is in use.\n  Choose another one with --port, or leave --port out for a free one.\n`,
  })
})

describe('the directory of the run', () => {
  test('-C makes every path relative to that directory, as if it was started there', async () => {
    const cwd = aDirectory()
    writeFiles(cwd, {
      'repo/setpoint.yaml': 'organization: acme\n',
      'repo/sets/a.yaml': 'variableSets: { a: {} }\n',
    })
    const planned = await run(['plan', '--sandbox', '-C', 'repo', '--out', 'plan.json'], { cwd })
    expect(planned.stderr).toBe('')
    expect(
      ['repo/plan.json', 'repo/.setpoint/sandbox', 'plan.json'].map(path => existsSync(join(cwd, path))),
    ).toEqual([true, true, false])
    const applied = await run(['apply', 'plan.json', '--sandbox', '-C', join(cwd, 'repo')], { cwd })
    expect(applied.code).toBe(0)
  })

  test('--config selects another configuration, with set files relative to it', async () => {
    const cwd = aDirectory({
      'infra/prod.yaml': 'organization: acme\n',
      'infra/sets/a.yaml': 'variableSets: { a: {}, b: {} }\n',
    })
    const { stdout } = await run(['validate', '--config', 'infra/prod.yaml'], { cwd })
    expect(stdout).toBe('Valid: 2 sets, 0 variables in 2 files.\n')
  })

  describe('below the directory of setpoint.yaml, in a repository', () => {
    const aRepository = () =>
      aDirectory({
        '.git/HEAD': '',
        'infra/setpoint.yaml': 'organization: acme\nguards: { protect: ["*"] }\n',
        'infra/sets/a.yaml': 'variableSets: { a: {} }\nremoved: [b]\n',
        'infra/sets/deep/notes.txt': '',
        'other/notes.txt': '',
      })

    test('the nearest one is used, which is reported, and other paths are relative to the current directory', async () => {
      const cwd = aRepository()
      const place = join(cwd, 'infra/sets/deep')
      const planned = await run(['plan', '--sandbox', '--out', 'plan.json'], { cwd: place })
      expect([planned.code, planned.stderr]).toEqual([
        0,
        'Using ../../setpoint.yaml. Paths of files below are relative to ../../../.\n',
      ])
      expect(
        ['infra/sets/deep/plan.json', 'infra/.setpoint/sandbox'].map(path => existsSync(join(cwd, path))),
      ).toEqual([true, true])
      expect((await run(['apply', 'plan.json', '--sandbox', '--quiet'], { cwd: place })).stderr).toBe('')
    })

    test('a printed command works in the current directory', async () => {
      const cwd = aRepository()
      const place = join(cwd, 'infra/sets')
      await run(['apply', '--sandbox', '--auto-approve'], { cwd: place })
      writeFileSync(join(cwd, 'infra/sets/a.yaml'), 'removed: [a]\n')
      const { stdout } = await run(['plan', '--sandbox'], { cwd: place })
      const command = /setpoint (apply .*)$/m.exec(stdout)?.[1] ?? ''
      expect((await run(command.split(' '), { cwd: place })).code).toBe(0)
    })

    test('with -C or --config no other directory is searched', async () => {
      const cwd = aRepository()
      for (const argv of [
        ['-C', 'sets'],
        ['--config', './setpoint.yaml', '-C', 'sets'],
        ['--config', 'sets/setpoint.yaml'],
      ]) {
        const { code, stderr } = await run(['validate', ...argv], { cwd: join(cwd, 'infra') })
        expect([code, stderr]).toEqual([1, expect.stringContaining('no-configuration')])
      }
    })

    test('it is not found above the root of the repository, in a sibling directory, or without a repository', async () => {
      const cwd = aRepository()
      mkdirSync(join(cwd, 'infra/sets/inner/.git'), { recursive: true })
      const plain = aDirectory({
        'setpoint.yaml': 'organization: acme\n',
        'sets/a.yaml': 'variableSets: { a: {} }\n',
      })
      for (const place of [join(cwd, 'infra/sets/inner'), join(cwd, 'other'), join(plain, 'sets')])
        expect((await run(['validate'], { cwd: place })).code).toBe(1)
    })

    test('--base uses the same configuration in the base', async () => {
      const cwd = aRepository()
      rmSync(join(cwd, '.git'), { recursive: true })
      for (const argv of [
        ['init', '-q'],
        ['add', '.'],
        ['commit', '-qm', 'Begin'],
      ])
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd })
      mkdirSync(join(cwd, 'infra/sets/new'))
      const { stdout, code } = await run(['plan', '--sandbox', '--base', 'HEAD', '--format', 'json'], {
        cwd: join(cwd, 'infra/sets/new'),
      })
      expect([code, JSON.parse(stdout).facts.base.ref]).toEqual([0, 'HEAD'])
    })

    test('init warns about it', async () => {
      const cwd = aRepository()
      const { stderr } = await run(['init', 'acme', '--sandbox', '-C', 'infra/sets'], { cwd })
      expect(stderr).toContain('second-configuration')
      expect(stderr).toContain('../setpoint.yaml')
    })
  })

  test('a configuration that does not exist is named', async () => {
    const cwd = aDirectory(ONE)
    const { code, stderr } = await run(['validate', '--config', 'prod.yaml'], { cwd })
    expect(stderr).toContain('There is no file "prod.yaml" in')
    expect(code).toBe(1)
  })

  test('SETPOINT_ORGANIZATION must be the organization of the file', async () => {
    const place = await aPlace(ONE)
    const wrong = await place.setpoint(['apply', '--auto-approve'], {
      env: { SETPOINT_ORGANIZATION: 'other' },
    })
    expect(wrong.stderr).toMatch(/^setpoint\.yaml:1:\d+ {2}error organization-mismatch\n.*other/)
    expect({ code: wrong.code, live: place.live() }).toEqual({ code: 1, live: [] })
    const right = await place.setpoint(['plan'], { env: { SETPOINT_ORGANIZATION: 'acme' } })
    expect(right.code).toBe(0)
  })

  test('SETPOINT_SANDBOX_FILE stores the sandbox in another file', async () => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', ...ONE })
    await run(['apply', '--sandbox', '--auto-approve'], { cwd, env: { SETPOINT_SANDBOX_FILE: 'kept/here' } })
    expect(readFileSync(join(cwd, 'kept/here'), 'utf8')).toContain('"name":"a"')
    expect(existsSync(join(cwd, '.setpoint'))).toBe(false)
  })

  test('--sandbox ignores address and token of the environment, and reports SANDBOX as the address', async () => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', ...ONE })
    const env = {
      TFE_ADDRESS: 'ftp://nonsense',
      TFE_TOKEN: 'not a token',
      SETPOINT_ADDRESS: 'x',
      SETPOINT_TOKEN: 'y',
    }
    const { code, stdout, stderr } = await run(['plan', '--sandbox'], { cwd, env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^setpoint plan [0-9a-f]{12} {3}acme {3}SANDBOX /)
  })
})

test('--verbose prints method, path, status and milliseconds of each request on stderr, and no bodies', async () => {
  const place = await aPlace({
    'sets/a.yaml':
      'variableSets: { a: { description: words, env: { KEY: value-of-key, S: { secret: S } } } }\n',
  })
  const argv = ['apply', '--auto-approve', '--verbose', '--format', 'json']
  const { code, stdout, stderr } = await place.setpoint(argv, { env: { SETPOINT_SECRET_S: 'secret-text' } })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).kind).toBe('apply')
  expect(stderr.replaceAll(/\d+ ms$/gm, 'N ms').replaceAll(/varset-\w+/g, 'varset-ID')).toBe(
    [
      'address from SETPOINT_ADDRESS, token from SETPOINT_TOKEN',
      'GET /api/v2/organizations/acme/varsets 200 N ms',
      'GET /api/v2/organizations/acme 200 N ms',
      'POST /api/v2/organizations/acme/varsets 200 N ms',
      'GET /api/v2/organizations/acme/varsets 200 N ms',
      '',
    ].join('\n'),
  )
})
