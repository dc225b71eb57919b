import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SHELLS } from '../../../src/cli/command.ts'
import { completionFor } from '../../../src/cli/commands/completion-command.ts'
import { COMMANDS } from '../../../src/cli/definitions.ts'
import { FILE_KINDS, FORMATS } from '../../../src/report/formats.ts'
import { flagOf } from '../../../src/run/options.ts'
import { aDirectory, run } from '../../support/program.ts'
import { titled } from '../../support/skipped.ts'

/** The candidates for each line before the cursor, in any order. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'setpoint pl': ['plan'],
  'setpoint plan --detailed': ['--detailed-exitcode'],
  'setpoint drift --detailed': [],
  'setpoint plan --format ': FORMATS,
  'setpoint plan --format m': ['markdown'],
  'setpoint secrets --format g': ['github', 'gitlab'],
  'setpoint apply my': ['my plan.json', 'my-sets'],
  'setpoint plan -C my': ['my-sets'],
  'setpoint apply --out my': ['my plan.json', 'my-sets'],
  'setpoint schema ex': ['explanation'],
  'setpoint help va': ['validate'],
  'setpoint completion ': SHELLS,
  'setpoint plan --only ': ['network', 'web-prod'],
  'setpoint export --update n': ['network'],
}

const PROGRAM = resolve(import.meta.dirname, '../../../dist/bundle/setpoint.js')

const words = (command: string, argv: readonly string[], cwd: string): string[] => {
  // The script calls the program that is on the path.
  const bin = aDirectory({ setpoint: `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n` })
  chmodSync(join(bin, 'setpoint'), 0o755)
  const { stdout, stderr, status } = spawnSync(command, argv, {
    cwd,
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    encoding: 'utf8',
  })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter(line => line !== '')
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

const titleOf = (shell: string): string => titled(shell, !isInstalled(shell), `no ${shell} on the path`)

async function place(shell: string): Promise<{ cwd: string; script: string }> {
  const cwd = aDirectory({
    'my plan.json': '{}',
    'my-sets/a.yaml': '',
    'other.json': '{}',
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml':
      'variableSets: { web-prod: { env: { A: 1 } }, network: { env: { A: 1 } }, "$(touch x)": {} }\n',
  })
  const { code, stdout, stderr } = await run(['completion', shell], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const script = join(aDirectory(), `completion.${shell}`)
  writeFileSync(script, stdout)
  return { cwd, script }
}

const sorted = (list: readonly string[]): string[] => list.map(one => one.replace(/\/$/, '')).toSorted()

describe.skipIf(!isInstalled('bash'))(titleOf('bash'), () => {
  /** Words as the line editor splits them: `=` is its own word. */
  const offered = async (line: string): Promise<string[]> => {
    const { cwd, script } = await place('bash')
    const split = line
      .split(' ')
      .flatMap(word => (word === '' ? [''] : word.split(/(=)/).filter(part => part !== '')))
    const after = line.endsWith('=') ? [...split.slice(0, -1), '='] : split
    return words(
      'bash',
      [
        '--norc',
        '-c',
        `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _setpoint; printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        script,
        ...after,
      ],
      cwd,
    )
  }

  test.each(Object.entries(CASES))('completes %j', async (line, expected) => {
    expect(sorted(await offered(line))).toEqual(sorted(expected))
  })

  test('completes --report with formats, then with files', async () => {
    expect(await offered('setpoint plan --report h')).toEqual(['html='])
    expect(sorted(await offered('setpoint plan --report html=my'))).toEqual(['my plan.json', 'my-sets'])
    expect(sorted(await offered('setpoint plan --report=html=my'))).toEqual(['my plan.json', 'my-sets'])
    expect(await offered('setpoint plan --format=j')).toEqual(['json'])
  })
})

describe.skipIf(!isInstalled('fish'))(titleOf('fish'), () => {
  const offered = async (line: string): Promise<string[]> => {
    const { cwd, script } = await place('fish')
    const found = words(
      'fish',
      ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line],
      cwd,
    )
    return found.map(one => (one.split('\t')[0] ?? '').replaceAll('\\ ', ' '))
  }

  test.each(Object.entries(CASES))('completes %j', async (line, expected) => {
    expect(sorted(await offered(line))).toEqual(sorted(expected))
  })

  test('completes --report with formats, then with files', async () => {
    expect(await offered('setpoint plan --report h')).toEqual(['html='])
    expect(sorted(await offered('setpoint plan --report html=my'))).toEqual([
      'html=my plan.json',
      'html=my-sets',
    ])
  })
})

/** On a terminal, because zsh completes nowhere else. `compadd` is wrapped to print the candidates. */
const ON_TERMINAL = String.raw`
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; autoload -Uz compinit; compinit -u -D; source $1"
zpty -w z 'compadd() { local -a got; builtin compadd -O got "$@"; (( $#got )) && print -rl -- "<OFFER"$^got"OFFER>"; builtin compadd "$@" }'
zpty -w z 'offer-and-end() { zle list-choices; print OFFERS-"END" }; zle -N offer-and-end; bindkey "^I" offer-and-end'
zpty -w z 'print REA""DY'
zpty -r z out '*READY*'
zpty -w -n z "$2"$'\t'
zpty -r z out '*OFFERS-END*'
print -r -- "$out"
zpty -d z
`

describe.skipIf(!isInstalled('zsh'))(titleOf('zsh'), () => {
  const offered = async (line: string): Promise<string[]> => {
    const { cwd, script } = await place('zsh')
    const output = words('zsh', ['-f', '-c', ON_TERMINAL, 'zsh', script, line], cwd).join('\n')
    return [
      ...new Set(
        [...output.matchAll(/<OFFER(.*?)OFFER>/gs)].map(([, word = '']) => word.replaceAll('\\ ', ' ')),
      ),
    ]
  }

  const some = Object.entries(CASES).filter((_, at) => at % 3 === 0)

  test.each(some)('completes %j', async (line, expected) => {
    expect(sorted(await offered(line))).toEqual(sorted(expected))
  })

  test('completes --report with formats, then with files', async () => {
    expect(await offered('setpoint plan --report h')).toEqual(['html='])
    expect(sorted(await offered('setpoint plan --report html=my'))).toEqual(['my plan.json', 'my-sets'])
  })
})

describe('completion', () => {
  const complete = (typed: readonly string[]) => completionFor(COMMANDS, typed, async () => ['network'])
  const offered = async (...typed: string[]): Promise<string[]> =>
    (await complete(typed)).split('\n').slice(0, -1)
  const wordsOf = async (...typed: string[]): Promise<string[]> =>
    (await offered(...typed)).slice(1).map(line => line.replace(/\t.*/, ''))

  test('offers every command and every flag of the program', async () => {
    const names = COMMANDS.map(({ name }) => name)
    expect(await wordsOf('')).toEqual([...names, 'help', '--help', '--version'])
    expect(await wordsOf('help', '')).toEqual(names)
    for (const { name, options } of COMMANDS)
      expect(await wordsOf(name, '-')).toEqual([...options.map(option => flagOf(option)), '--help'])
  })

  test('offers the values of a flag, after it or in the same word, and nothing elsewhere', async () => {
    expect(await offered('plan', '--format', '')).toEqual([':words 0', ...FORMATS])
    expect(await offered('plan', '--format=x')).toEqual([':words 9', ...FORMATS])
    expect(await offered('plan', '--report', '')).toEqual([':pairs 0', ...FILE_KINDS.map(form => `${form}=`)])
    expect(await offered('plan', '--report', 'html=a=b')).toEqual([':files 5'])
    expect(await offered('plan', '--report=html=a')).toEqual([':files 14'])
    expect(await offered('plan', '-C', '')).toEqual([':directories 0'])
    expect(await offered('plan', '--only', '')).toEqual([':words 0', 'network'])
    expect(await offered('apply', '--rewrite=n')).toEqual([':words 10', 'network'])
    expect(await offered('reviewed', '--guard', '')).toEqual([':any 0'])
    expect(await offered('plan', '--quiet', '')).toEqual([':any 0'])
    expect(await offered('apply', 'a=b')).toEqual([':files 0'])
    expect(await offered('nothing-like-it', '')).toEqual([':any 0'])
    expect((await complete([])).startsWith(':words 0\nvalidate\tCheck')).toBe(true)
  })

  test('offers only plain words, which no shell can misread', async () => {
    for (const { name, options } of COMMANDS) {
      for (const typed of [[''], ['-'], ...options.map(option => [flagOf(option), ''])])
        for (const word of await wordsOf(name, ...typed)) expect(word).toMatch(/^[\w-]+=?$/)
    }
  })

  describe('of names of sets', () => {
    const SETS = 'variableSets: { web: { env: { A: 1 } }, by-key: { name: by-name, env: { A: 1 } } }\n'
    const FILES = { 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': SETS }
    const names = async (cwd: string, ...typed: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await run(['__complete', ...typed, ''], { cwd, env: {} })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout.split('\n').slice(1, -1)
    }

    test('reads those of the repository that the command would use', async () => {
      const cwd = aDirectory({
        ...FILES,
        '.git/HEAD': 'ref: x\n',
        'sets/below/b.yaml': 'variableSets: { network: {} }\n',
      })
      const all = ['by-name', 'network', 'web']
      expect(await names(cwd, 'plan', '--only')).toEqual(all)
      expect(await names(join(cwd, 'sets/below'), 'plan', '--only')).toEqual(all)
      expect(await names(join(cwd, 'sets'), 'plan', '-C', '..', '--only')).toEqual(all)
      expect(await names(join(cwd, 'sets'), '-C', '..', 'plan', '--only')).toEqual(all)
      expect(await names(cwd, 'plan', '--config=setpoint.yaml', '--only')).toEqual(all)
      expect(await names(cwd, 'plan', '-C', 'sets', '--only')).toEqual([])
      expect(await names(aDirectory(), 'plan', '--only')).toEqual([])
    })

    test('offers the keys of sets that share a name', async () => {
      const twins = 'variableSets: { a: { name: twins, project: p }, b: { name: twins, project: q } }\n'
      expect(await names(aDirectory({ ...FILES, 'sets/a.yaml': twins }), 'plan', '--only')).toEqual([
        'a',
        'b',
      ])
    })

    test('says nothing of mistakes, and offers what can be read', async () => {
      const cwd = aDirectory({
        ...FILES,
        'sets/b.yaml': 'variableSets: {\n',
        'sets/c.yaml': 'variableSets: { c: { env: { A: { secert: S } } } }\n',
      })
      expect(await names(cwd, 'plan', '--only')).toEqual(['by-name', 'c', 'web'])
    })

    test('offers those of the first files of a large repository', async () => {
      const files = Array.from({ length: 1200 }, (_, at) => [
        `sets/${at + 1000}.yaml`,
        `# ${'x'.repeat(1000)}\nvariableSets: { set-${at + 1000}: {} }\n`,
      ])
      const found = await names(aDirectory({ ...FILES, ...Object.fromEntries(files) }), 'plan', '--only')
      expect(found).toContain('set-1000')
      expect(found).not.toContain('set-2199')
    })

    test('leaves out names that a shell could misread, and files past a limit', async () => {
      const hostile = [
        '$(touch x)',
        '`x`',
        'a b',
        'a;b',
        '-x',
        '~root',
        'a:b',
        'a=b',
        "a'b",
        'a*',
        '!!',
        'a\tb',
      ]
      const sets = Object.fromEntries([...hostile, 'ünder_score.1/2', 'safe'].map(name => [name, {}]))
      const cwd = aDirectory({
        ...FILES,
        'sets/a.yaml': JSON.stringify({ variableSets: sets }),
        'sets/b.yaml': `# ${'x'.repeat(1_100_000)}\nvariableSets: { long: {} }\n`,
      })
      expect(await names(cwd, 'plan', '--only')).toEqual(['safe', 'ünder_score.1/2'])
    })
  })

  test('is provided by a command that the help does not list', async () => {
    const cwd = aDirectory()
    const { code, stdout, stderr } = await run(['__complete', 'schema', ''], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^:words 0\n[\w\n-]+\n$/)
    expect((await run(['--help'], { cwd })).stdout).not.toContain('__complete')
  })

  test('names the supported shells if the argument is missing or unknown', async () => {
    const cwd = aDirectory()
    expect(await run(['completion', 'csh'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error bad-usage\n  There is no completion for "csh".\n  Run: setpoint completion bash|zsh|fish\n',
    })
    expect((await run(['completion'], { cwd })).stderr).toContain('Missing argument: SHELL.')
  })
})
