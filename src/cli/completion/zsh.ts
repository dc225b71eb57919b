import type { CompletedCommand, CompletedFlag, Value } from './model.ts'

export const zshCompletion = (commands: readonly CompletedCommand[]): string => `#compdef setpoint
# Completion of setpoint for zsh. Made by: setpoint completion zsh
_setpoint() {
  local curcontext=$curcontext state line ret=1
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  _arguments -C \\
    '(- *)--help[help, with examples]' \\
    '(- *)--version[the version]' \\
    '1:command:->command' \\
    '*::argument:->argument' && ret=0
  case $state in
    command) _describe -t commands command commands && ret=0 ;;
    argument)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
  return ret
}
_setpoint_pairs() {
  if compset -P '*='; then
    _files
  else
    compadd -S '=' -- "$@"
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _setpoint "$@"
else
  compdef _setpoint setpoint
fi
`

function commandCase({ name, flags, argument }: CompletedCommand): string {
  const specs = [
    ...flags.map(flagSpec),
    ...(argument === undefined ? [] : [quoted(`1:argument:${actionOf(argument)}`)]),
  ]
  return `        ${name})
          _arguments \\
${specs.map(spec => `            ${spec}`).join(' \\\n')} && ret=0
          ;;`
}

function flagSpec({ name, description, repeatable, value }: CompletedFlag): string {
  const said = description.replace(/[[\]\\:]/g, '\\$&')
  const after = value === undefined ? '' : `:value:${actionOf(value)}`
  return quoted(`${repeatable ? '*' : ''}${name}[${said}]${after}`)
}

function actionOf(value: Value): string {
  switch (value.kind) {
    case 'any':
      return ' '
    case 'file':
      return '_files'
    case 'directory':
      return '_files -/'
    case 'choices':
      return `(${value.choices.join(' ')})`
    case 'pairs':
      return `_setpoint_pairs ${value.choices.join(' ')}`
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
