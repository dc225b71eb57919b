import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { brokenCitations, brokenIn } from './support/citations.ts'

const TESTS = import.meta.dirname
const SRC = resolve(TESTS, '../src')

/** Which folders and packages each folder may import, and why. */
const RULES: Readonly<
  Record<string, { folders: readonly string[]; packages: readonly string[]; reason: string }>
> = {
  model: {
    folders: [],
    packages: ['node:util', 'node:crypto'],
    reason:
      'the vocabulary, which needs nothing else; node:util hides a Secret from inspection, node:crypto fingerprints it',
  },
  wire: {
    folders: [],
    packages: [],
    reason: 'types of requests and responses; client and sandbox share nothing else',
  },
  disk: {
    folders: [],
    packages: ['node:crypto', 'node:fs', 'node:fs/promises', 'node:path'],
    reason: 'the only folder that opens a file for writing; node:crypto makes names that nobody can prepare',
  },
  git: {
    folders: ['disk'],
    packages: ['node:child_process', 'node:fs', 'node:path'],
    reason: 'the only folder that starts another program; it knows files and commits, but not their content',
  },
  config: {
    folders: ['model', 'git'],
    packages: ['yaml', 'node:fs', 'node:fs/promises', 'node:path', 'node:timers/promises'],
    reason: 'files to desired state; it does not know that a service exists',
  },
  api: {
    folders: ['model', 'wire'],
    packages: [
      'undici',
      'p-limit',
      'node:zlib',
      'node:stream',
      'node:util',
      'node:events',
      'node:net',
      'node:tls',
      'node:url',
      'node:timers/promises',
    ],
    reason: 'the live side; it does not know files or plans',
  },
  plan: {
    folders: ['model'],
    packages: ['node:crypto'],
    reason: 'pure: no files, network, clock or environment; node:crypto only hashes',
  },
  apply: {
    folders: ['model', 'wire', 'plan', 'api'],
    packages: ['p-limit', 'node:crypto'],
    reason: 'plan to requests',
  },
  secrets: {
    folders: ['model', 'config'],
    packages: ['yaml', 'node:fs', 'node:fs/promises', 'node:path'],
    reason:
      'from names to values of secrets; reads files as the loader does, and does not know how a secret is used',
  },
  rules: {
    folders: ['model'],
    packages: ['@marcbachmann/cel-js', '@bufbuild/re2', 'node:worker_threads'],
    reason:
      'rules against the published JSON of a plan: pure, except for the thread that evaluates untrusted rules with the CEL library',
  },
  report: {
    folders: ['model', 'plan', 'apply'],
    packages: ['diff', 'node:util', 'node:crypto'],
    reason: 'pure: anything to a string; node:util only colours, node:crypto only hashes what a page may run',
  },
  export: {
    folders: ['model', 'config'],
    packages: ['yaml', 'node:crypto'],
    reason:
      'observed sets, a Terraform state, or files of values, to files, checked with the folder that reads them; pure: yaml only finds positions, node:crypto only hashes',
  },
  sandbox: {
    folders: ['wire', 'disk'],
    packages: [
      'yaml',
      'node:process',
      'node:http',
      'node:crypto',
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:zlib',
      'node:net',
      'node:util',
      'node:url',
      'node:timers/promises',
    ],
    reason:
      'the service itself: a mistake in shared code would be invisible to every test; it writes its state as everything is written, because a second writer forgot what the first one had learned',
  },
  forge: {
    folders: ['model', 'wire', 'api'],
    packages: ['node:zlib'],
    reason:
      'comments, merges and artifacts of GitHub and GitLab: uses the transport and the token of api, and knows no sets, plans or reports',
  },
  ci: {
    folders: ['model', 'disk', 'git'],
    packages: ['node:fs', 'node:path'],
    reason: 'jobs of a pipeline and what they hand over; it does not know what that is',
  },
  run: {
    folders: [
      'model',
      'wire',
      'disk',
      'git',
      'config',
      'api',
      'plan',
      'rules',
      'apply',
      'report',
      'export',
      'secrets',
      'sandbox',
      'forge',
    ],
    packages: ['node:fs', 'node:fs/promises', 'node:path', 'node:crypto', 'node:os', 'node:sea'],
    reason:
      'the compositions, and the commands as functions: from files, options and a transport to a plan, an apply, a drift report',
  },
  cli: {
    folders: [
      'model',
      'wire',
      'disk',
      'git',
      'config',
      'api',
      'plan',
      'apply',
      'report',
      'sandbox',
      'run',
      'secrets',
      'export',
      'forge',
      'ci',
    ],
    packages: [
      'commander',
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:os',
      'node:process',
      'node:readline/promises',
      'node:v8',
      'node:module',
      'node:sea',
      'node:url',
      'node:util',
      'node:crypto',
      'node:timers/promises',
    ],
    reason: 'flags, environment and streams; everything below takes arguments',
  },
  library: {
    folders: ['model', 'wire', 'config', 'api', 'plan', 'apply', 'report', 'export', 'sandbox', 'run'],
    packages: ['node:path', 'node:timers/promises'],
    reason:
      'what the package exports: the functions of run/commands, with checked options; of api only the names of variables with tokens',
  },
}

