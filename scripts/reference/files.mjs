import { Document, isScalar, isSeq, visit } from 'yaml'
import { code, GENERATED, prose, table } from './markdown.mjs'

/** Files that people write are shown completely, and files of the program with their outermost members. */
const WRITTEN_BY_HAND = [
  ['setpoint', 'setpoint.yaml'],
  ['sets', 'sets/**/*.yaml'],
  ['groups', 'groups.yaml'],
  ['rules', 'rules/**/*.yaml'],
  ['cases', 'rules/tests/**/*.yaml'],
]
const WRITTEN_BY_PROGRAM = [
  ['plan', 'plan --out FILE'],
  ['report', '--format json'],
  ['failure', '--format json'],
  ['several', '--config PATTERN --format json'],
  ['validation', 'validate --format json'],
  ['explanation', 'explain --format json'],
  ['key-explanation', 'explain --key KEY --format json'],
  ['affected', 'affected --format json'],
  ['tests', 'test --format json'],
  ['snapshot', 'snapshot --out FILE'],
]

export function filesPage(schemas) {
  const missing = [...schemas.keys()].filter(
    name => ![...WRITTEN_BY_HAND, ...WRITTEN_BY_PROGRAM].some(([known]) => known === name),
  )
  if (missing.length > 0) throw new Error(`schemas without a place on the page: ${missing.join(', ')}`)
  return `${[
    GENERATED,
    '# Files',
    'All formats are also JSON Schemas, for editors that check while you type: `setpoint schema sets > sets.schema.json`.',
    ...WRITTEN_BY_HAND.map(([name, file]) => documentSection(schemas.get(name), file, true)),
    ...WRITTEN_BY_PROGRAM.map(([name, file]) => documentSection(schemas.get(name), file, false)),
  ].join('\n\n')}\n`
}

function documentSection(schema, file, whole) {
  const [example] = whole ? (schema.examples ?? []) : []
  return [
    `## ${schema.title}: ${code(file)}`,
    prose(schema.description),
    ...(example === undefined ? [] : [`\`\`\`yaml\n${yaml(example)}\`\`\``]),
    membersOf(schema, schema, whole),
    ...(whole
      ? partsOf(schema).map(([title, part]) =>
          [`### ${title}`, prose(part.description), membersOf(part, schema, true)].join('\n\n'),
        )
      : [`The parts of it are in the schema: ${code(`setpoint schema ${schema.$id.split(':')[3]}`)}.`]),
  ].join('\n\n')
}

/** The maps among the definitions, with their titles. */
const partsOf = schema =>
  Object.entries(schema.$defs ?? {})
    .filter(([, part]) => part.properties !== undefined)
    .map(([name, part]) => [part.title ?? name[0].toUpperCase() + name.slice(1), part])

/** Lists and maps of one entry on one line, as people write them. */
function yaml(value) {
  const document = new Document(value)
  visit(document, {
    Seq: (_, node) => {
      node.flow = node.items.every(isScalar)
    },
    Map: (_, node) => {
      const [only, ...others] = node.items
      node.flow =
        others.length === 0 && (isScalar(only?.value) || isSeq(only?.value)) && only.key.value in SHORT
    },
  })
  return document.toString({ lineWidth: 100 }).replace(/\[ (.*?) \]/g, '[$1]')
}

/** Keys of the short forms of a variable. */
const SHORT = { secret: true, data: true, hcl: true, id: true }

function membersOf(part, schema, links) {
  const rows = Object.entries(part.properties).map(([name, member]) => [
    `${code(name)}${part.required?.includes(name) ? ' (required)' : ''}`,
    formOf(member, schema, links),
    meaningOf(member, schema),
  ])
  return table(['key', 'type', 'description'], rows).trimEnd()
}

function meaningOf(member, schema) {
  const { description = '' } = member.description === undefined ? resolved(member, schema) : member
  const fallback = member.default ?? resolved(member, schema).default
  if (fallback === undefined) return prose(description)
  return prose(`${description} Default: ${fallback === '' ? 'empty' : code(String(fallback))}.`)
}

function resolved(member, schema) {
  if (member.$ref === undefined) return member
  const part = schema.$defs[member.$ref.replace('#/$defs/', '')]
  return resolved(part, schema)
}

/** `string`, `list of strings`, or a link to the part. */
function formOf(member, schema, links) {
  const part = resolved(member, schema)
  const [title] = (links && partsOf(schema).find(([, known]) => known === part)) || []
  if (title !== undefined) return `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`
  const choices = part.anyOf ?? part.oneOf?.filter(choice => choice.$ref !== undefined)
  if (choices?.length > 0)
    return [...new Set(choices.map(choice => formOf(choice, schema, links)))].join(' or ')
  if ('const' in part) return code(String(part.const))
  if (part.enum) return part.enum.map(code).join(', ')
  if (part.type === 'array')
    return `list of ${formOf(part.items, schema, links).replace(/^(map|string)$/, '$1s')}`
  if (part.type === 'object' && typeof part.additionalProperties === 'object')
    return `map of ${formOf(part.additionalProperties, schema, links)}`
  return simple(part.type)
}

function simple(type) {
  if (Array.isArray(type)) return type.includes('object') ? 'anything' : 'string'
  return { boolean: '`true` or `false`', integer: 'number', object: 'map' }[type] ?? String(type)
}
