import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type SandboxSeed } from '../src/sandbox/index.ts'
import { unlikeWords } from './support/changelog.ts'
import { aDirectory, run } from './support/program.ts'
import {
  examplesOf,
  expectDocument,
  expectExample,
  fencesOf,
  fileNameOf,
  replay,
} from './support/transcript.ts'

/** `UPDATE_GOLDEN=1 npx vitest run test/readme.test.ts` updates the outputs in the README. Read the diff. */
const ROOT = resolve(import.meta.dirname, '..')
const README = join(ROOT, 'README.md')

/** Commands of the README that do not run here, and why. */
const LEFT_OUT = [
  'npm ci', // installs what runs this test; CI begins with it
  'npm install --global "./$(npm pack --silent)"', // would change the machine; the proof runs it elsewhere (test/proof/delivery)
]

test('the README shows the real output of its commands', async () => {
  const document = readFileSync(README, 'utf8')
  const { url, token } = await aService()
  const standIns = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: token }
  const replayed = await replay(document, { cwd: aDirectory(), standIns, leftOut: LEFT_OUT })
  expectDocument(README, replayed)
})

/** Examples of the guides that run against the sandbox or a service at an address. */
const EXAMPLES = [
  ['start', 'steps'],
  ['files', 'sets'],
  ['files', 'sides'],
  ['files', 'groups'],
  ['secrets', 'secrets'],
  ['plan-and-apply', 'plan'],
  ['plan-and-apply', 'drift'],
  ['workspaces', 'affected'],
  ['workspaces', 'gaps'],
  ['migrate', 'back'],
] as const

/** Examples that other tests run, with the service that they need. */
const OTHERS = [
  ['connect', 'tokens'], // test/examples.test.ts
  ['organizations', 'organizations'], // test/organizations.test.ts
  ['organizations', 'copy'],
  ['bad-days', 'emergencies'], // test/examples.test.ts
]

test.each(EXAMPLES)('docs/%s.md shows the real output of its example "%s"', async (name, example) => {
  const { url, token } = await aService()
  const standIns = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: token }
  await expectExample(join(ROOT, 'docs', `${name}.md`), example, text =>
    replay(text, { cwd: aDirectoryOf(name), standIns }),
  )
})

/** The owner of a first repository is the name of its directory. */
function aDirectoryOf(page: string): string {
  if (page !== 'start') return aDirectory()
  const cwd = join(aDirectory(), 'acme-sets')
  mkdirSync(cwd)
  return cwd
}

test('a test runs every example of the guides', () => {
  const found = readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .flatMap(name => examplesOf(readFileSync(join(ROOT, 'docs', name), 'utf8')).map(one => [name, one]))
  const wanted = [...EXAMPLES, ...OTHERS].map(([page, one]) => [`${page}.md`, one])
  expect(found.toSorted()).toEqual(wanted.toSorted())
})

test("the README's table has the correct numbers of requests", { tags: ['I-12'] }, async () => {
  const values = (changed: string): string =>
    Array.from({ length: 20 }, (_, i) => `      KEY_${i}: "${i === 7 ? changed : i}"\n`).join('')
  const sets = (changed: string): string =>
    Array.from(
      { length: 15 },
      (_, i) =>
        `  set-${i}:\n    workspaces: [one, two]\n    projects: [payments]\n    env:\n${values(i === 3 ? changed : '7')}`,
    ).join('')
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
  const { url, token } = await aService({
    organizations: [{ name: 'acme' }],
    projects: [{ name: 'payments' }],
    workspaces: ['one', 'two'].map(name => ({ name, project: 'payments' })),
  })
  const between = await aCounter(url)
  const env = { SETPOINT_ADDRESS: between.url, SETPOINT_TOKEN: token }
  const requestsOf = async (command: string, changed: string): Promise<number> => {
    mkdirSync(join(cwd, 'sets'), { recursive: true })
    writeFileSync(join(cwd, 'sets/all.yaml'), `variableSets:\n${sets(changed)}`)
    const before = between.count()
    const { code } = await run([command, ...(command === 'apply' ? ['--auto-approve'] : [])], { cwd, env })
    expect(code).toBe(0)
    return between.count() - before
  }
  const create = await requestsOf('apply', '7')
  const plan = await requestsOf('plan', '7')
  const change = await requestsOf('apply', 'another')
  const table = readFileSync(README, 'utf8')
  expect(table).toContain(`| requests of a plan without changes | 370 | ${plan} |`)
  expect(table).toContain(`| requests to create everything | 431 | ${create} |`)
  expect(table).toContain(`| requests to change one variable | 372 | ${change} |`)
})

