import { FILE_KINDS } from '../../report/formats.ts'
import { misuse } from '../../run/commands/ending.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { flagOf, isSwitch, type Option } from '../../run/options.ts'
import { COMPLETE, type CommandDefinition, type CommandRun, SHELLS } from '../command.ts'
import type { CompletedPlace } from '../completed-sets.ts'

/** Prints the script of one shell. The script asks the program for candidates, and contains no commands itself. */
export const run: CommandRun = async (io, given = '') => {
  const shell = SHELLS.find(name => name === given)
  if (shell === undefined)
    misuse(
      io,
      `There is no completion for ${JSON.stringify(given)}.`,
      `Run: setpoint completion ${SHELLS.join('|')}`,
    )
  io.stdout.write(SCRIPTS[shell])
  return EXIT.done
}

/** Bash (3.2 or newer) splits words at `=`. The script joins them again, and replaces only the part after the `=`. */
const BASH = `# Completion of setpoint for bash. Made by: setpoint completion bash
_setpoint() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line words=() i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if [[ \${#words[@]} -gt 0 && (\${COMP_WORDS[i]} == '=' || \${COMP_WORDS[i - 1]} == '=') ]]; then
      words[\${#words[@]} - 1]+=\${COMP_WORDS[i]}
    else
      words+=("\${COMP_WORDS[i]}")
    fi
  done
  [[ $cur != '=' ]] || cur=''
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :pairs*) compopt -o nospace 2>/dev/null ;;
      :files*) _setpoint_paths -f ;;
      :directories*) _setpoint_paths -d ;;
      :*) ;;
      "$cur"*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(setpoint ${COMPLETE} "\${words[@]}" 2>/dev/null)
}
_setpoint_paths() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
  compopt -o filenames 2>/dev/null
}
complete -F _setpoint setpoint
`

const ZSH = `#compdef setpoint
# Completion of setpoint for zsh. Made by: setpoint completion zsh
_setpoint() {
  local -a lines offered
  lines=("\${(@f)$(setpoint ${COMPLETE} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  offered=("\${(@)lines[2,-1]/$'\\t'/:}")
  compset -p \${lines[1]#* }
  case $lines[1] in
    :words*) _describe -t words word offered ;;
    :pairs*) _describe -t words word offered -S '' ;;
    :files*) _files ;;
    :directories*) _files -/ ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _setpoint "$@"
else
  compdef _setpoint setpoint
fi
`

const FISH = `# Completion of setpoint for fish. Made by: setpoint completion fish
function __setpoint
    set -l token (commandline -ct)
    set -l lines (setpoint ${COMPLETE} (commandline -opc)[2..] "$token" 2>/dev/null)
    set -l kind (string split ' ' -- $lines[1])
    set -l kept (string sub -l $kind[2] -- $token)
    set -l typed (string sub -s (math $kind[2] + 1) -- $token)
    switch $kind[1]
        case :files
            set lines '' (__fish_complete_path $typed)
        case :directories
            set lines '' (__fish_complete_directories $typed)
        case '*'
            set lines '' (string match -- "$typed*" $lines[2..])
    end
    for offered in $lines[2..]
        printf '%s\\n' "$kept$offered"
    end
end
complete -c setpoint -e
complete -c setpoint -f -a '(__setpoint)'
`

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const satisfies Record<
  (typeof SHELLS)[number],
  string
>

/** What completion offers. `pairs`: one of these words, an equals sign and a file. `sets`: the words are in the files. */
interface Offer {
  readonly kind: 'any' | 'files' | 'directories' | 'words' | 'pairs' | 'sets'
  readonly words?: readonly Word[]
}

type Word = readonly [word: string, description?: string]

/**
 * The candidates for a shell. `words` are the words after the program's name, up to the cursor. The last one is what was typed
 * so far, and may be empty. The first line of the result is `:KIND N`. KIND is words, pairs, files, directories or any; the
 * first N characters of the last word stay as they are. Each further line is a candidate, with a tab and its description if it
 * has one. The shell drops candidates that do not match. `setsAt` is asked only where the name of a set belongs.
 */
