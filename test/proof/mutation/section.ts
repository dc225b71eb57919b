import { code, table } from '../page.ts'
import type { Judged } from './judge.ts'
import type { Mutation } from './mutations.ts'

/** What one suite found. */
export interface Results {
  /** Which tests. Written by hand. */
  readonly suite?: string
  readonly seed: number
  /** The chosen mutations, of which the first ones are judged. */
  readonly mutations: readonly Mutation[]
  readonly judged: readonly Judged[]
}

const HEAD = [
  'mutations',
  'found by tests that import the file',
  'only by all tests',
  'not found in time',
  'survived',
  'of these equivalent',
]

/** The section of docs/reliability.md. */
export function section(suites: readonly Results[]): string {
  const rows = suites.map(({ suite = 'tests', judged }) => [suite, ...numbers(judged)])
  const last = suites.at(-1)?.judged ?? []
  const names = last.map(({ mutation: { file } }) => file.split('/').slice(0, 2).join('/'))
  const folders = [...new Set(names)]
    .sort()
    .map(folder => [
      code(folder),
      ...numbers(last.filter(({ mutation }) => mutation.file.startsWith(`${folder}/`))),
    ])
  const open = last.filter(({ found }) => found === 'survived' || found === 'late')
  return [
    table(['suite', ...HEAD], rows),
    'The last suite, by folder:',
    table(['folder', ...HEAD], folders),
    'What it did not find:',
    table(
      ['file', 'text', 'replaced by', 'why'],
      open.map(({ mutation: { file, replaced, replacement }, found, equivalent }) => [
        code(file),
        printed(replaced),
        printed(replacement),
        equivalent ?? (found === 'late' ? 'not found in time' : 'no test finds it'),
      ]),
    ),
  ].join('\n\n')
}

/** The most characters of a text in the table. */
const MOST = 100

function printed(text: string): string {
  if (text === '') return 'nothing'
  const line = text.replace(/\s+/g, ' ').replaceAll('`', "'")
  return code((line.length > MOST ? `${line.slice(0, MOST)}…` : line).replaceAll('|', '\\|'))
}

function numbers(judged: readonly Judged[]): number[] {
  const count = (found: Judged['found']): number => judged.filter(one => one.found === found).length
  const equivalent = judged.filter(one => one.equivalent !== undefined).length
  return [judged.length, count('near'), count('whole'), count('late'), count('survived'), equivalent]
}

/** What the command prints at the end. */
export function told(judged: readonly Judged[], useless: readonly string[]): string {
  const [all, near, whole, late, survived] = numbers(judged)
  const open = judged.filter(({ found }) => found === 'survived' || found === 'late')
  return [
    `${all} mutations: ${near} found by tests that import the file, ${whole} only by all tests, ${late} not in time, ${survived} survived.`,
    ...open.map(({ found, mutation }) => `${found} ${JSON.stringify(mutation)}`),
    ...useless.map(test => `not used, because it fails without a mutation: ${test}`),
    '',
  ].join('\n')
}
