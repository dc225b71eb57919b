import { readdir, readFile } from 'node:fs/promises'

const WHOLE = '.schema.json'
const PART = '.json'
const DEFINITION = /^(?:(?<file>[\w-]+)\.json)?#\/\$defs\/(?<name>\w+)$/

/**
 * The published schemas by name, sorted: the text of each, what it says, and whether people write such files. Those of files that people
 * write stand in `schemas/`. The others are made here from `schemas/parts/`, where each definition stands once.
 */
export async function publishedSchemas(root = new URL('../', import.meta.url)) {
  const folder = new URL('schemas/', root)
  const whole = await filesIn(folder, WHOLE)
  const parts = new Map(
    (await filesIn(new URL('parts/', folder), PART)).map(([name, text]) => [name, JSON.parse(text)]),
  )
  const made = [...parts.keys()].filter(name => parts.get(name).$id !== undefined)
  return new Map(
    [
      ...whole.map(([name, text]) => [name, { text, schema: JSON.parse(text), isWritten: true }]),
      ...made.map(name => {
        const schema = composed(name, parts)
        return [name, { text: `${JSON.stringify(schema, undefined, 2)}\n`, schema, isWritten: false }]
      }),
    ].sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

async function filesIn(folder, ending) {
  const names = (await readdir(folder)).filter(name => name.endsWith(ending))
  const texts = names.map(name => readFile(new URL(name, folder), 'utf8'))
  return (await Promise.all(texts)).map((text, at) => [names[at].slice(0, -ending.length), text])
}

/**
 * One document with all definitions that it refers to, in its own file (`#/$defs/x`) or another (`plan.json#/$defs/x`). A definition of
 * its own takes the place of another file's of that name, also in what refers to it there. If the document is closed
 * (`additionalProperties: false`), every object in it is.
 */
function composed(name, parts) {
  const { $defs: own = {}, ...document } = parts.get(name)
  const isClosed = document.additionalProperties === false
  const taken = new Map()

  /** A copy that refers only to definitions of this document. */
  function copy(node, home) {
    if (Array.isArray(node)) return node.map(one => copy(one, home))
    if (typeof node !== 'object' || node === null) return node
    const isOpenObject = isClosed && typeof node.properties === 'object' && !('additionalProperties' in node)
    const members = Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' ? reference(value, home) : AS_THEY_ARE.has(key) ? value : copy(value, home),
    ])
    return Object.fromEntries(isOpenObject ? [...members, ['additionalProperties', false]] : members)
  }

  function reference(text, home) {
    const { file = home, name: wanted } = DEFINITION.exec(text)?.groups ?? {}
    if (wanted === undefined) return text
    take(wanted, wanted in own ? name : file)
    return `#/$defs/${wanted}`
  }

  function take(wanted, home) {
    const known = taken.get(wanted)
    if (known !== undefined && known.home !== home)
      throw new Error(`${name}.json: ${wanted} is defined in ${known.home}.json and in ${home}.json`)
    if (known !== undefined) return
    const definition = parts.get(home)?.$defs?.[wanted]
    if (definition === undefined) throw new Error(`${name}.json: there is no ${home}.json#/$defs/${wanted}`)
    const entry = { home }
    taken.set(wanted, entry)
    entry.definition = copy(definition, home)
  }

  const whole = copy(document, name)
  const unused = Object.keys(own).filter(one => !taken.has(one))
  if (unused.length > 0) throw new Error(`${name}.json: nothing refers to ${unused.join(', ')}`)
  const order = [...new Set([...Object.keys(own), ...taken.keys()])]
  if (order.length === 0) return whole
  return { ...whole, $defs: Object.fromEntries(order.map(one => [one, taken.get(one).definition])) }
}

/** Values of these keywords are data and not schemas. */
const AS_THEY_ARE = new Set(['examples', 'default', 'const', 'enum'])
