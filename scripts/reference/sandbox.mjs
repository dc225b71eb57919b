import { code, GENERATED, table } from './markdown.mjs'

const shown = value => [value].flat().join(', ')

/** The servers of the sandbox: a row for each behaviour that differs, a column for each server. */
export function sandboxPage(behaviours, servers) {
  const names = Object.keys(servers)
  const [first] = names
  const rows = Object.entries(behaviours).map(([trait, what]) => [
    what,
    ...names.map(name => {
      const value = shown(servers[name][trait])
      return name === first || value !== shown(servers[first][trait]) ? value : '"'
    }),
  ])
  return `${[
    GENERATED,
    '# Servers of the sandbox',
    'The sandbox is one of these servers: `setpoint sandbox --profile SERVER`, or `profile: { server }` in [a program](../sandbox.md#in-a-program). [Which one to choose](../sandbox.md#servers). The first one is the default: the published API to the letter, with the paths beyond it that clients need. A `"` is the answer of the default.',
    table(['', ...names.map(code)], rows).trimEnd(),
  ].join('\n\n')}\n`
}
