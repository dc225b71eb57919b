import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ITEMS } from './support/items.ts'

const DOCS = resolve(import.meta.dirname, '../docs')

interface Row {
  readonly item: string
  readonly does: string
  readonly decision: string | undefined
}

const rows: readonly Row[] = readFileSync(join(DOCS, 'fault-model.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| (?:[FI]-|8\.|exit-)/.test(line))
  .map(line => {
    const [, item = '', does = ''] = /^\| (\S+) \| (.*) \|$/.exec(line) ?? []
    return { item, does, decision: /\]\((decisions\/[^)]+)\)/.exec(does)?.[1] }
  })

/** The tags of all tests, and the items that families of the proof prove. */
const tags = new Set(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(?:test|family)\.ts$/.test(file))
    .map(file => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .flatMap(text => [...text.matchAll(/\b(?:tags|proves): \[([^\]]*)\]/g)])
    .flatMap(([, list = '']) => list.match(/[\w.-]+/g) ?? []),
)

describe('docs/fault-model.md', () => {
  test('has each item once, in order', () => {
    expect(rows.map(({ item }) => item)).toEqual(ITEMS)
  })

  test('says for each item what is done', () => {
    expect(rows.filter(({ does }) => !/^[A-Z0-9].*\.$/.test(does)).map(({ item }) => item)).toEqual([])
  })

  test('links only to existing decisions', () => {
    expect(
      rows.filter(({ decision }) => decision !== undefined && !existsSync(resolve(DOCS, decision))),
    ).toEqual([])
  })

  test('has a test or a family of the proof with the number of each item', () => {
    expect(ITEMS.filter(item => !tags.has(item))).toEqual([])
  })

  test('lists every number that a test has', () => {
    expect([...tags].filter(tag => !ITEMS.includes(tag))).toEqual([])
  })
})
