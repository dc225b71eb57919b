// Generates the published schemas in `dist/schemas`, validators without runtime packages from them, and texts from `pipelines/*.yml`. This is the
// first step of a build.
// Generated files are not in Git. If they are up to date, nothing is loaded or written.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { inputsCode, readTables, TABLES } from './inputs.mjs'
import { plannedCode } from './planned.mjs'
import { publishedSchemas } from './schemas.mjs'
import { EMBEDDED, packageOf } from './third-party.mjs'

/** For files that people write: validators report every mistake, with the part of the schema that expects something else. */
const EXPLAINING = { allErrors: true, verbose: true, messages: false }

/** Files that the program writes and reads: the first mistake refuses the file. */
const OURS = ['plan', 'snapshot']
const QUICK = { messages: false }

/** Keywords for readers. Validators do not need them, and every start would load them. */
const WORDS = new Set(['title', 'description', 'examples'])
/** Below these keywords, keys are names and not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs'])

const root = new URL('../', import.meta.url)
const published = await publishedSchemas(root)
const WRITTEN = [...published.keys()].filter(name => published.get(name).isWritten)
const NAMES = [...WRITTEN, ...OURS]
const urlOf = name => new URL(`src/config/${name}-valid.gen.ts`, root)
// The last line, so that an incomplete file is generated again.
const madeOf = `// Made of ${await digest()}\n`

await writeSchemas()
await writePipelines()
await writePlanned()
await writeInputs()
await writeWorker()

if (!(await isUpToDate())) {
  const [{ Ajv2020 }, { default: standaloneCode }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv/dist/standalone/index.js'),
  ])
  await mkdir(new URL('src/config/', root), { recursive: true })
  for (const name of NAMES) {
    const { schema } = published.get(name)
    const [shown, options, last] = WRITTEN.includes(name) ? explaining(name, schema) : quick(name, schema)
    const code = validator({ Ajv2020, standaloneCode }, name, shown, options)
    const lines = [
      '// @ts-nocheck',
      `// Generated from dist/schemas/${name}.schema.json by scripts/generate.mjs. Do not edit.`,
      "import type { Form } from './form.ts'",
      '',
      code,
      last,
      '',
    ]
    await writeFile(urlOf(name), lines.join('\n') + madeOf)
  }
}

/** The files that the package, `setpoint schema` and copies for editors have, and their names for the program. */
async function writeSchemas() {
  const folder = new URL('dist/schemas/', root)
  await mkdir(folder, { recursive: true })
  const wanted = new Map([...published].map(([name, { text }]) => [`${name}.schema.json`, text]))
  const others = (await readdir(folder)).filter(name => !wanted.has(name))
  await Promise.all(others.map(name => rm(new URL(name, folder), { recursive: true })))
  await Promise.all([...wanted].map(([name, text]) => writeIfOther(new URL(name, folder), text)))
  const list = names => `[${names.map(name => `'${name}'`).join(', ')}] as const`
  const lines = [
    '// Generated from the names of files in schemas by scripts/generate.mjs. Do not edit.',
    '/** Every published schema. Sorted. */',
    `export const SCHEMA_NAMES = ${list([...published.keys()])}`,
    '/** Those of files that people write. Sorted. */',
    `export const WRITTEN_SCHEMAS = ${list(WRITTEN)}`,
    '',
  ]
  await writeIfOther(new URL('src/run/schema-names.gen.ts', root), lines.join('\n'))
}

async function writeIfOther(file, text) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) await writeFile(file, text)
}

/** The pipelines that `init` writes. As files, they can be read and tested. */
async function writePipelines() {
  const names = ['github', 'gitlab']
  const texts = await Promise.all(names.map(name => readFile(new URL(`pipelines/${name}.yml`, root), 'utf8')))
  const lines = names.map((name, at) => `export const ${name.toUpperCase()} = ${JSON.stringify(texts[at])}\n`)
  const text = `// Generated from pipelines/*.yml by scripts/generate.mjs. Do not edit.\n${lines.join('')}`
  await writeIfOther(new URL('src/export/pipelines.gen.ts', root), text)
}

/** What a plan leads to: types for the report and the facts of rules. */
async function writePlanned() {
  const text = plannedCode(published.get('report').schema)
  await writeIfOther(new URL('src/model/planned.gen.ts', root), text)
}

/** What the functions of the library take: a description, a type and a check of each option are its row in the table. */
async function writeInputs() {
  const file = new URL('src/library/inputs.gen.ts', root)
  const last = await lastLine([new URL('scripts/inputs.mjs', root), ...TABLES])
  if ((await readFile(file, 'utf8').catch(() => '')).endsWith(last)) return
  await writeFile(file, inputsCode(await readTables()) + last)
}

