import { code, GENERATED, table } from './markdown.mjs'

/** The switches of the sandbox's profiles: their values, and where a correct client ends otherwise. */
export function sandboxPage(axes, defaults) {
  const rows = axes.map(({ name, values }) => [
    code(name),
    values.map(({ value }) => (value === defaults[name] ? `**${value}**` : value)).join(', '),
    values.flatMap(exception).join('; '),
  ])
  return `${[
    GENERATED,
    '# Switches of the sandbox',
    'Each switch is one behaviour that the API does not specify: `setpoint sandbox --profile NAME=VALUE`, or `profile` in [a program](../sandbox.md#in-a-program). The default (bold) follows the API or, if the API does not specify it, the known real service. Only the rate limit is off by default. A correct client converges with every value. The exceptions are in the last column: in these cases the client may end with the given exit code, without damage.',
    table(['switch', 'values', 'exceptions'], rows).trimEnd(),
    'A profile with a name sets many switches at once, and switches that are given in addition win: `--profile otf` imitates [OTF](../service.md#how-otf-deviates).',
  ].join('\n\n')}\n`
}

const exception = ({ value, expect }) =>
  expect === 'converges'
    ? []
    : [`${value}: exit ${expect.exits.join(', ').replace(/, (?=\d$)/, ' or ')} if ${expect.when}`]
