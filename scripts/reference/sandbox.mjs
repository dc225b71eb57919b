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
    'Each switch is one behaviour that the API does not specify, or that a known server has: `setpoint sandbox --profile NAME=VALUE`, or `profile` in [a program](../sandbox.md#in-a-program). The default (bold) follows the API or, if the API does not specify it, the known real service. A correct client converges with every value. The exceptions are in the last column: in these cases the client may end with the given exit code, without damage.',
    table(['switch', 'values', 'exceptions'], rows).trimEnd(),
    'A server has its own values of other switches, and switches that are given in addition win: `--profile otf`, which is `--profile server=otf`, imitates [OTF](../service.md#how-otf-deviates).',
  ].join('\n\n')}\n`
}

const exception = ({ value, expect }) =>
  expect === 'converges'
    ? []
    : [`${value}: exit ${expect.exits.join(', ').replace(/, (?=\d$)/, ' or ')} if ${expect.when}`]
