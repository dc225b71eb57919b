import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { directoryForm } from '../../src/config/directory-valid.gen.ts'
import { rulesForm } from '../../src/config/rules-valid.gen.ts'
import { setpointForm } from '../../src/config/setpoint-valid.gen.ts'
import { setsForm } from '../../src/config/sets-valid.gen.ts'
import { aDirectory } from '../support/program.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SCHEMAS = join(ROOT, 'schemas')

describe('what is made from the schemas', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const madeIn = (root: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(root, 'src/config'))
        .filter(name => name.endsWith('.gen.ts'))
        .map(name => [name, readFileSync(join(root, 'src/config', name), 'utf8')]),
    )

  test('is made by the build and not by an installation, and is not in Git', () => {
    const { preinstall, install, postinstall, prepare, generate, build, types } = manifest.scripts
    expect([preinstall, install, postinstall, prepare]).toEqual([undefined, undefined, undefined, undefined])
    expect(generate).toBe('node scripts/generate.mjs')
    for (const script of [build, types]) expect(script).toMatch(/^npm run --silent generate && tsc/)
    expect(execFileSync('git', ['ls-files', '*.gen.ts'], { cwd: ROOT, encoding: 'utf8' })).toBe('')
  })

  test('is made from nothing, again if a schema or a made file changed, and else not touched', () => {
    const root = aDirectory({})
    const generate = (): Record<string, string> => {
      execFileSync(process.execPath, [join(root, 'scripts/generate.mjs')], { stdio: 'pipe' })
      return madeIn(root)
    }
    cpSync(SCHEMAS, join(root, 'schemas'), { recursive: true })
    cpSync(join(ROOT, 'pipelines'), join(root, 'pipelines'), { recursive: true })
    mkdirSync(join(root, 'src/export'), { recursive: true })
    for (const name of ['generate', 'embedded'])
      cpSync(join(ROOT, `scripts/${name}.mjs`), join(root, `scripts/${name}.mjs`))
    for (const name of ['rules', 'model'])
      cpSync(join(ROOT, 'src', name), join(root, 'src', name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    const first = generate()
    expect(first).toEqual(madeIn(ROOT))
    const worker = (of: string): string => readFileSync(join(of, 'src/rules/worker-code.gen.ts'), 'utf8')
    expect(worker(root) === worker(ROOT)).toBe(true)

    const file = join(root, 'src/config/sets-valid.gen.ts')
    const before = statSync(file).mtimeMs
    generate()
    expect(statSync(file).mtimeMs).toBe(before)

    writeFileSync(file, readFileSync(file).subarray(0, 1000))
    expect(generate()).toEqual(first)

    const schema = join(root, 'schemas/sets.schema.json')
    writeFileSync(schema, readFileSync(schema, 'utf8').replace('"priority"', '"urgency"'))
    expect(generate()['sets-valid.gen.ts']).toContain('urgency')
  })
})

test('the validators import nothing but a type', () => {
  const names = readdirSync(join(ROOT, 'src/config')).filter(name => /-valid\.gen\.ts$/.test(name))
  expect(names.length).toBe(7)
  for (const name of names) {
    const code = readFileSync(join(ROOT, 'src/config', name), 'utf8').replace(/^import type .*\n/m, '')
    expect(code.match(/^\s*import\b|\brequire\(|\bfrom '/gm)).toBeNull()
  }
})

interface Schema {
  readonly $schema?: string
  readonly $id?: string
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

describe.each(readdirSync(SCHEMAS))('%s', name => {
  const schema: Schema = JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8'))

  test('says what it is', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    for (const part of [schema.$id, schema.title, schema.description]) expect(part).toMatch(/\S/)
    expect(schema.examples?.length).toBeGreaterThan(0)
  })

  test('takes its own examples, at every place that has some', () => {
    const ajv = new Ajv2020({ allowUnionTypes: true })
    // The other schemas too, because one may refer to another by its $id.
    for (const other of readdirSync(SCHEMAS))
      if (other !== name) ajv.addSchema(JSON.parse(readFileSync(join(SCHEMAS, other), 'utf8')))
    ajv.addSchema(schema, 'schema')
    let count = 0
    visit(schema, '')
    expect(count).toBeGreaterThan(0)

    function visit(part: unknown, place: string): void {
      if (typeof part !== 'object' || part === null) return
      for (const [key, value] of Object.entries(part)) {
        if (key !== 'examples') visit(value, `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
        else if (Array.isArray(value))
          for (const example of value) {
            count++
            const validate = ajv.getSchema(`schema#${place}`) ?? ajv.compile({ $ref: `schema#${place}` })
            expect([place, example, validate(example), validate.errors]).toEqual([place, example, true, null])
          }
      }
    }
  })
})

test('every part of a configuration schema that a hint can name has words', () => {
  for (const { validate } of [setpointForm, setsForm, directoryForm, rulesForm])
    for (const wrong of [[], 'x', { x: 1 }, null]) {
      validate(wrong)
      for (const { parentSchema } of validate.errors ?? []) expect(parentSchema.description).toMatch(/\S/)
    }
})