export async function completionFor(
  definitions: readonly CommandDefinition[],
  words: readonly string[],
  setsAt: (place: CompletedPlace) => Promise<readonly string[]>,
): Promise<string> {
  const { offer, kept } = offerFor(definitions, words)
  if (offer.kind !== 'sets') return answer(offer, kept)
  const place = { directory: typedFor('-C', words), config: typedFor('--config', words) }
  return answer(choiceOf(await setsAt(place)), kept)
}

/** What was typed for an option, after it or in the same word. */
function typedFor(flag: string, words: readonly string[]): string | undefined {
  const at = words.findLastIndex(word => word === flag || word.startsWith(`${flag}=`))
  return at < 0 ? undefined : words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1)
}

/** `kept`: number of characters of the last word that stay as they are. */
interface Offered {
  readonly offer: Offer
  readonly kept: number
}

const offered = (offer: Offer, kept = 0): Offered => ({ offer, kept })

function offerFor(definitions: readonly CommandDefinition[], words: readonly string[]): Offered {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const at = before.findIndex(word => !word.startsWith('-'))
  const commands = definitions.map(({ name, summary }): Word => [name, summary])
  if (at < 0) return offered({ kind: 'words', words: [...commands, ...FIRST] })
  const command = definitions.find(({ name }) => name === before[at])
  const options = command?.options ?? []
  const offerOf = (flag = ''): Offer | undefined => {
    const option = options.find(one => flagOf(one) === flag)
    return option && takenBy(option)
  }
  const [flag, ...rest] = typed.split('=')
  const inside = rest.length > 0 ? offerOf(flag) : undefined
  if (inside !== undefined) return valueOffer(inside, rest.join('='), (flag ?? '').length + 1)
  const open = before.length > at + 1 ? offerOf(before.at(-1)) : undefined
  if (open !== undefined) return valueOffer(open, typed, 0)
  if (typed.startsWith('-')) {
    const flags = options.map((one): Word => [flagOf(one), one.description])
    return offered({ kind: 'words', words: [...flags, ['--help', HELP]] })
  }
  if (before[at] === 'help') return offered({ kind: 'words', words: commands })
  const { name = '', choices } = command?.argument ?? {}
  return offered(choices === undefined ? placeholderOf(name) : choiceOf(choices))
}

const HELP = 'show help and examples'
const FIRST: readonly Word[] = [
  ['help', 'show help for a command'],
  ['--help', HELP],
  ['--version', 'print the version'],
]

/** `kept`: number of characters before the value in the same word. */
function valueOffer(value: Offer, typed: string, kept: number): Offered {
  const sign = typed.indexOf('=')
  return value.kind === 'pairs' && sign >= 0
    ? offered({ kind: 'files' }, kept + sign + 1)
    : offered(value, kept)
}

function answer({ kind, words = [] }: Offer, kept: number): string {
  const sign = kind === 'pairs' ? '=' : ''
  const lines = words.map(([word, description]) =>
    description === undefined ? `${word}${sign}` : `${word}${sign}\t${description}`,
  )
  return [`:${kind} ${kept}`, ...lines, ''].join('\n')
}

const choiceOf = (words: readonly string[]): Offer => ({ kind: 'words', words: words.map(word => [word]) })

/** `undefined` for a switch. */
function takenBy(option: Option): Offer | undefined {
  const { flag, kind, choices } = option
  if (choices !== undefined) return choiceOf(choices)
  if (isSwitch(option)) return undefined
  if (kind.offers === 'sets') return { kind: 'sets' }
  if (kind.offers === 'reports') return { ...choiceOf(FILE_KINDS), kind: 'pairs' }
  return placeholderOf(/<([^>]*)>/.exec(flag)?.[1] ?? '')
}

/** The help names the kind of argument, and completion follows it. */
function placeholderOf(name: string): Offer {
  if (['file', 'planfile', 'source'].includes(name)) return { kind: 'files' }
  return { kind: name === 'dir' || name === 'directory' ? 'directories' : 'any' }
}
