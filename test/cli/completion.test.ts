import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { completedCommands } from '../../src/cli/completion/model.ts'
import { COMMANDS } from '../../src/cli/definitions.ts'
import { SHELLS } from '../../src/cli/shells.ts'
import { FORMATS } from '../../src/report/formats.ts'
import { aDirectory, run } from '../support/program.ts'

/** What each line before the cursor offers, in any order. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'setpoint pl': ['plan'],
  'setpoint plan --detailed': ['--detailed-exitcode'],
  'setpoint drift --detailed': [],
  'setpoint plan --format ': FORMATS,
  'setpoint plan --format m': ['markdown'],
  'setpoint secrets --format g': ['github', 'gitlab'],
  'setpoint apply my': ['my plan.json', 'my-sets'],
  'setpoint plan -C my': ['my-sets'],
  'setpoint apply --events my': ['my plan.json', 'my-sets'],
  'setpoint schema ev': ['event'],
  'setpoint help va': ['validate'],
  'setpoint completion ': SHELLS,
}

const words = (command: string, argv: readonly string[], cwd: string): string[] => {
  const { stdout, stderr, status } = spawnSync(command, argv, { cwd, encoding: 'utf8', timeout: 30_000 })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter(line => line !== '')
}

const isInstalled = (shell: string): boolean =>
  spawnSync(shell, ['-c', 'exit 0'], { timeout: 30_000 }).status === 0

const titleOf = (shell: string): string =>
  isInstalled(shell) ? shell : `${shell} (skipped: it is not on the path)`

async function place(shell: string): Promise<{ cwd: string; script: string }> {
  const cwd = aDirectory({ 'my plan.json': '{}', 'my-sets/a.yaml': '', 'other.json': '{}' })
  const { code, stdout, stderr } = await run(['completion', shell], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const script = join(aDirectory(), `completion.${shell}`)
  writeFileSync(script, stdout)
  return { cwd, script }
}

const sorted = (list: readonly string[]): string[] => list.map(one => one.replace(/\/$/, '')).toSorted()

describe.skipIf(!isInstalled('bash'))(titleOf('bash'), () => {
  /** Words as the line editor splits them: `=` is one by itself. */
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

  test.each(Object.entries(CASES))('offers for %j what may stand there', async (line, expected) => {
    expect(sorted(await offered(line))).toEqual(sorted(expected))
  })

  test('offers the kinds of a report, then files', async () => {
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

  test.each(Object.entries(CASES))('offers for %j what may stand there', async (line, expected) => {
    expect(sorted(await offered(line))).toEqual(sorted(expected))
  })

  test('offers the kinds of a report, then files', async () => {
    expect(await offered('setpoint plan --report h')).toEqual(['html='])
    expect(sorted(await offered('setpoint plan --report html=my'))).toEqual([
      'html=my plan.json',
      'html=my-sets',
    ])
  })
})

/** On a terminal of its own, for zsh completes nowhere else; what is offered is read where it is handed over. */
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

  test.each(some)('offers for %j what may stand there', async (line, expected) => {
    expect(sorted(await offered(line))).toEqual(sorted(expected))
  })

  test('offers the kinds of a report, then files', async () => {
    expect(await offered('setpoint plan --report h')).toEqual(['html'])
    expect(sorted(await offered('setpoint plan --report html=my'))).toEqual(['my plan.json', 'my-sets'])
  })
})

describe('completion', () => {
  test('knows every command and every flag of the program', () => {
    const commands = completedCommands(COMMANDS)
    expect(commands.map(({ name }) => name)).toEqual([...COMMANDS.map(({ name }) => name), 'help'])
    const flags = (name: string) =>
      commands.find(command => command.name === name)?.flags.map(flag => flag.name)
    for (const { name, options } of COMMANDS)
      expect(flags(name)).toEqual([...options.map(option => /^(-\S+)/.exec(option.flags)?.[1]), '--help'])
  })

  test('holds nothing but words where a shell would read more', () => {
    for (const { name, flags, argument } of completedCommands(COMMANDS)) {
      const values = [argument, ...flags.map(flag => flag.value)].flatMap(value =>
        value !== undefined && 'choices' in value ? value.choices : [],
      )
      for (const word of [name, ...flags.map(flag => flag.name), ...values]) expect(word).toMatch(/^[\w-]+$/)
    }
  })

  test('for another shell, or none, says which there are', async () => {
    const cwd = aDirectory()
    expect(await run(['completion', 'csh'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error bad-usage\n  There is no completion for "csh".\n  setpoint completion bash|zsh|fish\n',
    })
    expect((await run(['completion'], { cwd })).stderr).toContain('Which shell?')
  })
})
