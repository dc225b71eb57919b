import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/definitions.ts'
import { WORDS } from '../../src/cli/words.ts'
import { flagOf } from '../../src/run/options.ts'
import { unlikeWords } from '../support/changelog.ts'
import { run } from '../support/program.ts'

const WHERE = { cwd: import.meta.dirname }
describe('what 0.3.0 withdrew', () => {
  // test/readme.test.ts compares the changelog.
  test('is found in rows of every form', () => {
    const rows = [
      '| `--gone`, `setpoint gone` and `plan --gone=x` of commands | Do [this](docs/rules.md#limits) with `c \\| d`. |',
      '| the code `gone` | none |',
      '| `key:` of a file | none |',
      '| `--limit gone` | none |',
      '| `--yes` | To apply or release without a question: `--auto-approve` |',
    ]
    const instead = 'Do docs/rules.md#limits with c | d.'
    expect(unlikeWords(`# C\n\n| gone | instead |\n|-|-|\n${rows.join('\n')}\n\n| a | b |\n`)).toEqual([
      { word: '--gone', instead, sentence: 'nothing' },
      { word: 'gone', instead, sentence: 'nothing' },
      { word: '--gone', instead, sentence: 'nothing' },
    ])
  })
})

describe('a word of the table', () => {
  const options = COMMANDS.flatMap(command => command.options.map(one => [command.name, flagOf(one)]))

  test.each(Object.keys(WORDS))('is no command or option, and prints its sentence: %s', async word => {
    const [command = '', option = command] = word.split(' ')
    const isOption = option.startsWith('--')
    // The sandbox gives its token away, and no other command takes one.
    const elsewhere = options.filter(([name]) => !(name === 'sandbox' && option === '--token'))
    const named = word === option ? elsewhere : elsewhere.filter(([name]) => name === command)
    expect(named.map(([, name]) => name).includes(option)).toBe(false)
    expect(COMMANDS.map(({ name }) => name).includes(word)).toBe(false)
    const ways = !isOption
      ? [[word], [word, '--format', 'json'], [word, 'x']]
      : ['plan', option === '--token' ? 'apply' : 'sandbox']
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
