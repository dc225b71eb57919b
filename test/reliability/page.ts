import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'

const PAGE = resolve(import.meta.dirname, '../../docs/reliability.md')

/**
 * Compares one section of docs/reliability.md, between `<!-- name -->` and `<!-- /name -->`, with what a test has just
 * found out; with UPDATE_GOLDEN=1 writes it there. Only what is the same on every machine may stand in it.
 */
export function expectSection(name: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const start = page.indexOf(open) + open.length
  const end = page.indexOf(close)
  if (start < open.length || end < start) throw new RangeError(`${PAGE} has no section "${name}"`)
  const wanted = `\n${text.trim()}\n\n`
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, page.slice(0, start) + wanted + page.slice(end))
  else
    expect(
      page.slice(start, end),
      `section "${name}" of docs/reliability.md; UPDATE_GOLDEN=1 writes it anew`,
    ).toBe(wanted)
}
