import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { FORMATS } from '../src/report/formats.ts'
import { workflowProblems } from './support/forge-schemas.ts'

/** The workflows of this repository itself, its templates, and the page of examples. */
const ROOT = resolve(import.meta.dirname, '..')
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows'))
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

test.each(WORKFLOWS)('%s is valid, pins each action by its commit, and may only read by default', name => {
  const workflow = text(`.github/workflows/${name}`)
  expect(workflowProblems(workflow)).toEqual([])
  const uses = workflow.match(/uses: .*/g) ?? []
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter(line => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  expect(parse(workflow).permissions).toEqual({ contents: 'read' })
})

test('no workflow but the release has a secret or a right to write', () => {
  const others = WORKFLOWS.filter(name => name !== 'release.yml')
  expect(others.length).toBeGreaterThan(1)
  for (const name of others) {
    const workflow = text(`.github/workflows/${name}`)
    expect([name, /secrets\.|github\.token|: write/.test(workflow)]).toEqual([name, false])
  }
})

test('pull requests run what .ci/run runs, on the lines of Node that the package supports', () => {
  const { jobs } = parse(text('.github/workflows/ci.yml'))
  expect(jobs.check.steps.at(-1).run).toBe('.ci/run')
  expect(jobs.check.strategy.matrix.node).toEqual(['20.19', '22', '24', '26'])
  expect(JSON.parse(text('package.json')).engines.node).toBe('^20.19 || >=22.3')
  expect(parse(text('.github/workflows/nightly.yml')).jobs.proof.steps.at(-1).run).toBe(
    'npm run proof -- --seed ${{ github.run_number }}',
  )
})

test('a bot proposes updates of the packages and of the pinned actions', () => {
  const { updates } = parse(text('.github/dependabot.yml'))
  const kinds = updates.map((one: Record<string, unknown>) => one['package-ecosystem'])
  expect(kinds).toEqual(['npm', 'github-actions'])
})

test('examples/README.md lists every example, and nothing else', () => {
  const listed = [...text('examples/README.md').matchAll(/\]\(([\w-]+)\/README\.md\)/g)].map(
    match => match[1],
  )
  const there = readdirSync(join(ROOT, 'examples')).filter(name =>
    existsSync(join(ROOT, 'examples', name, 'README.md')),
  )
  expect(listed).toEqual(there)
})

test('tests take the formats of reports from their list, so that a new one is tried everywhere', () => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.ts') && !path.startsWith('habits'),
  )
  const known = new RegExp(`\\[(?:'(?:${FORMATS.join('|')})',? ?){2,}\\]`, 'g')
  const lists = files.flatMap(path =>
    (text(`test/${path}`).match(known) ?? [])
      // Lists of commands with formats of their own, such as `explain`.
      .filter(list => /'html'|'gitlab'/.test(list))
      .map(list => `${path}: ${list}`),
  )
  // In place of a list: FORMATS, or TELLING and FOR_PEOPLE of test/support/formats.ts.
  expect(lists).toEqual([])
})
