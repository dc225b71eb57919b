import { code, GENERATED, prose, table } from './markdown.mjs'

/** The objects that rules can name, from the schema of the JSON that they see. */
export function rulesPage(objects, scopes) {
  const known = Object.entries(scopes).map(([subject, names]) => [
    code(subject),
    Object.entries(names)
      .map(([name, type]) => `${code(name)} (${link(type)})`)
      .join(', '),
  ])
  return `${[
    GENERATED,
    '# Objects of rules',
    'The objects that an expression of a [rule](../rules.md) can use, by its `for`:',
    table(['`for`', 'objects'], known).trimEnd(),
    'They are the member `planned` of what `setpoint plan --format json` prints (`setpoint schema report`), where a list of workspaces contains their ids, and a number stands for the workspaces of a group.',
    'Some fields *may be absent*. Check first: `has(variable.value) && variable.value == "a"`. Reading an absent field is an error of the rule.',
    ...Object.entries(objects).map(([name, { about, fields }]) => section(name, about, fields)),
  ].join('\n\n')}\n`
}

const section = (name, about, fields) =>
  [
    `## ${name}`,
    prose(about),
    table(
      ['field', 'type', 'description'],
      Object.entries(fields).map(([field, [type, meaning]]) => [
        code(field),
        typeOf(type),
        prose(type.endsWith('?') ? `${meaning} *May be absent.*` : meaning),
      ]),
    ).trimEnd(),
  ].join('\n\n')

const link = type => `[${type}](#${type.toLowerCase()})`

function typeOf(type) {
  const plain = type.replace('?', '')
  const item = /^list<(.*)>$/.exec(plain)?.[1]
  if (item !== undefined) return `list of ${typeOf(item)}`
  return /^[A-Z]/.test(plain) ? link(plain) : code(plain)
}