test('every code block of the README is a command or a file, so all of it is tested', () => {
  const fences = fencesOf(readFileSync(README, 'utf8'))
  expect(fences.length).toBeGreaterThan(8)
  const idle = fences.filter(
    fence => !['console', 'sh', 'mermaid'].includes(fence.language) && fileNameOf(fence) === undefined,
  )
  expect(idle).toEqual([])
})

test('the README stays short: one picture, nine links, 160 lines', () => {
  const text = readFileSync(README, 'utf8')
  expect(text.split('```mermaid').length - 1).toBe(1)
  expect([...text.matchAll(/\]\(/g)].length).toBeLessThanOrEqual(9)
  expect(text.split('\n').length).toBeLessThanOrEqual(161)
})

/** The files of the repository below these paths. */
const trackedIn = (...paths: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...paths], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(file => file !== '' && existsSync(join(ROOT, file)))

/** Folders and files whose texts name guides. */
const CITING = [
  'src',
  'test',
  'bench',
  'scripts',
  'schemas',
  'pipelines',
  'templates',
  'examples',
  '.github',
  'action.yml',
]

test('docs/README.md lists every page', () => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8')
  const pages = readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md') && name !== 'README.md')
  expect(pages.filter(name => !index.includes(`](${name}`))).toEqual([])
})

test('a command or option of the table "gone, instead" has the same sentence in src/cli/words.ts', () => {
  expect(unlikeWords(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))).toEqual([])
})

test('docs/decisions/README.md lists every decision', () => {
  const folder = join(ROOT, 'docs/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const pages = readdirSync(folder).filter(name => name !== 'README.md')
  expect(pages.filter(name => !index.includes(`(${name})`))).toEqual([])
})

test('links between the documents are valid', () => {
  const documents = trackedIn('*.md').filter(file => !/fixtures|golden/.test(file))
  expect(documents.length).toBeGreaterThan(60)
  expect(documents.flatMap(brokenLinks)).toEqual([])
})

test('texts of the program, of pipelines and of comments name sections of guides that exist', () => {
  const files = trackedIn(...CITING).filter(
    file => /\.(?:ts|mjs|mts|json|yml|yaml)$/.test(file) && !file.includes('/fixtures/'),
  )
  const cited = files.flatMap(file =>
    [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?<![\w/-])docs\/(\w[\w-]*\.md)(?:#([\w-]+))?/g),
    ].map(([text, page = '', anchor]) => ({ file, text, page, anchor })),
  )
  expect(cited.length).toBeGreaterThan(100)
  const wrong = cited.filter(({ page, anchor }) => {
    if (page === 'package.md') return false // a made-up file of a test
    const file = join(ROOT, 'docs', page)
    if (!existsSync(file)) return true
    return anchor !== undefined && !anchorsOf(file).includes(anchor)
  })
  expect(wrong).toEqual([])
})

test('the paths that CONTRIBUTING and its pages mention exist', () => {
  const pages = ['CONTRIBUTING.md', 'docs/architecture.md']
  const text = pages.map(page => readFileSync(join(ROOT, page), 'utf8')).join('\n')
  const named = [...text.matchAll(/`((?:src|test|docs|schemas|scripts)\/[\w./-]+)`/g)].flatMap(
    ([, path]) => path ?? [],
  )
  expect(named.length).toBeGreaterThan(60)
  expect(named.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

/** A service at an address, like the real one. */
async function aService(seed?: SandboxSeed): Promise<{ url: string; token: string }> {
  const sandbox = await createSandbox(seed && { seed })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  return { url, token: sandbox.token }
}

/** Counts the requests on their way to a service. */
async function aCounter(target: string): Promise<{ url: string; count: () => number }> {
  let count = 0
  const server = createServer((asked, answer) => {
    count++
    const { method, headers } = asked
    const onward = request(new URL(asked.url ?? '', target), {
      method,
      headers: { ...headers, host: new URL(target).host },
    })
    onward.on('response', response => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    asked.pipe(onward)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return { url: `http://127.0.0.1:${address.port}`, count: () => count }
}

/** Links to missing files and headings. */
function brokenLinks(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => link ?? [])
  return links
    .filter(link => !link.startsWith('https://'))
    .filter(link => {
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? join(ROOT, document) : resolve(ROOT, dirname(document), path)
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
    })
    .map(link => `${document}: ${link}`)
}

/** Makes anchors of headings, as the forges do. */
const anchorsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
