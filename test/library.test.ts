import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { format } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import * as setpoint from '../src/library/index.ts'
import { knownOptions } from '../src/library/input.ts'
import { type FunctionName, OPTIONS_OF } from '../src/library/inputs.gen.ts'
import * as sandboxes from '../src/sandbox/index.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, fencesOf, fileNameOf } from './support/transcript.ts'

const ROOT = resolve(import.meta.dirname, '..')
const { affected, apply, drift, explain, plan, validate } = setpoint

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\n',
  'sets/a.yaml':
    'variableSets:\n  a:\n    workspaces: [network-prod]\n    env: { X: 1.10, KEY: { secret: KEY } }\n',
}

/** `UPDATE_GOLDEN=1 npx vitest run test/library.test.ts` updates the outputs of the examples. Read the diff. */
test('docs/library.md shows what its examples print', async () => {
  const page = join(ROOT, 'docs/library.md')
  const document = readFileSync(page, 'utf8')
  const cwd = aDirectory()
  for (const fence of fencesOf(document)) {
    const path = fileNameOf(fence)
    if (path === undefined) continue
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), fence.body)
  }
  const blocks = [...document.matchAll(/^```js\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)]
  expect(blocks).toHaveLength(document.split('```js').length - 1)
  let result = ''
  let at = 0
  for (const block of blocks) {
    const [whole, code = ''] = block
    const printed = await example(code, cwd)
    result += `${document.slice(at, block.index)}\`\`\`js\n${code}\`\`\`\n\n\`\`\`text\n${printed}\`\`\``
    at = block.index + whole.length
  }
  expectDocument(page, result + document.slice(at))
})

