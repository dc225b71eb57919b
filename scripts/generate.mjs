// Writes what is made from `schemas/*.schema.json`: validators that need no package at run time. The first step of a build; what it
// writes is not in Git. Where it was written from the same schemas by the same tools, nothing is loaded and nothing written.
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'

/** Only what the program itself reads is validated: the report is only written. */
const READ = ['setpoint', 'sets', 'directory', 'plan', 'snapshot']

/** What people write. Plans and snapshots are made by us, and one that is wrong is only refused. */
const WRITTEN = ['setpoint', 'sets', 'directory']

/** The errors then carry the part of the schema that says what is expected. They carry the data as well. */
const EXPLAINING = { allErrors: true, verbose: true }
/** Ends at the first mistake and says nothing of it. */
const QUICK = { messages: false }

/** What a schema says to people; a validator that never explains would carry it along, and each start would load it. */
const WORDS = new Set(['title', 'description', 'examples'])
/** Below these, keys are names and not words of the schema. */
const NAMED = new Set(['properties', 'patternProperties', '$defs'])

const root = new URL('../', import.meta.url)
const outputs = [...READ.map(name => `${name}-valid`), ...WRITTEN.map(name => `${name}-form`)]
const urlOf = output => new URL(`src/config/${output}.gen.ts`, root)
// The last line, so that a file that was cut while it was written is written again.
const madeOf = `// Made of ${await digest()}\n`

if (!(await isUpToDate())) {
  const [{ Ajv2020 }, { default: standaloneCode }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv/dist/standalone/index.js'),
  ])
  await mkdir(new URL('src/config/', root), { recursive: true })
  for (const output of outputs) {
    const [name, kind] = output.split('-')
    const schema = JSON.parse(await schemaText(name))
    const [shown, options, last] = kind === 'form' ? explaining(name, schema) : quick(name, schema)
    const code = validator({ Ajv2020, standaloneCode }, name, shown, options)
    const lines = [
      '// @ts-nocheck',
      `// Generated from schemas/${name}.schema.json by scripts/generate.mjs. Do not edit.`,
      "import type { Check, Form } from './forms.ts'",
      '',
      code,
      last,
      '',
    ]
    await writeFile(urlOf(output), lines.join('\n') + madeOf)
  }
}

async function isUpToDate() {
  const texts = outputs.map(output => readFile(urlOf(output), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).every(text => text.endsWith(madeOf))
}

/** Of everything that decides what is written. */
async function digest() {
  const tools = [new URL(import.meta.url), new URL('node_modules/ajv/package.json', root)]
  const texts = await Promise.all([...tools.map(url => readFile(url, 'utf8')), ...READ.map(schemaText)])
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

function schemaText(name) {
  return readFile(new URL(`schemas/${name}.schema.json`, root), 'utf8')
}

/** A file a schema, so that a command loads those that it needs. */
function explaining(name, schema) {
  return [
    schema,
    EXPLAINING,
    `export const ${name}Form: Form = { ${partsOf(name, schema)}, validate: ${name} }`,
  ]
}

/** What nearly every document needs and no more. Of what people write, the other one then says what is wrong. */
function quick(name, schema) {
  const isWritten = WRITTEN.includes(name)
  const form = isWritten ? `, form: async () => (await import('./${name}-form.gen.ts')).${name}Form` : ''
  const type = isWritten ? 'Check' : "Omit<Check, 'form'>"
  return [
    withoutWords(schema),
    QUICK,
    `export const ${name}Check: ${type} = { ${partsOf(name, schema)}, isValid: ${name}${form} }`,
  ]
}

function partsOf(name, schema) {
  return `name: '${name}', keys: ${JSON.stringify(Object.keys(schema.properties ?? {}))}`
}

function validator({ Ajv2020, standaloneCode }, name, schema, options) {
  const ajv = new Ajv2020({
    ...options,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  ajv.addSchema(schema, name)
  const code = standaloneCode(ajv, { [name]: name })
  // Lengths, formats and deep equality would pull in packages: the schemas do without.
  if (/\brequire\(|^import /m.test(code)) throw new Error('the validators import something: see the schema')
  return (
    `${code}\nfunction joined(all, more) { for (const one of more) all.push(one); return all }`
      .replace('"use strict";', '')
      // Copying all errors for each further one would be quadratic.
      .replace(/vErrors\.concat\(/g, 'joined(vErrors, ')
      .replace(/;(const schema\d+ =)/g, ';\n$1')
      .replace(/;(function validate\d+)/g, ';\n$1')
  )
}

function withoutWords(part, isNamed = false) {
  if (Array.isArray(part)) return part.map(one => withoutWords(one))
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(([key]) => isNamed || !WORDS.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === 'const' || key === 'enum' ? value : withoutWords(value, !isNamed && NAMED.has(key)),
    ]),
  )
}
