import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const DOCS = resolve(import.meta.dirname, '../docs')
const page = readFileSync(resolve(DOCS, 'fault-model.md'), 'utf8')

const span = (letter: string, ...ranges: readonly (readonly [from: number, to: number])[]): string[] =>
  ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${letter}-${String(from + index).padStart(2, '0')}`),
  )

/** The numbers of the model: its faults come in groups. */
const ITEMS = [
  ...span('F', [1, 9], [10, 18], [20, 26], [30, 37], [40, 43], [50, 50], [60, 71], [80, 82]),
  ...span('I', [1, 27]),
  ...['8.1', '8.2', '8.3', '8.4', '8.5', '8.6'],
  ...[0, 1, 2, 3, 4, 130, 143].map(code => `exit ${code}`),
]

interface Row {
  readonly item: string
  readonly does: string
  readonly proofs: readonly string[]
}

const rows: readonly Row[] = page
  .split('\n')
  .filter(line => /^\| (?:[FI]-|8\.|exit )/.test(line))
  .map(line => {
    const [, item = '', does = '', proofs = ''] = line.split(' | ').join('|').split('|')
    return { item: item.trim(), does: does.trim(), proofs: proofs.trim().split('<br>') }
  })

/** What is wrong with a proof: a link to a test file and the name of a test in it, or a decision. */
function wrongWith(proof: string): string | undefined {
  const decision = /^decision: \[.+\]\((.+)\)$/.exec(proof)?.[1]
  if (decision !== undefined) return existsSync(resolve(DOCS, decision)) ? undefined : `no file: ${proof}`
  const [, link, name] = /^\[.+\]\((.+)\): (.+)$/.exec(proof) ?? []
  if (link === undefined || name === undefined) return `neither a test nor a decision: ${proof}`
  const file = resolve(DOCS, link)
  if (!existsSync(file)) return `no file: ${proof}`
  const quoted = ["'", '"', '`'].map(quote => `${quote}${name}${quote}`)
  const text = readFileSync(file, 'utf8')
  return quoted.some(one => text.includes(one)) ? undefined : `no test of this name: ${proof}`
}

describe('the page of faults and promises', () => {
  test('has each item once, in order', () => {
    expect(rows.map(({ item }) => item)).toEqual(ITEMS)
  })
  test('says of each what is done about it', () => {
    expect(rows.filter(({ does }) => !/^[A-Z0-9].*\.$/.test(does)).map(({ item }) => item)).toEqual([])
  })
  test('names a test for each that exists under this name', () => {
    expect(
      rows.flatMap(({ item, proofs }) =>
        proofs.flatMap(proof => {
          const wrong = wrongWith(proof)
          return wrong === undefined ? [] : [`${item}: ${wrong}`]
        }),
      ),
    ).toEqual([])
    expect(rows.filter(({ proofs }) => proofs.every(proof => proof.startsWith('decision:')))).toEqual([])
  })
})