/** Names of node:fs that open no file for writing. All others are in `WRITING`. */
const ONLY_READS: ReadonlySet<string> = new Set([
  'access',
  'accessSync',
  'closeSync',
  'constants',
  'createReadStream',
  'Dirent',
  'existsSync',
  'fstatSync',
  'lstat',
  'lstatSync',
  'readdir',
  'readdirSync',
  'readFile',
  'readFileSync',
  'readSync',
  'realpath',
  'realpathSync',
  'stat',
  'Stats',
  'statSync',
])

/** Every other name of node:fs that a file imports, and why it may. Only the first one opens a file for writing. */
const WRITING: Readonly<Record<string, { names: readonly string[]; reason: string }>> = {
  'disk/write-file.ts': {
    names: ['fsyncSync', 'mkdirSync', 'open', 'openSync', 'renameSync', 'rmSync', 'write', 'writeFileSync'],
    reason: 'the one writer: new names, no links followed, whole files',
  },
  'cli/start.ts': { names: ['writeFileSync'], reason: '--version, to the open stream 1' },
  'config/read.ts': { names: ['openSync'], reason: 'for reading alone: O_RDONLY' },
  'ci/door.ts': { names: ['openSync'], reason: 'for reading alone: O_RDONLY' },
  'git/commits.ts': {
    names: ['mkdirSync', 'symlinkSync'],
    reason: 'the files of a commit, in a new directory that only this process knows',
  },
  'run/base-files.ts': { names: ['mkdtemp', 'rm'], reason: 'that directory' },
  'run/commands/output-files.ts': { names: ['rm'], reason: 'reports of an earlier run' },
  'cli/commands/demo-command.ts': { names: ['rm'], reason: 'the sandbox of an earlier demo' },
  'sandbox/lock.ts': { names: ['renameSync', 'unlinkSync'], reason: 'the lock of a process that has ended' },
}

/** The only exception: the report imports types of apply, never code. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { report: ['apply'] }

/**
 * What stands beside the core, each with its own commands. The core is all the rest: it loads, plans, applies and verifies
 * without any of these.
 */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['sandbox/', 'cli/commands/sandbox-command.ts', 'cli/commands/demo-command.ts'],
  rules: ['rules/'],
  page: ['report/html/'],
  forges: [
    'forge/',
    'cli/commands/comment-command.ts',
    'cli/with-forge.ts',
    'ci/',
    'cli/commands/ci-command.ts',
    'cli/ci-',
    'cli/find-merges.ts',
    'cli/files-that-decide.ts',
  ],
  Terraform: [
    'export/from-state.ts',
    'export/state-',
    'export/to-terraform.ts',
    'cli/commands/export-state.ts',
    'cli/commands/export-terraform.ts',
  ],
}