/** Runs an example with `cwd` as its current directory, and returns what it prints. */
async function example(code: string, cwd: string): Promise<string> {
  let printed = ''
  const console = { log: (...values: unknown[]) => (printed += `${format(...values).trimEnd()}\n`) }
  const inCwd =
    <I, O>(one: (input: I) => O) =>
    (input?: I) =>
      one({ cwd, ...input } as I)
  const here = {
    affected: inCwd(affected),
    apply: inCwd(apply),
    drift: inCwd(drift),
    explain: inCwd(explain),
    exportSets: inCwd(setpoint.exportSets),
    plan: inCwd(plan),
    test: inCwd(setpoint.test),
    validate: inCwd(validate),
  }
  const body = code
    .replace(/^import (\{.*\}) from 'setpoint'$/gm, 'const $1 = here')
    .replace(/^import (\{.*\}) from 'setpoint\/sandbox'$/gm, 'const $1 = sandboxes')
  const AsyncFunction = (async () => {}).constructor as new (
    ...words: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction('here', 'sandboxes', 'console', body)(here, sandboxes, console)
  return printed
}

/** `UPDATE_GOLDEN=1` adds options, and keeps what is said of the others. */
test('docs/library.md lists every option with the functions that have it', () => {
  const page = join(ROOT, 'docs/library.md')
  const document = readFileSync(page, 'utf8')
  const [head = '', table = ''] = /^\| functions \| options \|\n\|-\|-\|\n((?:\|.*\n)*)/m.exec(document) ?? []
  const cells = [...table.matchAll(/^\| .* \| (.*) \|$/gm)].flatMap(([, cell = '']) => cell.split(/, (?=`)/))
  const listed = new Map(cells.map(cell => [/^`(\w+)`/.exec(cell)?.[1] ?? cell, cell]))
  const functions = (Object.keys(OPTIONS_OF) as FunctionName[]).map(name => ({
    name,
    known: knownOptions(name),
  }))
  const all = new Set([...listed.keys(), ...functions.flatMap(({ known }) => Object.keys(known))])
  const rows = new Map<string, string[]>()
  for (const option of all) {
    const having = functions.filter(({ known }) => option in known).map(({ name }) => `\`${name}\``)
    const column = having.length === functions.length ? 'all' : having.join(', ')
    if (having.length > 0)
      rows.set(column, [...(rows.get(column) ?? []), listed.get(option) ?? `\`${option}\``])
  }
  const wanted = [...rows].map(([column, options]) => `| ${column} | ${options.join(', ')} |\n`).join('')
  expectDocument(
    page,
    document.replace(head, () => head.replace(table, () => wanted)),
  )
})

test('each function returns the same exit code, output and report as its command', async () => {
  const cwd = aDirectory({ ...FILES, 'sets/b.yaml': 'removed: [long-gone]\n' })
  const env = { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'sandbox') }
  const command = async (...argv: string[]) => {
    const { code, stdout } = await run([...argv, '--sandbox'], { cwd, env })
    return [code, stdout]
  }
  const library = { cwd, env, sandbox: true, secrets: { KEY: 'k-k-k-k-k-k' } } as const
  const planned = await plan({ ...library, detailedExitcode: true })
  expect([planned.exitCode, planned.output]).toEqual(await command('plan', '--detailed-exitcode'))
  expect(planned.diagnostics.map(({ code }) => code)).toEqual(['nothing-to-remove'])
  expect(JSON.stringify(planned)).not.toContain('k-k-k')
  const [, json] = await command('plan', '--format', 'json')
  const printed = JSON.parse(String(json))
  // The two are different runs, of different programs.
  expect({ ...planned.report, run: {} }).toEqual({ ...printed, run: {} })
  expect(Object.keys(planned.report?.run ?? {})).toEqual(expect.arrayContaining(Object.keys(printed.run)))
  const list = await affected({ ...library, verify: true })
  expect([list.exitCode, list.output]).toEqual(await command('affected', '--verify', '--format', 'json'))
  const ofPlan = await affected({ cwd, savedPlan: planned.savedPlan ?? '' })
  expect(ofPlan.report?.changes).toEqual(list.report?.changes)
  expect((await affected({ cwd, savedPlan: '{}' })).exitCode).toBe(4)
  const refused = await apply(library)
  expect([refused.exitCode, refused.output]).toEqual(await command('apply'))
  expect(refused.diagnostics.at(0)?.hint).toContain(`--approve ${planned.report?.digest}`)
  const stale = await apply({ ...library, approve: 'a'.repeat(64) })
  expect(stale.exitCode).toBe(4)
  const applied = await apply({ ...library, approve: planned.report?.digest ?? '' })
  expect(applied.exitCode).toBe(0)
  expect(applied.report?.kind === 'apply' && applied.report.closing).toEqual({ state: 'equal' })
  const drifted = await drift({ ...library, only: ['a'] })
  expect([drifted.exitCode, drifted.output]).toEqual(await command('drift', '--only', 'a'))
  const { secrets: _, ...here } = library
  const explained = await explain({ ...here, workspace: 'network-prod', from: 'live' })
  const words = ['explain', 'network-prod', '--from', 'live', '--format', 'json']
  expect([explained.exitCode, explained.output]).toEqual(await command(...words))
  expect(explained.report?.kind === 'explanation' && explained.report.variables[0]?.key).toBe('env/KEY')
  const unknown = await explain({ ...here, workspace: 'network-prd' })
  expect([unknown.exitCode, unknown.report]).toEqual([1, undefined])
  expect(unknown.diagnostics.map(({ code }) => code)).toEqual(['unknown-name'])
})

test('exportSets() returns what `export` prints, and refuses a pattern without a match', async () => {
  const cwd = aDirectory(FILES)
  const env = { SETPOINT_SANDBOX_FILE: join(aDirectory(), 'sandbox') }
  const here = { cwd, env, sandbox: true } as const
  expect((await apply({ ...here, autoApprove: true, secrets: { KEY: 'k-k-k-k-k-k' } })).exitCode).toBe(0)
  const printed = await run(['export', 'acme', '--secrets', 'references', '--sandbox'], { cwd, env })
  const { output, files, exitCode } = await setpoint.exportSets({
    ...here,
    organization: 'acme',
    references: true,
  })
  expect([exitCode, output]).toEqual([0, printed.stdout])
  expect(files?.map(({ path }) => path)).toEqual(['a.yaml'])
  expect(files?.[0]?.text).toContain('secret: ')
  const none = await setpoint.exportSets({ ...here, only: ['b-*'] })
  expect([none.exitCode, none.files, none.diagnostics[0]?.severity]).toEqual([1, undefined, 'error'])
  await expect(setpoint.exportSets({ organization: 1 } as never)).rejects.toBeInstanceOf(TypeError)
})

test('validate() also checks the rules of further directories', async () => {
  const cwd = aDirectory(FILES)
  const rules = (expression: string): string =>
    aDirectory({
      'a.yaml': `rules:\n  a: { for: set, require: ${expression}, message: m, level: warn }\n`,
    })
  expect((await validate({ cwd, rules: [rules('set.name != ""')] })).diagnostics).toEqual([])
  const { diagnostics, exitCode } = await validate({ cwd, rules: [rules('set.nam != ""')] })
  expect([exitCode, diagnostics.map(({ code }) => code)]).toEqual([1, ['rule-expression']])
})

test('apply() executes a reviewed plan, and refuses it once the files have changed', async () => {
  const cwd = aDirectory(FILES)
  const sandbox = await sandboxes.createSandbox()
  onTestFinished(() => sandbox.close())
  const here = { cwd, sandbox, secrets: { KEY: 'k-k-k-k-k-k' } }
  const { savedPlan: reviewed = '' } = await plan({ ...here, out: 'plan.json' })
  expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).toBe(reviewed)
  writeFileSync(join(cwd, 'sets/a.yaml'), FILES['sets/a.yaml'].replace('1.10', '2'))
  const moved = await apply({ ...here, reviewed })
  expect([moved.exitCode, moved.diagnostics.map(({ code }) => code)]).toEqual([4, ['refused']])
  expect((await apply({ ...here, reviewed: `${reviewed} ` })).diagnostics[0]?.message).toContain(
    'was modified',
  )
  writeFileSync(join(cwd, 'sets/a.yaml'), FILES['sets/a.yaml'])
  expect((await apply({ ...here, reviewed })).exitCode).toBe(0)
  // apply() does not close a sandbox that the caller passed in.
  expect(sandbox.snapshot().sets?.map(({ name }) => name)).toContain('a')
})

