import { ENVIRONMENT } from './environment.mjs'
import { code, GENERATED, prose, table } from './markdown.mjs'

export function cliPage(commands, meanings) {
  return `${[
    GENERATED,
    '# Command line',
    commands.map(({ name, summary }) => `- [${code(name)}](#setpoint-${name}): ${prose(summary)}`).join('\n'),
    '`setpoint --help` and `setpoint COMMAND --help` print the same text. The result goes to stdout, everything else to stderr.\nAn option means the same in every command, unless the table of a command describes it in other words, as it does for `--out`, `--secrets` and `--snapshot` of some. A value that begins with `--` stands behind an equals sign: `--only=--name`.',
    ...commands.map(section),
    '## Environment',
    'An empty variable counts as unset.',
    table(
      ['variable', 'meaning'],
      ENVIRONMENT.map(([name, meaning]) => [code(name), meaning]),
    ).trimEnd(),
    '## Exit codes',
    exitTable(meanings).trimEnd(),
  ].join('\n\n')}\n`
}

const exitTable = meanings =>
  table(
    ['exit', 'when'],
    meanings.map(([number, meaning]) => [String(number), prose(meaning)]),
  )

function section({ name, summary, argument, options, examples }) {
  const usage = [
    `setpoint ${name}`,
    ...(options.length > 0 ? ['[options]'] : []),
    ...(argument ? [argument.required ? `<${argument.name}>` : `[${argument.name}]`] : []),
  ]
  const rows = [
    ...(argument ? [[code(argument.name), prose(argument.description)]] : []),
    ...options.map(option => [code(option.flag), described(option)]),
  ]
  return [
    `## setpoint ${name}`,
    prose(summary),
    `    ${usage.join(' ')}`,
    ...(rows.length > 0 ? [table(['', ''], rows).trimEnd()] : []),
    examples.map(([command, comment]) => `- ${code(command)}: ${prose(comment)}`).join('\n'),
  ].join('\n\n')
}

function described({ description, choices, fallback }) {
  const more = [
    ...(choices ? [`one of ${choices.map(code).join(', ')}`] : []),
    ...(['string', 'number'].includes(typeof fallback) ? [`default: ${code(String(fallback))}`] : []),
  ]
  return `${prose(description)}${more.length > 0 ? ` (${more.join('; ')})` : ''}`
}