/** The end of a file that is made of these. */
async function lastLine(urls) {
  const texts = await Promise.all(urls.map(url => readFile(url, 'utf8')))
  return `// Made of ${createHash('sha256').update(JSON.stringify(texts)).digest('hex')}\n`
}

/**
 * The thread that evaluates rules, with its packages, as one text. It starts in the same way from the sources, the package and the
 * single executable, and a run without rules loads none of it.
 */
async function writeWorker() {
  const folder = new URL('src/rules/', root)
  const paths = (await readdir(folder, { recursive: true })).filter(name => /(?<!\.gen)\.ts$/.test(name))
  const sources = [
    new URL(import.meta.url),
    ...paths.sort().map(path => new URL(path, folder)),
    ...['names', 'rule', 'planned.gen'].map(name => new URL(`src/model/${name}.ts`, root)),
    ...EMBEDDED.map(name => new URL(`node_modules/${name}/package.json`, root)),
  ]
  const last = await lastLine(sources)
  const file = new URL('worker-code.gen.ts', folder)
  if ((await readFile(file, 'utf8').catch(() => '')).endsWith(last)) return
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: fileURLToPath(new URL('engine/worker.ts', folder)),
    platform: 'node',
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'cjs', minify: true, comments: { legal: false } })
  await bundle.close()
  const inside = output[0].moduleIds
    .map(packageOf)
    .filter(path => path !== undefined && !path.endsWith('/rolldown'))
  const names = [...new Set(inside)].map(path => path.split('/node_modules/').at(-1)).sort()
  if (names.join() !== EMBEDDED.join()) throw new Error(`the thread of rules contains ${names.join(', ')}`)
  const lines = [
    '// Generated from src/rules/engine by scripts/generate.mjs. Do not edit.',
    `export const WORKER_CODE = ${JSON.stringify(output[0].code)}`,
    '',
  ]
  await writeFile(file, lines.join('\n') + last)
}

async function isUpToDate() {
  const texts = NAMES.map(name => readFile(urlOf(name), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).every(text => text.endsWith(madeOf))
}

/** Checksum of every input of the generated files. */
async function digest() {
  const tools = [new URL(import.meta.url), new URL('node_modules/ajv/package.json', root)]
  const texts = await Promise.all(tools.map(url => readFile(url, 'utf8')))
  texts.push(...NAMES.map(name => published.get(name).text))
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

/** One file per schema, so that a command loads only those that it needs. */
function explaining(name, schema) {
  const keys = JSON.stringify(Object.keys(schema.properties))
  return [schema, EXPLAINING, `export const ${name}Form: Form = { keys: ${keys}, validate: ${name} }`]
}

function quick(name, schema) {
  return [
    withoutWords(schema),
    QUICK,
    `export const is${name[0].toUpperCase()}${name.slice(1)}: (value: unknown) => boolean = ${name}`,
  ]
}

function validator({ Ajv2020, standaloneCode }, name, schema, options) {
  const ajv = new Ajv2020({
    ...options,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  })
  // No schema uses these keywords. With them, Ajv would try every branch of a choice, even after one has matched.
  Object.assign(ajv.opts, { unevaluated: false, dynamicRef: false })
  ajv.addSchema(schema, name)
  const code = standaloneCode(ajv, { [name]: name })
  // Lengths, formats and deep equality would need packages, so the schemas do not use them.
  if (/\brequire\(|^import /m.test(code)) throw new Error('the validators import something: see the schema')
  const lean = withPathsOnly(code)
  if (lean.includes('parentData'))
    throw new Error('the generated validators call each other in an unexpected way')
  return (
    `${lean}\nfunction joined(all, more) { for (const one of more) all.push(one); return all }`
      .replace('"use strict";', '')
      // Copying all errors for each further one would be quadratic.
      .replace(/vErrors\.concat\(/g, 'joined(vErrors, ')
      .replace(/;(const schema\d+ =)/g, ';\n$1')
      .replace(/;(function validate\d+)/g, ';\n$1')
  )
}

/** Validators pass each other an object of four members for every variable, and use only its path. */
function withPathsOnly(code) {
  return code
    .replace(/\{instancePath="", parentData, parentDataProperty, rootData=data\}=\{\}/g, 'instancePath=""')
    .replace(
      /\{instancePath(?::([^{}]*?))?,parentData(?::\w+)?,parentDataProperty(?::[^,{}]+)?,rootData\}/g,
      (_, path = 'instancePath') => path,
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