test('a custom transport carries every request, with the given address and token', async () => {
  const cwd = aDirectory(FILES)
  const sandbox = await sandboxes.createSandbox()
  onTestFinished(() => sandbox.close())
  sandbox.ensure({
    organizations: [{ name: 'acme' }],
    workspaces: [{ name: 'network-prod', organization: 'acme' }],
  })
  const seen: string[] = []
  const transport: setpoint.Transport = (request, signal) => {
    seen.push(`${request.method} ${request.headers.authorization === `Bearer ${sandbox.token}`}`)
    return sandbox.transport(request, signal)
  }
  const given = { cwd, transport, address: 'https://tfe.example.com', token: sandbox.token }
  const { report, exitCode } = await plan(given)
  expect([exitCode, report?.address]).toEqual([0, 'https://tfe.example.com'])
  // No other token is used, and the organization of the environment counts as it does for a command.
  const env = { SETPOINT_TOKEN_acme: 'another', TFE_TOKEN: 'another', SETPOINT_ORGANIZATION: 'acme' }
  expect((await plan({ ...given, env })).exitCode).toBe(0)
  expect(new Set(seen)).toEqual(new Set(['GET true']))
  const other = await plan({ ...given, env: { SETPOINT_ORGANIZATION: 'other' } })
  expect(other.diagnostics.map(({ code }) => code)).toEqual(['organization-mismatch'])
})

