// Writes what is made from `schemas/*.schema.json`: validators that need no package at run time, and types.
// `--check` writes nothing and ends with 1 where a file on disk is not what would be written.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { compile } from 'json-schema-to-typescript'

const HEAD = `
export interface FormError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The key that is wrong, where it is the key and not what stands at it. */
  readonly propertyName?: string
  /** The part of the schema that the keyword stands in. */
  readonly parentSchema: SchemaPart
}

export interface SchemaPart {
  readonly title?: string
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
}

export interface Form {
  /** Which schema: sets for sets.schema.json. */
  readonly name: string
  /** What the document may hold at its top. */
  readonly keys: readonly string[]
  readonly validate: { (value: unknown): boolean; errors?: readonly FormError[] | null }
}
`

/** Only what people write has types of its own: plans and reports are made from ours. */
const WRITTEN = ['setpoint', 'sets', 'directory']

const root = new URL('../', import.meta.url)
const schemas = await readSchemas()
const outputs = new Map([
  ['src/config/validators.gen.ts', validators()],
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

/** Only what the program itself reads is validated: the report is only written. */
function validators() {
  const wanted = ['setpoint', 'sets', 'directory', 'plan'].filter(name => schemas.has(name))
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    // The errors then carry the part of the schema that says what is expected. They carry the data as well.
    verbose: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  for (const name of wanted) ajv.addSchema(schemas.get(name), name)
  const code = standaloneCode(ajv, Object.fromEntries(wanted.map(name => [name, name])))
  // Lengths, formats and deep equality would pull in packages: the schemas do without.
  if (/\brequire\(|^import /m.test(code)) throw new Error('the validators import something: see the schema')
  const body = code.replace('"use strict";', '')
  const forms = wanted.map(name => {
    const keys = JSON.stringify(Object.keys(schemas.get(name).properties ?? {}))
    return `export const ${name}Form: Form = { name: '${name}', keys: ${keys}, validate: ${name} }`
  })
  return [
    '// @ts-nocheck',
    '// Generated from schemas/ by scripts/generate.mjs. Do not edit.',
    HEAD,
    body.replace(/;(const schema\d+ =)/g, ';\n$1').replace(/;(function validate\d+)/g, ';\n$1'),
    ...forms,
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

/** "Exactly one of" is kept out of the types, where it would become a union of every form with every other. */
function withoutChoice(part) {
  if (Array.isArray(part)) return part.map(withoutChoice)
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(
    ([key, value]) => key !== 'examples' && !(key === 'oneOf' && value.every(choice => 'required' in choice)),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutChoice(value)]))
}
