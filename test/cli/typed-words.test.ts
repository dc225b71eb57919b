import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/definitions.ts'
import { forConfiguration } from '../../src/cli/typed-words.ts'
import { mistake } from '../../src/model/diagnostic.ts'
import { commandLine, inThisPlace, type TypedCommand } from '../../src/report/command-line.ts'
import { flagOf } from '../../src/run/options.ts'
import { typedAs } from '../support/typed.ts'

const printed = (typed: TypedCommand): string => commandLine(typed).quote.text

/** The words that a POSIX shell makes of a command, without the name of the program. */
const shellWords = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

describe('the words of a command', () => {
  test.each([
    [
      ['--only', 'a', '--sandbox'],
      [['--only', 'a'], ['--sandbox']],
    ],
    [
      ['--only=a', '-C', 'infra'],
      [['--only=a'], ['-C', 'infra']],
    ],
    [
      ['-Cinfra', 'plan.json'],
      [['-Cinfra'], ['plan.json']],
    ],
    [
      ['--only', '-C', 'x'],
      [['--only', '-C'], ['x']],
    ],
    [
      ['--secrets', '-', '--', '-plan.json'],
      [
        ['--secrets', '-'],
        ['--', '-plan.json'],
      ],
    ],
  ])('go together as the parser reads them: %j', (words, groups) => {
    expect(typedAs('apply', ...words).words.map(({ text }) => text)).toEqual(groups)
  })

  test('of an argument that may be left out do not swallow the next flag', () => {
    const groups = (...words: string[]) => typedAs('groups', ...words).words.map(({ text }) => text)
    expect(groups('--update', '--quiet')).toEqual([['--update'], ['--quiet']])
    expect(groups('--update', 'prod', '--quiet')).toEqual([['--update', 'prod'], ['--quiet']])
  })

  test('are printed so that a shell reads them again, whatever they are', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter(text => !text.startsWith('-')),
      fc.constantFrom("it's", '$HOME', 'a b', '*', '`id`', '"', '\\', '!!', '#x', '~'),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), names => {
        const words = names.flatMap(name => ['--only', name])
        expect(shellWords(printed(typedAs('apply', ...words)))).toEqual(['apply', ...words])
      }),
      { numRuns: 40 },
    )
  })
})

describe('another command takes over', () => {
  const PLAN = typedAs(
    'plan',
    ...['--only', 'a', '--out', 'p.json', '-C', 'infra', '--report', 'json=r.json', '--format=markdown'],
    ...['--base', 'main', '--only-this-change', '--secrets', '-', '--detailed-exitcode', '--verbose'],
  )

  test('where everything is, and what is asked of a plan, in the order that was typed', () => {
    expect(commandLine(PLAN).as('apply').quote.text).toBe(
      'setpoint apply --only a -C infra --base main --only-this-change --secrets -',
    )
    expect(commandLine(PLAN).as('export').quote.text).toBe('setpoint export -C infra')
    expect(commandLine(PLAN).as('plan').quote.text).toBe(printed(PLAN))
  })

  test('only options that it has', () => {
    for (const { name, options } of COMMANDS) {
      const all = options.flatMap(option => [flagOf(option), ...(option.flag.includes('<') ? ['x'] : [])])
      for (const other of ['plan', 'apply', 'export']) {
        const known = COMMANDS.find(one => one.name === other)?.options.map(flagOf)
        const taken = commandLine(typedAs(name, ...all)).as(other).typed.words
        expect(other === name ? [] : taken.filter(({ flag = '' }) => !known?.includes(flag))).toEqual([])
      }
    }
  })

  test('the plan file, if it takes one', () => {
    const show = commandLine(typedAs('show', 'p.json', '-C', 'infra', '--format', 'markdown'))
    expect(show.as('apply').with('--approve', 'd').quote.text).toBe(
      'setpoint apply p.json -C infra --approve d',
    )
    expect(commandLine(typedAs('apply', 'p.json')).as('plan').quote.text).toBe('setpoint plan')
  })
})

