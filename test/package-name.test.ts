import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../src/cli/definitions.ts'
import { aDirectory, run } from './support/program.ts'

/**
 * We do not own the package's name in any registry, so nothing may install or run a package by that name. And any package may
 * have a `bin` with that name, so nothing may run `setpoint` by its name after an installation.
 */
const ROOT = resolve(import.meta.dirname, '..')

/** Commands that fetch a package and run it, and commands that install. A name may follow them. */
const RUNS = /\b(?:npx|bunx|pnpx|(?:npm|pnpm|yarn|bun) +(?:exec|x|dlx|create))\b(.*)/g
const INSTALLS = /\b(?:npm|pnpm|yarn|bun) +(?:global +)?(?:install|i|add|update|upgrade)\b(.*)/g
const FROM_A_FILE = /^(?:\.{0,2}\/|\.$|file:|git\+|https:)|\.tgz$/

/** Names of packages that a text installs or runs. */
function namesIn(text: string): string[] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n')
  return lines.flatMap(line => [
    ...[...line.matchAll(RUNS)].flatMap(([, rest = '']) => words(rest).slice(0, 1)),
    ...[...line.matchAll(INSTALLS)].flatMap(([, rest = '']) =>
      words(rest).filter(word => !FROM_A_FILE.test(word)),
    ),
  ])
}

/** Words up to the end of the command or code, without flags. */
const words = (rest: string): string[] =>
  (/^[^`;|&>#\\()]*/.exec(rest)?.[0] ?? '')
    .split(/[\s'",]+/)
    .filter(word => word !== '' && !word.startsWith('-') && word !== 'and')

const tracked = (): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)

/** Tests and the lock file contain no commands for users. */
const isForUsers = (path: string): boolean => !/^(?:test\/|package-lock\.json$)/.test(path)

test.each([
  ['npm install --save-dev setpoint', ['setpoint']],
  ['run npm i setpoint@1, and commit', ['setpoint@1', 'commit']],
  ['- npx setpoint drift', ['setpoint']],
  ['npx --no -- setpoint plan', ['setpoint']],
  ['npx -y setpoint@latest', ['setpoint@latest']],
  ['npm exec -- setpoint', ['setpoint']],
  ['`yarn dlx setpoint`', ['setpoint']],
  ['npm install \\\n  setpoint', ['setpoint']],
  ['npm install --save-dev ./setpoint-0.3.0.tgz', []],
  ['npm ci && npm run build && npm install --global .', []],
  ['npm install --global "./$(npm pack --silent)"', []],
  ['`npm install` setpoint', []],
])('%j installs or runs %j', (text, names) => {
  expect(namesIn(text)).toEqual(names)
})

describe('nothing for users installs or runs Setpoint by its package name', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

  test('tracked files', () => {
    const files = tracked().filter(isForUsers)
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'action.yml', 'templates/setpoint/template.yml', 'docs/start.md']),
    )
    const found = files.flatMap(path =>
      namesIn(readFileSync(join(ROOT, path), 'utf8'))
        // Packages that our own lock file installs.
        .filter(name => !Object.hasOwn(devDependencies, name))
        .map(name => `${path}: ${name}`),
    )
    expect(found).toEqual([])
  })

  test('no page names an owner on a forge who could exist', () => {
    const pages = tracked().filter(path => path.endsWith('.md') && isForUsers(path))
    const owners = pages.flatMap(path =>
      [
        ...readFileSync(join(ROOT, path), 'utf8').matchAll(
          /(?:--repo|--signer-workflow|uses:|github:|github\.com\/) *([^\s/]+)\/setpoint\b/g,
        ),
      ].map(([, owner]) => owner),
    )
    expect([owners.length > 4, [...new Set(owners)]]).toEqual([true, ['<owner>']])
  })

  test('the help', async () => {
    for (const argv of [['--help'], ...COMMANDS.map(({ name }) => [name, '--help'])]) {
      const { code, stdout, stderr } = await run(argv, { cwd: aDirectory() })
      expect([code, namesIn(stdout + stderr)]).toEqual([0, []])
    }
  })

  test.each(['github', 'gitlab'])('init for %s and the pipeline that it writes', async forge => {
    const cwd = aDirectory()
    const { code, stderr } = await run(['init', 'acme', '--sandbox', '--owner', 'me', '--pipeline', forge], {
      cwd,
    })
    const path = forge === 'github' ? '.github/workflows/setpoint.yml' : '.gitlab-ci.yml'
    const text = readFileSync(join(cwd, path), 'utf8')
    expect([code, namesIn(stderr), namesIn(text)]).toEqual([0, [], []])
    expect(stderr).toContain('npm install --save-dev ./setpoint-0.0.0-test.tgz')
    expect(text).toContain('node node_modules/setpoint/dist/bundle/setpoint.js ci plan')
  })
})

/** What runs on a runner or in an image, beside a token. */
describe('no pipeline, image or example runs Setpoint by its name', () => {
  const isRunning = (path: string): boolean =>
    /^(?:action\.yml$|pipelines\/|templates\/|examples\/)/.test(path) && !/\.(?:md|tfstate)$/.test(path)
  /** Comments say what a person runs. */
  const codeOf = (text: string): string => text.replaceAll(/(?:^|\s)#(?!!).*/gm, '')
  const byName = new RegExp(`(?<![\\w/.-])setpoint (?:${COMMANDS.map(({ name }) => name).join('|')})\\b`)
  const wrongIn = (text: string): string[] =>
    codeOf(text)
      .split('\n')
      .filter(
        line =>
          /\.bin\b|\[setpoint[\],]/.test(line) ||
          byName.test(line) ||
          (line.includes('npm ci') && !line.includes('npm ci --ignore-scripts --no-bin-links')),
      )

  test.each([
    ['run: node_modules/.bin/setpoint plan'],
    ['ENV PATH=/sets/node_modules/.bin:$PATH'],
    ['- setpoint plan --out plan.json'],
    ['x=$(setpoint affected)'],
    ['command: [setpoint]'],
    ['RUN npm ci --ignore-scripts'],
  ])('%j is found', line => {
    expect(wrongIn(`# setpoint plan\n${line}\n- npm ci --ignore-scripts --no-bin-links`)).toEqual([line])
  })

  test('they call the file, and no name of an installed package is linked', () => {
    const files = tracked().filter(isRunning)
    expect(files).toEqual(expect.arrayContaining(['action.yml', 'examples/09-kubernetes/Dockerfile']))
    const texts = files.map(path => [path, readFileSync(join(ROOT, path), 'utf8')] as const)
    expect(texts.flatMap(([path, text]) => wrongIn(text).map(line => `${path}: ${line}`))).toEqual([])
    const calling = texts.filter(([, text]) =>
      text.includes('node node_modules/setpoint/dist/bundle/setpoint.js'),
    )
    expect(calling.length).toBeGreaterThan(7)
  })

  test('no code of a page calls node_modules/.bin', () => {
    const pages = tracked().filter(path => path.endsWith('.md'))
    const found = pages.flatMap(path =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```[\s\S]*?^```$|^(?: {4}|\t).*$/gm)]
        .filter(([code]) => code.includes('.bin/'))
        .map(([code]) => `${path}: ${code}`),
    )
    expect(found).toEqual([])
  })
})
