import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WRITTEN_SCHEMAS } from '../../src/run/schema-names.gen.ts'
import { aSetObject, stateFile } from '../export/state.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'
import { schemaFile } from '../support/published.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const COPY = '.setpoint-schemas/sets.schema.json'

const published = (name: string): string => readFileSync(schemaFile(name), 'utf8')

/** The schemas that the files of a directory name, by the file. */
function named(directory: string): Map<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const lines = paths
    .filter(path => path.endsWith('.yaml') && !path.includes('node_modules'))
    .flatMap(path => {
      const [first = ''] = readFileSync(join(directory, path), 'utf8').split('\n')
      const [, schema] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? []
      return schema === undefined ? [] : [[path, join(directory, dirname(path), schema)] as const]
    })
  return new Map(lines)
}

async function aRepository(): Promise<{ cwd: string; setpoint: (...argv: string[]) => Promise<Ran> }> {
  const cwd = aDirectory()
  const setpoint = (...argv: string[]): Promise<Ran> => run(argv, { cwd })
  expect((await setpoint('init', 'acme', '--sandbox', '--owner', 'me')).code).toBe(0)
  return { cwd, setpoint }
}

describe('the schemas for editors', () => {
  test('are where the first line of each file that init writes says, and are those that are published', async () => {
    const { cwd, setpoint } = await aRepository()
    const found = named(cwd)
    expect([...found.keys()].toSorted()).toEqual(['setpoint.yaml', 'sets/first-set.yaml'])
    for (const [path, schema] of found)
      expect(readFileSync(schema, 'utf8')).toBe(published(path === 'setpoint.yaml' ? 'setpoint' : 'sets'))
    for (const name of WRITTEN_SCHEMAS)
      expect(readFileSync(join(cwd, `.setpoint-schemas/${name}.schema.json`), 'utf8')).toBe(published(name))
    const checked = await setpoint('validate')
    expect([checked.code, checked.stderr]).toEqual([0, ''])
    // Git does not ignore them.
    execFileSync('git', ['init', '-q'], { cwd })
    expect(execFileSync('git', ['add', '-A', '--dry-run'], { cwd, encoding: 'utf8' })).toContain(COPY)
  })

  test.each([[['--out', 'more']], [['--out', 'deep/er']], [['--out', '.']]])(
    'are where the first line of each file says that export writes with %j',
    async argv => {
      const cwd = aDirectory({ 'terraform.tfstate': STATE })
      const { code } = await run(['export', '--terraform-state', 'terraform.tfstate', ...argv], { cwd })
      const found = named(cwd)
      expect([code, found.size]).toEqual([0, 1])
      for (const schema of found.values()) {
        expect(relative(cwd, schema)).toBe(COPY)
        expect(existsSync(schema)).toBe(true)
      }
    },
  )

  test('exist for every line in the examples', () => {
    const found = named(join(ROOT, 'examples'))
    expect(found.size).toBeGreaterThan(0)
    expect([...found.values()].filter(schema => !existsSync(schema))).toEqual([])
  })

  test('of another version are one warning, and the printed command replaces them', async () => {
    const { cwd, setpoint } = await aRepository()
    writeFileSync(join(cwd, COPY), published('sets').replace('"Set file"', '"Set file of old"'))
    const stale = await setpoint('validate')
    expect(stale).toEqual({
      code: 0,
      stdout: 'Valid: 1 set, 1 variable in 2 files.\n',
      stderr: `${COPY}:1:1  warning stale-schema\n  The schemas for your editor are of another version of Setpoint: sets.\n  To replace them, run: setpoint validate --fix-schema\n`,
    })
    const json: unknown = JSON.parse((await setpoint('validate', '--format', 'json')).stdout)
    expect(json).toMatchObject({
      valid: true,
      diagnostics: [{ code: 'stale-schema', source: { path: COPY } }],
    })
    expect((await setpoint('validate', '--quiet')).stderr).toBe('')
    const [, command = ''] = /run: setpoint (.*)\n/.exec(stale.stderr) ?? []
    expect(await setpoint(...command.split(' '))).toEqual({ ...stale, stderr: `Wrote ${COPY}\n` })
    expect(readFileSync(join(cwd, COPY), 'utf8')).toBe(published('sets'))
    expect((await setpoint(...command.split(' '))).stderr).toBe('')
  })

  test('are replaced after a merge that left its marks, and accepted as a formatter writes them', async () => {
    const { cwd, setpoint } = await aRepository()
    writeFileSync(join(cwd, COPY), JSON.stringify(JSON.parse(published('sets')), undefined, 4))
    expect((await setpoint('validate')).stderr).toBe('')
    writeFileSync(join(cwd, COPY), `<<<<<<< ours\n${published('sets')}`)
    expect((await setpoint('validate')).stderr).toContain('warning stale-schema')
    await setpoint('validate', '--fix-schema')
    expect((await setpoint('validate')).stderr).toBe('')
  })

  test('are written on request where there are none, beside the configuration', async () => {
    const cwd = aDirectory({ 'infra/setpoint.yaml': 'organization: acme\n', 'infra/sets/a.yaml': SETS })
    const ran = await run(['validate', '--fix-schema', '--config', 'infra/setpoint.yaml', '--resolved'], {
      cwd,
    })
    expect(ran.stdout).toMatch(/^variableSets:\n/)
    const wrote = ran.stderr.split('\n').filter(Boolean).toSorted()
    expect(wrote).toEqual(
      WRITTEN_SCHEMAS.map(name => `Wrote infra/.setpoint-schemas/${name}.schema.json`).toSorted(),
    )
  })

  test('a file that is no schema of Setpoint is neither replaced nor reported', async () => {
    const { cwd, setpoint } = await aRepository()
    for (const text of ['{ "mine": true }', published('groups')]) {
      writeFileSync(join(cwd, COPY), text)
      expect((await setpoint('validate')).stderr).toBe('')
      const refused = await setpoint('validate', '--fix-schema')
      expect([refused.code, refused.stderr]).toEqual([
        1,
        `error file-exists\n  Not a schema of Setpoint: ${COPY}.\n  Nothing was written. Move what is there, and run the command again.\n`,
      ])
      expect((await setpoint('export', 'acme', '--sandbox', '--out', 'more')).code).toBe(0)
      expect(readFileSync(join(cwd, COPY), 'utf8')).toBe(text)
    }
  })

  test('are not written through a link that leads out of the repository', async () => {
    const elsewhere = aDirectory({ 'sets.schema.json': published('sets').replace('Set file', 'Old') })
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': SETS })
    mkdirSync(join(cwd, '.git'))
    symlinkSync(elsewhere, join(cwd, '.setpoint-schemas'))
    expect((await run(['validate', '--fix-schema'], { cwd })).code).toBe(1)
    expect(readdirSync(elsewhere)).toEqual(['sets.schema.json'])
    expect(readFileSync(join(elsewhere, 'sets.schema.json'), 'utf8')).toContain('Old')
  })

  test('have no message in a repository of an older version, whose lines name node_modules', async () => {
    const line = '# yaml-language-server: $schema=../node_modules/setpoint/schemas/sets.schema.json\n'
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': `${line}${SETS}` })
    const ran = await run(['validate'], { cwd })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })
})

const SETS = 'variableSets:\n  a: { env: { X: "1" } }\n'

const STATE = stateFile({ type: 'tfe_variable_set', instances: [aSetObject()] })
