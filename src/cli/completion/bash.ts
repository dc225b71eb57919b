import type { CompletedCommand, Value } from './model.ts'

/** For bash 3.2 and newer. Bash takes `=` for a word of its own, so that a value may stand one or two words after its flag. */
export const bashCompletion = (
  commands: readonly CompletedCommand[],
): string => `# Completion of setpoint for bash. Made by: setpoint completion bash
_setpoint() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) command='' flag='' pair='' i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then
    cur=''
    at=$COMP_CWORD
  fi
  flag=\${COMP_WORDS[at]}
  if [[ $flag == '=' ]]; then
    flag=\${COMP_WORDS[at - 1]}
    [[ $flag == -* ]] || pair=yes
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} != -* ]]; then
      command=\${COMP_WORDS[i]}
      break
    fi
  done
  if [[ -n $pair ]]; then
    _setpoint_files -f
    return
  fi
  if [[ -z $command ]]; then
    _setpoint_words '${commands.map(({ name }) => name).join(' ')} --help --version'
    return
  fi
  case "$command $flag" in
${valueCases(commands)}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
${commands.map(({ name, flags }) => `      ${name}) _setpoint_words '${flags.map(flag => flag.name).join(' ')}' ;;`).join('\n')}
    esac
    return
  fi
  case "$command" in
${argumentCases(commands)}
  esac
}
_setpoint_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_setpoint_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
  type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
}
complete -F _setpoint setpoint
`

/** Flags with the same kind of value share a case. */
function valueCases(commands: readonly CompletedCommand[]): string {
  const byAction = new Map<string, string[]>()
  for (const { name, flags } of commands)
    for (const { name: flag, value } of flags) {
      if (value === undefined) continue
      const action = actionOf(value)
      byAction.set(action, [...(byAction.get(action) ?? []), `'${name} ${flag}'`])
    }
  return [...byAction]
    .map(([action, patterns]) => `    ${patterns.join(' | ')})\n      ${action}\n      return\n      ;;`)
    .join('\n')
}

const argumentCases = (commands: readonly CompletedCommand[]): string =>
  commands
    .flatMap(({ name, argument }) =>
      argument === undefined ? [] : [`    ${name}) ${actionOf(argument)} ;;`],
    )
    .join('\n')

function actionOf(value: Value): string {
  switch (value.kind) {
    case 'any':
      return ':'
    case 'file':
      return '_setpoint_files -f'
    case 'directory':
      return '_setpoint_files -d'
    case 'choices':
      return `_setpoint_words '${value.choices.join(' ')}'`
    case 'pairs':
      return `type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null\n      _setpoint_words '${value.choices.map(choice => `${choice}=`).join(' ')}'`
  }
}
