import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/definitions.ts'
import { WORDS } from '../../src/cli/words.ts'
import { run } from '../support/program.ts'

const WHERE = { cwd: import.meta.dirname }
const CHANGELOG = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')

/** Rows of the first table *gone → instead*: what stands in code quotes at the beginning of a row, and its remedy as plain text. */
function rowsOf(changelog: string): { readonly gone: readonly string[]; readonly instead: string }[] {
  const [, table = ''] = /^\| gone \| instead \|\n.*\n((?:\|.*\n)*)/m.exec(changelog) ?? []
  return table
    .trimEnd()
    .split('\n')
    .map(row => row.replaceAll('\\|', '\0').split('|').slice(1, 3))
    .map(([gone = '', instead = '']) => ({
      gone: [...(/^(?:`[^`]*`(?:, | and )?)*/.exec(gone.trim())?.[0] ?? '').matchAll(/`([^`]*)`/g)].map(
        ([, word = '']) => word.replaceAll('\0', '|'),
      ),
      instead: plain(instead).replaceAll('\0', '|'),
    }))
}

/** Without the marks of Markdown. A link to a section is its address, as the program prints it. */
const plain = (text: string): string =>
  text
    .trim()
    .replaceAll(/\[[^\]]*\]\(([^)]*)\)/g, '$1')
    .replaceAll('`', '')

/** Whether it is a command (`setpoint x`) or an option, alone or of a command (`--x`, `x --y`); as the table of words has it. */
function wordOf(gone: string): string | undefined {
  const words = gone.replace(/^setpoint /, '').split(' ')
  const option = words.find(word => word.startsWith('--'))?.replace(/=.*/, '')
  if (option === undefined) return gone.startsWith('setpoint ') ? words[0] : undefined
  const [command = ''] = words
  return Object.hasOwn(WORDS, `${command} ${option}`) ? `${command} ${option}` : option
}

/** Rows whose word is missing in the table, or has another sentence there. */
const unlike = (changelog: string) =>
  rowsOf(changelog).flatMap(({ gone, instead }) =>
    gone.flatMap(text => {
      const word = wordOf(text)
      const sentence = word && plain(WORDS[word] ?? 'nothing')
      return word === undefined || sentence === instead ? [] : [{ word, instead, sentence }]
    }),
  )

describe('what 0.3.0 withdrew', () => {
  test('has the sentence of the changelog in the table of words', () => {
    expect(unlike(CHANGELOG)).toEqual([])
  })

  test('is found in rows of every form', () => {
    const rows = [
      '| `--gone`, `setpoint gone` and `plan --gone=x` of commands | Do [this](docs/rules.md#limits) with `c \\| d`. |',
      '| the code `gone` | none |',
      '| `key:` of a file | none |',
      '| `--yes` | To apply without a question: `setpoint apply --auto-approve`. |',
    ]
    const instead = 'Do docs/rules.md#limits with c | d.'
    expect(unlike(`# C\n\n| gone | instead |\n|-|-|\n${rows.join('\n')}\n\n| a | b |\n`)).toEqual([
      { word: '--gone', instead, sentence: 'nothing' },
      { word: 'gone', instead, sentence: 'nothing' },
      { word: '--gone', instead, sentence: 'nothing' },
    ])
  })
})

describe('a word of the table', () => {
  const options = COMMANDS.flatMap(command =>
    command.options.map(({ flags }) => [command.name, flags.split(' ')[0]]),
  )

  test.each(Object.keys(WORDS))('is no command or option, and prints its sentence: %s', async word => {
    const [command = '', option = command] = word.split(' ')
    const isOption = option.startsWith('--')
    const named = word === option ? options : options.filter(([name]) => name === command)
    expect(named.map(([, name]) => name).includes(option)).toBe(false)
    expect(COMMANDS.map(({ name }) => name).includes(word)).toBe(false)
    const ways = !isOption
      ? [[word], [word, '--format', 'json'], [word, 'x']]
      : ['plan', 'sandbox']
          .map(one => (word === option ? one : command))
          .flatMap(one => [
            [one, option],
            [one, `${option}=x`],
            [one, option.slice(1), 'x'],
          ])
    for (const argv of ways) {
      const { code, stdout, stderr } = await run(argv, WHERE)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^error bad-usage\n {2}Unknown (?:command|option) '/)
      expect(stderr.split('\n').slice(2)).toEqual([`  ${WORDS[word]}`, ''])
    }
  })
})
