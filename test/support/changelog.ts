import { COMMANDS } from '../../src/cli/definitions.ts'
import { WORDS } from '../../src/cli/words.ts'
import { flagOf } from '../../src/run/options.ts'

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

const OPTIONS = COMMANDS.flatMap(command => command.options.map(flagOf))

/** Whether it is a command (`setpoint x`) or an option, alone or of a command (`--x`, `x --y`); as the table of words has it. `--limit keys` is a value that went. */
function wordOf(gone: string): string | undefined {
  const words = gone.replace(/^setpoint /, '').split(' ')
  const option = words.find(word => word.startsWith('--'))?.replace(/=.*/, '')
  if (option === undefined) return gone.startsWith('setpoint ') ? words[0] : undefined
  const [command = ''] = words
  if (command === option && OPTIONS.includes(option)) return undefined
  return Object.hasOwn(WORDS, `${command} ${option}`) ? `${command} ${option}` : option
}

/** Rows whose word is missing in the table of words, or has another sentence there. */
export const unlikeWords = (changelog: string) =>
  rowsOf(changelog).flatMap(({ gone, instead }) =>
    gone.flatMap(text => {
      const word = wordOf(text)
      const sentence = word && plain(WORDS[word] ?? 'nothing')
      return word === undefined || sentence === instead ? [] : [{ word, instead, sentence }]
    }),
  )