describe('a flag', () => {
  const APPLY = commandLine(typedAs('apply', '--auto-approve', '--only', 'a', '--only=b', '--', 'p.json'))

  test('is left out as often as it was typed, in any form', () => {
    expect(APPLY.without('--only', '--auto-approve').quote.text).toBe('setpoint apply -- p.json')
  })

  test('is added at the end, before what is no flag', () => {
    expect(APPLY.without('--auto-approve').with('--rewrite', 'x', "y's").quote.text).toBe(
      `setpoint apply --only a --only=b --rewrite x --rewrite 'y'\\''s' -- p.json`,
    )
  })

  test('has a value that begins like a flag behind an equals sign', () => {
    expect(commandLine(typedAs('apply')).with('--only', '--a', '-b').quote.text).toBe(
      'setpoint apply --only=--a --only=-b',
    )
  })

  test('names the configuration of one organization in place of the pattern', () => {
    const all = typedAs('apply', '--config=orgs/*.yaml', '--shard', '1/2', '--auto-approve')
    const one = commandLine(forConfiguration(all, 'orgs/a.yaml'))
    expect(one.quote.text).toBe('setpoint apply --auto-approve --config orgs/a.yaml')
    expect(one.as('plan').quote.text).toBe('setpoint plan --config orgs/a.yaml')
  })
})

describe('the commands of a hint', () => {
  const hinted = (hint: string, ...words: Parameters<typeof typedAs>) =>
    inThisPlace([mistake('empty-group', 'x', hint)], typedAs(...words))[0]?.hint
  const HERE = ['--sandbox', '-C', 'my infra'] as const

  test.each([
    ['Run `setpoint groups --update` now.', "Run `setpoint groups --sandbox -C 'my infra' --update` now."],
    [
      "Take it: setpoint apply --adopt 'a b'",
      "Take it: setpoint apply --sandbox -C 'my infra' --adopt 'a b'",
    ],
    ['setpoint plan', "setpoint plan --sandbox -C 'my infra'"],
    // It reads files only.
    ['`setpoint validate`', "`setpoint validate -C 'my infra'`"],
    [
      'setpoint itself, setpoint.yaml, "setpoint plan", sops',
      'setpoint itself, setpoint.yaml, "setpoint plan", sops',
    ],
  ])('go to the files and the service of the command that was typed: %s', (hint, expected) => {
    expect(hinted(hint, 'plan', ...HERE, '--only', 'x', '--quiet')).toBe(expected)
    expect(hinted(hint, 'apply', '--auto-approve', ...HERE, 'plan.json')).toBe(expected)
  })

  test.each([
    [['--address', 'https://tfe.example', '--tokens', 'tokens.yaml'], ' --address https://tfe.example'],
    [['--address=https://tfe.example'], ' --address=https://tfe.example'],
    [['--address', 'https://user:canary@tfe.example'], ''],
    [['--address', 'canary'], ''],
    [['--tokens', 'acme=canary'], ''],
  ])('repeat no argument that may be a secret: %j', (words, expected) => {
    expect(hinted('setpoint groups --update', 'plan', ...words)).toBe(`setpoint groups${expected} --update`)
  })

  test('of one of several configurations name that one', () => {
    const typed = forConfiguration(typedAs('plan', '--sandbox', '--config', '*.yaml'), 'b.yaml')
    expect(inThisPlace([mistake('empty-group', 'x', 'setpoint groups --update')], typed)[0]?.hint).toBe(
      'setpoint groups --sandbox --config b.yaml --update',
    )
  })

  test('stay as they are without a typed command, and without a place', () => {
    const found = [mistake('empty-group', 'x', 'setpoint plan'), mistake('empty-group', 'y')]
    expect(inThisPlace(found, undefined)).toEqual(found)
    expect(inThisPlace(found, typedAs('plan', '--only', 'x'))).toEqual(found)
  })
})
