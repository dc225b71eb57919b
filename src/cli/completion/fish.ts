import type { CompletedCommand, CompletedFlag, Value } from './model.ts'

export const fishCompletion = (
  commands: readonly CompletedCommand[],
): string => `# Completion of setpoint for fish. Made by: setpoint completion fish
function __setpoint_pairs
    set -l token (commandline -ct)
    if string match -q -- '*=*' $token
        set -l parts (string split -m 1 -- = $token)
        for path in (__fish_complete_path $parts[2])
            echo $parts[1]=$path
        end
    else
        printf '%s=\\n' $argv
    end
end
complete -c setpoint -e
complete -c setpoint -f
complete -c setpoint -n __fish_use_subcommand -l help -d 'help, with examples'
complete -c setpoint -n __fish_use_subcommand -l version -d 'the version'
${commands.map(linesOf).join('\n')}
`

function linesOf({ name, summary, flags, argument }: CompletedCommand): string {
  const seen = `complete -c setpoint -n '__fish_seen_subcommand_from ${name}'`
  return [
    `complete -c setpoint -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...flags.map(flag => `${seen} ${flagWords(flag)} -d ${quoted(flag.description)}`),
    ...(argument === undefined || argument.kind === 'any' ? [] : [`${seen} ${valueWords(argument, false)}`]),
  ].join('\n')
}

function flagWords({ name, value }: CompletedFlag): string {
  const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`
  return value === undefined ? flag : `${flag} ${valueWords(value, true)}`
}

/** `-x`: a value is required, and it is no file. */
function valueWords(value: Value, required: boolean): string {
  const alone = required ? '-x ' : ''
  switch (value.kind) {
    case 'any':
      return '-x'
    case 'file':
      return required ? '-r -F' : '-F'
    case 'directory':
      return `${alone}-a '(__fish_complete_directories)'`
    case 'choices':
      return `${alone}-a '${value.choices.join(' ')}'`
    case 'pairs':
      return `${alone}-a '(__setpoint_pairs ${value.choices.join(' ')})'`
  }
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
