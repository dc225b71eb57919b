import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { inputsCode } from '../../scripts/inputs.mjs'
import { cliPage } from '../../scripts/reference/cli.mjs'
import type { CommandDefinition } from '../../src/cli/command.ts'
import { completionFor } from '../../src/cli/commands/completion-command.ts'
import { COMMANDS } from '../../src/cli/definitions.ts'
import { describeCommand } from '../../src/cli/main.ts'
import { knownOptions } from '../../src/library/input.ts'
import { type FunctionName, OPTIONS_OF } from '../../src/library/inputs.gen.ts'
import * as tables from '../../src/run/options.ts'

const { flagOf, isSwitch, OPTIONS, ruleOf } = tables
type Option = tables.Option
const SRC = resolve(import.meta.dirname, '../../src')

/** All but the two tables. */
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !path.endsWith('.gen.ts'))
  .filter(path => !['run/options.ts', 'cli/definitions.ts'].includes(path))
  .map(path => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))

/** One of these is a word of any kind of option. */
const WORDS = ['some', '7', '5000', 'files=7', 'json=x', '1/2']
const VALUES = [
  true,
  'some',
  ['some'],
  7,
  5000,
  { files: 7 },
  { index: 1, of: 2 },
  [{ format: 'json', path: 'x' }],
]

/** What a command that was typed with these words makes of an option. */
function parsed(definition: CommandDefinition, { name }: Option, words: readonly string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ outputError: () => {} })
  const values = describeCommand(command, definition)
  command.parse([...words], { from: 'user' })
  return values()[name]
}

const wordsFor = (option: Option): readonly string[] => [...WORDS, ...(option.choices ?? [])]

/** The words that a command takes for an option, with what they become. */
function taken(definition: CommandDefinition, option: Option): { word: string; value: unknown }[] {
  return wordsFor(option).flatMap(word => {
    try {
      return [{ word, value: parsed(definition, option, [flagOf(option), word]) }]
    } catch {
      return []
    }
  })
}

const helpOf = (definition: CommandDefinition): string => {
  const command = new Command()
  describeCommand(command, definition)
  return command.configureHelp({ helpWidth: 1000 }).helpInformation()
}

async function followsFromItsRow(definition: CommandDefinition, option: Option): Promise<void> {
  const { flag, description, name } = option
  expect(helpOf(definition)).toContain(`  ${flag} `)
  expect(helpOf(definition)).toContain(description)
  const offered = await completionFor([definition], [definition.name, '-'], async () => [])
  expect(offered).toContain(`\n${flagOf(option)}\t${description}\n`)
  expect(cliPage([definition], [])).toContain(`| \`${flag.replaceAll('|', '\\|')}\` | `)
  const rule = ruleOf(option)
  if (isSwitch(option)) expect(parsed(definition, option, [flagOf(option)])).toBe(flag !== '--no-color')
  else {
    // What a word becomes is a value that the library takes.
    const words = taken(definition, option)
    expect(words.length).toBeGreaterThan(0)
    expect(words.filter(({ value }) => !rule.holds(value))).toEqual([])
  }
  const values = [...VALUES, ...(option.choices ?? [])]
  expect(new Set(values.map(rule.holds))).toEqual(new Set([true, false]))
  const types = inputsCode({ ...tables, COMMANDS: [definition] })
  const member = `  readonly ${name}?: ${rule.type}\n`
  const isThere = definition.asFunction !== undefined && !option.isOnlyTyped
  expect(isThere ? types : member).toContain(member)
}

describe('everything follows from the row of an option', () => {
  const rows = COMMANDS.flatMap(command =>
    command.options.map(option => [command.name, flagOf(option), command, option] as const),
  )
  test.each(rows)('%s %s', async (_, __, command, option) => {
    await followsFromItsRow(command, option)
  })

  test('of a new one, in the list of one command', async () => {
    const NEW = [
      { ...OPTIONS.only, flag: '--probe <pattern>', description: 'ask for what is new' },
      { ...OPTIONS.failFast, flag: '--probe', description: 'ask for what is new' },
      { ...OPTIONS.rate, flag: '--probe <n>', description: 'ask for what is new' },
      { ...OPTIONS.from, flag: '--probe <when>', description: 'ask for what is new' },
    ]
    for (const row of NEW) {
      const probe = { ...row, name: 'probe' as Option['name'] }
      const plan = COMMANDS.find(({ name }) => name === 'plan')
      if (plan === undefined) throw new Error('there is no plan')
      await followsFromItsRow({ ...plan, options: [...plan.options, probe] }, probe)
    }
  })
})

test('every option belongs to a command, and something reads it', () => {
  const used = COMMANDS.flatMap(({ options }) => options.map(({ name }) => name))
  expect(Object.keys(OPTIONS).filter(name => !used.some(one => one === name))).toEqual([])
  const texts = sources.flatMap(({ text }) => (/\boptions\b/.test(text) ? text : []))
  const isRead = (name: string) =>
    texts.some(text => new RegExp(`\\boptions\\??\\.${name}\\b|[{,]\\s*${name}\\b[^{}]*\\}`).test(text))
  expect(Object.keys(OPTIONS).filter(name => !isRead(name))).toEqual([])
  expect(isRead('probe')).toBe(false)
})

/** Options of git, npm, sha256sum, curl and V8 in messages and calls. */
const FOREIGN = [
  ...['--cached', '--deepen', '--depth', '--end-of-options', '--filter', '--full-tree', '--is-ancestor'],
  ...['--is-shallow-repository', '--name-only', '--save-dev', '--check', '--ignore-missing', '--user'],
  '--heap-growing-percent',
]

test('every option that a message, a comment or a printed command names is one of a command', () => {
  const known = [...COMMANDS.flatMap(({ options }) => options.map(flagOf)), '--help', '--version', ...FOREIGN]
  const named = sources
    .filter(({ path }) => !/^(?:git|sandbox)\/|^cli\/words\.ts$|^report\/html\/page-style\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      (text.match(/(?<![\w<!-])--[a-z][a-z-]+(?![\w(])/g) ?? []).map(flag => ({ path, flag })),
    )
  expect(named.length).toBeGreaterThan(200)
  expect(named.filter(({ flag }) => !known.includes(flag))).toEqual([])
})

test('a command has no two options of one spelling, and each of its names once', () => {
  for (const { options } of COMMANDS) {
    expect(new Set(options.map(flagOf)).size).toBe(options.length)
    const names = options.filter(({ flag }) => flag !== '--no-color').map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  }
})

describe('a function of the library has the options of its command', () => {
  test.each(COMMANDS.filter(({ asFunction }) => asFunction !== undefined))(
    '$name',
    ({ asFunction, options }) => {
      const name = asFunction as FunctionName
      const wanted = options.filter(one => !one.isOnlyTyped).map(one => one.name)
      expect(OPTIONS_OF[name]).toEqual(wanted)
      const known = knownOptions(name)
      for (const option of options.filter(one => !one.isOnlyTyped)) expect(known[option.name]).toBeDefined()
      // By hand, or for people at a terminal.
      const others = options.filter(option => option.isOnlyTyped && option.name !== 'sandbox')
      expect(others.map(one => one.name).filter(one => known[one] !== undefined)).toEqual([])
    },
  )
})