/** The doors of the core to what stands beside it. A door that nothing uses goes. */
const DOORS: Readonly<Record<string, { to: string; reason: string }>> = {
  'cli/definitions.ts': {
    to: 'sandbox, forges',
    reason: 'commands are rows of one table, and each is loaded when it is called',
  },
  'run/commands/embedded.ts': { to: 'sandbox', reason: '`--sandbox` starts a service of its own' },
  'run/run.ts': { to: 'sandbox', reason: 'a caller may pass its sandbox; the type only' },
  'library/types.ts': { to: 'sandbox', reason: 'a caller may pass its sandbox; the type only' },
  'run/commands/reports.ts': {
    to: 'forges',
    reason: 'places in a report link to the commit of the pipeline',
  },
  'cli/commands/export-command.ts': {
    to: 'Terraform',
    reason: '`export --terraform-state`, and `--format terraform`',
  },
  'report/index.ts': { to: 'page', reason: 'the table of formats has a renderer for each' },
  'run/rule-judge.ts': { to: 'rules', reason: 'judges a plan, only if the repository has rules' },
}

/** Folders of tests without a folder of this name in `src`. At the top are tests of documents, examples and the package. */
const TESTS_BESIDE: Readonly<Record<string, string>> = {
  contract: 'the interface, sentence by sentence: no code of ours says what it is',
  pipelines: 'action.yml, pipelines and templates, which run in shells of their forges',
  proof: 'the families of the proof and what they share',
  scenarios: 'what a user sees of several parts, or of the whole program',
  support: 'what tests of several folders share',
}

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .toSorted()
const textOf = (file: string): string => readFileSync(join(SRC, file), 'utf8')
const generated = (file: string): boolean => file.endsWith('.gen.ts')
const folderOf = (file: string): string => file.split('/')[0] ?? ''

