// Writes what is made from `schemas/*.schema.json`: validators that need no package at run time, and types.
// `--check` writes nothing and ends with 1 where a file on disk is not what would be written.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { compile } from 'json-schema-to-typescript'

/** Only what the program itself reads is validated: the report is only written. */
const READ = ['setpoint', 'sets', 'directory', 'plan', 'snapshot']

/** The errors then carry the part of the schema that says what is expected. They carry the data as well. */
const EXPLAINING = { allErrors: true, verbose: true }
/** Ends at the first mistake and says nothing of it. */
const QUICK = { messages: false }

/** Only what people write has types of its own: plans and reports are made from ours. */
const WRITTEN = ['setpoint', 'sets', 'directory']

/** What a schema says to people; a validator that never explains would carry it along, and each start would load it. */
const WORDS = new Set(['title', 'description', 'examples'])
/** Below these, keys are names and not words of the schema. */
const NAMED = new Set(['properties', 'patternProperties', '$defs'])

const root = new URL('../', import.meta.url)
const schemas = await readSchemas()
const outputs = new Map([
  ...READ.map(name => [`src/config/${name}-valid.gen.ts`, quickValidator(name)]),
  ...WRITTEN.map(name => [`src/config/${name}-form.gen.ts`, validator(name)]),
  ['src/config/documents.gen.ts', await documents()],
])
const check = process.argv.includes('--check')
for (const [path, text] of outputs) {
  const url = new URL(path, root)
  const current = await readFile(url, 'utf8').catch(() => '')
  if (current === text) continue
  if (check) {
    console.error(`${path} is not what the schemas give. Run: npm run generate`)
    process.exitCode = 1
  } else await writeFile(url, text)
}

async function readSchemas() {
  const names = (await readdir(new URL('schemas/', root)))
    .filter(name => name.endsWith('.schema.json'))
    .sort()
  const read = names.map(async name => [
    name.slice(0, -'.schema.json'.length),
    JSON.parse(await readFile(new URL(`schemas/${name}`, root), 'utf8')),
  ])
  return new Map(await Promise.all(read))
}

/** A file a schema, so that a command loads those that it needs. */
function validator(name) {
  const last = `export const ${name}Form: Form = { ${partsOf(name)}, validate: ${name} }`
  return fileOf(name, schemas.get(name), EXPLAINING, 'Form', last)
}

/** What nearly every document needs and no more. Of what people write, the other one then says what is wrong. */
function quickValidator(name) {
  const form = WRITTEN.includes(name)
    ? `, form: async () => (await import('./${name}-form.gen.ts')).${name}Form`
    : ''
  const type = WRITTEN.includes(name) ? 'Check' : "Omit<Check, 'form'>"
  return fileOf(
    name,
    withoutWords(schemas.get(name)),
    QUICK,
    'Check',
    `export const ${name}Check: ${type} = { ${partsOf(name)}, isValid: ${name}${form} }`,
  )
}

function partsOf(name) {
  return `name: '${name}', keys: ${JSON.stringify(Object.keys(schemas.get(name).properties ?? {}))}`
}

function fileOf(name, schema, options, type, last) {
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
  return [
    '// @ts-nocheck',
    `// Generated from schemas/${name}.schema.json by scripts/generate.mjs. Do not edit.`,
    `import type { ${type} } from './forms.ts'`,
    '',
    code
      .replace('"use strict";', '')
      .replace(/;(const schema\d+ =)/g, ';\n$1')
      .replace(/;(function validate\d+)/g, ';\n$1'),
    last,
    '',
  ].join('\n')
}

/** One namespace a schema: "name" or "reference" mean something else in each. */
async function documents() {
  const parts = ['// Generated from schemas/ by scripts/generate.mjs. Do not edit.']
  for (const name of WRITTEN) {
    const schema = schemas.get(name)
    const types = await compile(withoutChoice(schema), name, {
      bannerComment: '',
      additionalProperties: false,
      format: false,
      unknownAny: true,
    })
    const title = name[0].toUpperCase() + name.slice(1)
    parts.push(`export declare namespace ${title} {\n${types.trimEnd()}\n}`)
  }
  return `${parts.join('\n\n')}\n`
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

/** "Exactly one of" is kept out of the types, where it would become a union of every form with every other. */
function withoutChoice(part) {
  if (Array.isArray(part)) return part.map(withoutChoice)
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(
    ([key, value]) => key !== 'examples' && !(key === 'oneOf' && value.every(choice => 'required' in choice)),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutChoice(value)]))
}