test('mistakes in files are returned together, each with its place; wrong options throw', async () => {
  const cwd = aDirectory({ ...FILES, 'sets/b.yaml': 'variableSets:\n  b: { env: { Y: ~ }, glob: true }\n' })
  const { exitCode, diagnostics, report } = await validate({ cwd })
  expect([
    exitCode,
    report?.valid,
    diagnostics.map(({ code, source }) => [code, source?.path, source?.line]),
  ]).toEqual([
    1,
    false,
    [
      ['null-value', 'sets/b.yaml', 2],
      ['unknown-key', 'sets/b.yaml', 2],
    ],
  ])
  expect((await plan({ cwd, sandbox: true })).diagnostics).toEqual(diagnostics)
  expect((await plan({ cwd, config: 'orgs/*/setpoint.yaml' })).diagnostics[0]?.code).toBe('bad-usage')
  const wrong: readonly [setpoint.ApplyInput, RegExp][] = [
    [{ concurrency: 0 }, /^The option "concurrency" of apply\(\) must be a whole number from 1/],
    [
      { limits: { keysPerMap: 5 } } as never,
      /"limits" of apply\(\) must be an object with whole numbers under fileBytes, files, expanded/,
    ],
    [{ limits: { files: 0 } }, /"limits" of apply\(\) must be an object with whole numbers/],
    [{ format: 'yaml' } as never, /must be one of text, /],
    [{ secrets: { KEY: 1 } } as never, /"secrets" of apply\(\) must be the name of a file, or an object/],
    [{ autoApprove: 'no' } as never, /"autoApprove" of apply\(\) must be true or false/],
    [{ toString: true } as never, /has no option "toString"\./],
    [{ autoAprove: true } as never, /has no option "autoAprove"\. Did you mean "autoApprove"\?/],
    [{ reports: [{ format: 'pdf', path: 'x' }] } as never, /"reports" of apply\(\) must be an array/],
    [
      {
        reports: [
          { format: 'json', path: 'x' },
          { format: 'pdf', path: 'x' },
        ],
      } as never,
      /"reports" of apply\(\) must be an array/,
    ],
    [{ adopt: ['a', 1] } as never, /"adopt" of apply\(\) must be an array/],
  ]
  for (const [input, message] of wrong) await expect(apply({ cwd, ...input })).rejects.toThrow(message)
  await expect(explain({ cwd } as never)).rejects.toThrow(
    'explain() needs the option "workspace", or "key" in its place.',
  )
  await expect(explain({ workspace: 'a', from: 'now' as never })).rejects.toThrow('one of difference, files')
  for (const [input] of wrong) await expect(apply({ cwd, ...input })).rejects.toBeInstanceOf(TypeError)
})

test('an aborted apply reports what was done, as after Ctrl-C', async () => {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': `variableSets:\n${['a', 'b', 'c'].map(name => `  ${name}: { env: { X: 1 } }\n`).join('')}`,
  })
  const sandbox = await sandboxes.createSandbox()
  onTestFinished(() => sandbox.close())
  const stop = new AbortController()
  const watched = {
    ...sandbox,
    transport: async (...request: Parameters<setpoint.Transport>) => {
      const answer = await sandbox.transport(...request)
      if (request[0].method === 'POST') stop.abort()
      return answer
    },
  }
  const { exitCode, report } = await apply({
    cwd,
    sandbox: watched,
    autoApprove: true,
    concurrency: 1,
    signal: stop.signal,
  })
  expect(exitCode).toBe(130)
  expect(report?.kind === 'apply' && report.results.map(({ status }) => status)).toEqual([
    'succeeded',
    'skipped',
    'skipped',
  ])
})

test('the type declarations of the library do not depend on internal folders', () => {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'|import\("(\.[^"]+)"\)/g))
      if (to !== '') visit(resolve(dirname(file), to.replace(/\.js$/, '.d.ts')))
  }
  visit(join(ROOT, 'dist/bundle/types/library/index.d.ts'))
  const folders = new Set([...seen].map(file => dirname(relative(join(ROOT, 'dist/bundle/types'), file))))
  expect([...folders].filter(folder => /^(?:cli|api|run|config\/.*gen|secrets|git)$/.test(folder))).toEqual(
    [],
  )
})