function importsOf(file: string): Import[] {
  const found: Import[] = []
  const statements =
    /^(?:import|export)\s+(type\s)?[^'"()]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm
  for (const match of textOf(file).matchAll(statements))
    found.push({ from: file, to: match[2] ?? match[3] ?? match[4] ?? '', typeOnly: match[1] !== undefined })
  return found
}

const all = files.filter(file => !generated(file)).flatMap(importsOf)
const target = (one: Import): string => relative(SRC, resolve(SRC, dirname(one.from), one.to))

describe('the architecture', () => {
  test('finds modules and imports', () => {
    expect(files.length).toBeGreaterThan(40)
    expect(all.length).toBeGreaterThan(files.length)
  })

  test('has a rule for every folder', () => {
    expect([...new Set(files.map(folderOf))].filter(folder => RULES[folder] === undefined)).toEqual([])
  })

  test('is shown in CONTRIBUTING, folder by folder', () => {
    const guide = readFileSync(resolve(SRC, '../CONTRIBUTING.md'), 'utf8')
    const shown = [...guide.matchAll(/^\| `src\/(\w+)` \|/gm)].map(([, folder = '']) => folder)
    expect(shown.toSorted()).toEqual(Object.keys(RULES).toSorted())
  })

  test('is described by docs/architecture.md: each station names a function and its file', () => {
    const page = readFileSync(resolve(SRC, '../docs/architecture.md'), 'utf8')
    const rows = page.split('\n').filter(line => /^\| .*`src\//.test(line))
    const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    const missing = rows.flatMap(row => {
      const [, station = '', , functions, paths] = row.split('|')
      const text = codeIn(paths).map(path => readFileSync(resolve(SRC, '..', path), 'utf8'))
      const isDeclared = (name: string): boolean =>
        text.some(one =>
          new RegExp(`^(?:export )?(?:async )?(?:function|const|class) ${name}\\b`, 'm').test(one),
        )
      const names = codeIn(functions)
      return names.length === 0 ? [station] : names.filter(name => !isDeclared(name))
    })
    expect(rows.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
  })

  test('cites only existing files and sections', () => {
    expect(brokenCitations()).toEqual([])
    const outside = [
      'docs/service.md '.concat('4.99'),
      'docs/fault-model.md '.concat('F-99'),
      'interface 4.1',
      'fault-model T-01',
      'src/no.ts',
    ]
    for (const cited of outside) expect(brokenIn('x.ts', `/** As (${cited}) says. */`)).toHaveLength(1)
    expect(brokenIn('x.ts', '/** docs/service.md 2.3, 4.9 and docs/fault-model.md F-01, 8.1 */')).toEqual([])
  })

  test('has a source for each built module that the scripts import', () => {
    const scripts = resolve(SRC, '../scripts')
    const named = readdirSync(scripts)
      .filter(name => name.endsWith('.mjs'))
      .flatMap(name => [
        ...readFileSync(join(scripts, name), 'utf8').matchAll(/'(?:\.\.\/)+dist\/([\w/-]+)\.js'/g),
      ])
      .flatMap(([, path = '']) => (path.startsWith('bundle/') ? [] : [`${path}.ts`]))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(path => !files.includes(path))).toEqual([])
  })

  test('allows only the listed imports', () => {
    const broken = all.flatMap(one => {
      const from = folderOf(one.from)
      const rule = RULES[from]
      if (rule === undefined) return [`${one.from}: no rule`]
      if (!one.to.startsWith('.'))
        return rule.packages.includes(one.to.replace(/^((?:@[^/]+\/)?[^/:]+)\/.*$/, '$1')) ||
          rule.packages.includes(one.to)
          ? []
          : [`${one.from} imports ${one.to} (${rule.reason})`]
      const to = folderOf(target(one))
      if (to === from) return []
      if (!rule.folders.includes(to)) return [`${one.from} imports ${to} (${rule.reason})`]
      return TYPES_ONLY[from]?.includes(to) && !one.typeOnly
        ? [`${one.from} imports code of ${to}; types only`]
        : []
    })
    expect(broken).toEqual([])
  })

  test('the core imports what stands beside it through its doors only', () => {
    const partOf = (file: string): string | undefined =>
      Object.keys(BESIDE).find(part => BESIDE[part]?.some(start => file.startsWith(start)))
    const across = all
      .filter(one => one.to.startsWith('.') && partOf(one.from) === undefined)
      .flatMap(one => {
        const to = partOf(target(one))
        return to === undefined ? [] : [`${one.from} -> ${to}`]
      })
    const doors = Object.entries(DOORS).flatMap(([from, { to }]) =>
      to.split(', ').map(part => `${from} -> ${part}`),
    )
    expect([...new Set(across)].toSorted()).toEqual(doors.toSorted())
    const page = readFileSync(resolve(SRC, '../docs/architecture.md'), 'utf8')
    expect(Object.keys(DOORS).filter(door => !page.includes(`\`${door}\``))).toEqual([])
  })

  test('has printers that know rows and no plans', () => {
    const printers = /^report\/(?:doc|layout|links|print-|html\/)/
    const known = all.filter(({ from, to }) => printers.test(from) && /\/(?:plan|apply)\//.test(to))
    expect(known.filter(({ to }) => !to.endsWith('/plan/plan-data.ts')).map(({ from }) => from)).toEqual([])
    for (const { from } of known)
      expect(textOf(from)).toMatch(/import \{ shortDigest \} from '[./]+plan\/plan-data\.ts'/)
    expect(known.length).toBeGreaterThan(0)
  })

  test('has no import cycles, including types', () => {
    const edges = new Map<string, string[]>()
    for (const one of all)
      if (one.to.startsWith('.')) edges.set(one.from, [...(edges.get(one.from) ?? []), target(one)])
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      if (done.has(file) || path.includes(file)) return
      for (const next of edges.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of edges.keys()) visit(file, [])
    expect(cycles).toEqual([])
  })

  test('makes plans in one place, once', () => {
    const calls = (name: RegExp) =>
      files.flatMap(file => [...textOf(file).matchAll(name)].map(() => file)).toSorted()
    expect(calls(/(?<!function )\bcreatePlan\(/g)).toEqual(['run/plan.ts'])
    expect(calls(/(?<!function )\bdraftPlan\(/g)).toEqual(['plan/create.ts', 'run/plan.ts'])
    expect(calls(/\bawait settled\(lookUps, told => draftWith\(/g)).toEqual(['run/plan.ts'])
  })

  test('gives each name of a file to one file', () => {
    const named = new Map<string, string[]>()
    for (const file of files.filter(one => !generated(one) && !one.endsWith('index.ts')))
      named.set(basename(file), [...(named.get(basename(file)) ?? []), file])
    expect([...named.values()].filter(several => several.length > 1)).toEqual([])
  })

  test('declares each name of a type in one file', () => {
    const declaring = new Map<string, string[]>()
    for (const file of files.filter(one => !generated(one)))
      for (const [, name = ''] of textOf(file).matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm))
        declaring.set(name, [...(declaring.get(name) ?? []), file])
    expect([...declaring].filter(([, several]) => several.length > 1)).toEqual([])
  })

  test('tells in plans what workspaces see in the words of cells', () => {
    const gone = /place|contribution|competitor|stage|relay|tournament|landscape|population|everywhere/i
    const inPlan = files.filter(one => one.startsWith('plan/') && !generated(one))
    const names = inPlan.flatMap(file => [
      basename(file, '.ts'),
      ...[...textOf(file).matchAll(/^(?:export )?(?:interface|type|class|function|const) (\w+)/gm)].flatMap(
        ([, name]) => name ?? [],
      ),
    ])
    expect(names.length).toBeGreaterThan(500)
    expect(names.filter(name => gone.test(name) && !/replace|placeholder/i.test(name))).toEqual([])
  })

  test('opens files for writing in one file', { tags: ['F-50'] }, () => {
    const found: Record<string, string[]> = {}
    for (const file of files.filter(one => !generated(one)))
      for (const [, type, named = ''] of textOf(file).matchAll(
        /^import (type )?\{([^}]*)\} from 'node:fs(?:\/promises)?'$/gm,
      )) {
        const names = named.split(',').flatMap(one => one.trim().match(/^\w+/)?.[0] ?? [])
        const writing = names.filter(name => type === undefined && name !== 'type' && !ONLY_READS.has(name))
        if (writing.length > 0) found[file] = [...(found[file] ?? []), ...writing].toSorted()
      }
    expect(found).toEqual(
      Object.fromEntries(Object.entries(WRITING).map(([file, { names }]) => [file, [...names].toSorted()])),
    )
    expect(textOf('config/read.ts').match(/openSync\(.*/g)).toEqual([
      'openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)',
    ])
    expect(textOf('ci/door.ts').match(/openSync\(.*/g)).toEqual([
      'openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)',
    ])
    expect(textOf('cli/start.ts').match(/writeFileSync\(.*/g)).toEqual(['writeFileSync(1, `${text}\\n`)'])
    // And in no other form: as a whole, by another name, or when it runs.
    const others = files
      .filter(one => !generated(one))
      .filter(file => {
        const text = textOf(file)
        const plain = text.match(/^import (?:type )?\{[^}]*\} from 'node:fs(?:\/promises)?'$/gm) ?? []
        return (
          plain.some(one => / as /.test(one)) ||
          (text.match(/\bnode:fs\b|['"]fs['"/]/g) ?? []).length !== plain.length
        )
      })
    expect(others).toEqual([])
  })

  test('starts the sandbox without the YAML parser: only files of seeds and faults need it', () => {
    const seen = new Set<string>()
    const packages = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      for (const one of all.filter(({ from, typeOnly }) => from === file && !typeOnly))
        if (one.to.startsWith('.')) visit(target(one))
        else packages.add(one.to)
    }
    visit('sandbox/sandbox.ts')
    expect(seen.size).toBeGreaterThan(20)
    expect([...packages].filter(name => !name.startsWith('node:'))).toEqual([])
  })
})

describe('the tests', () => {
  const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && name.includes('/'),
  )

  test('of `src/a/b.ts` are in `a/b.test.ts`, and more of them in `a/b.<topic>.test.ts`', () => {
    const inSource = tests.filter(name => TESTS_BESIDE[folderOf(name)] === undefined)
    const tested = inSource.filter(name => name.endsWith('.test.ts'))
    const fileOf = (name: string): string => name.replace(/(?:\.[\w-]+)?\.test\.ts$/, '.ts')
    expect(tested.length).toBeGreaterThan(60)
    expect(tested.filter(name => !files.includes(fileOf(name)))).toEqual([])
    expect([...new Set(inSource.map(folderOf))].filter(folder => RULES[folder] === undefined)).toEqual([])
  })

  test('have a folder beside those of `src` only for a reason', () => {
    const folders = new Set(tests.map(folderOf))
    expect(Object.keys(TESTS_BESIDE).filter(folder => !folders.has(folder) || folder in RULES)).toEqual([])
  })
})

/** Occurrences that are counted. A diff shows if a limit is raised. */
const COUNTED: readonly {
  what: string
  pattern: RegExp
  allowed: Readonly<Record<string, number>>
  reason: string
}[] = [
  {
    what: 'reveal of a secret',
    pattern: /\.reveal\(/g,
    allowed: { 'api/encode.ts': 1 },
    reason: 'a secret is revealed at one place, the encoder of requests',
  },
  {
    what: 'other programs that are started',
    pattern: /child_process/g,
    allowed: { 'git/git.ts': 1 },
    reason: 'git can run programs that a repository names, so it is called at one place, with care',
  },
  {
    what: 'console',
    pattern: /\bconsole\./g,
    allowed: {},
    reason: 'output goes to the streams that the command line passes down',
  },
  {
    what: 'process',
    pattern: /\bprocess\.|from 'node:process'/g,
    allowed: {
      'cli/bin.ts': 4,
      'cli/start.ts': 9,
      'cli/run-program.ts': 99,
      'sandbox/lock.ts': 1,
    },
    reason: 'environment, streams, signals and exit belong to the program, not to the library',
  },
  {
    what: 'any',
    pattern: /:\s*any\b|\bas any\b|<any>/g,
    allowed: {},
    reason: 'use unknown, and check it',
  },
  {
    what: 'suppressions',
    pattern: /@ts-ignore|@ts-expect-error|@ts-nocheck|biome-ignore/g,
    allowed: {},
    reason: 'change the rule instead, and give a reason',
  },
  {
    what: 'defaults of switches',
    pattern: /^ *default:/gm,
    allowed: { 'report/apply-doc.ts': 1, 'sandbox/routes/reaching-routes.ts': 1 },
    reason: 'a new member of a union must be handled everywhere; the allowed ones are not about unions',
  },
  {
    what: 'notes to self',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/g,
    allowed: {},
    reason: 'open an issue, or do it',
  },
  {
    what: 'clock and chance in pure folders',
    pattern: /\bDate\.now|new Date\(\)|Math\.random/g,
    allowed: { 'cli/run-program.ts': 9, 'library/library-call.ts': 2, 'sandbox/clock-and-chance.ts': 1 },
    reason: 'time and chance are arguments, which the program and the library pass in',
  },
]

describe('limits', () => {
  test.each(COUNTED)('$what: $reason', { tags: ['F-50'] }, ({ pattern, allowed }) => {
    const found = files
      .filter(file => !generated(file))
      .map(file => [file, withoutComments(textOf(file)).match(pattern)?.length ?? 0] as const)
      .filter(([file, count]) => count > (allowed[file] ?? 0))
    expect(found).toEqual([])
  })

  test('the encoder reveals secrets', () => {
    expect(files.filter(file => textOf(file).includes('.reveal('))).toEqual(['api/encode.ts'])
  })
})

/** Suppressions are comments, so comments with code stay; only prose is removed. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/(?!.*(?:@ts-|biome-ignore)).*$/gm, '')
