import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { sayDiagnostics } from '../say.ts'
import { COMPLETE, SHELLS } from '../shells.ts'

/** Prints the script of one shell. Each asks the program what may stand at the cursor, and knows nothing of its commands. */
export const run: Run = async (io, options, given) => {
  const shell = SHELLS.find(name => name === given)
  if (shell === undefined) {
    const message =
      given === undefined ? 'Which shell?' : `There is no completion for ${JSON.stringify(given)}.`
    sayDiagnostics(io, options, [
      { severity: 'error', code: 'bad-usage', message, hint: `setpoint completion ${SHELLS.join('|')}` },
    ])
    return EXIT.error
  }
  io.stdout.write(SCRIPTS[shell])
  return EXIT.done
}

/** Bash, from 3.2 on, takes `=` for a word of its own: words are put together again, and what is kept stands in other words. */
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
