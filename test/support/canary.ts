import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Ran } from './program.ts'

/** A text that must appear nowhere. */
export interface Canary {
  readonly name: string
  readonly text: string
}

/** Shorter pieces could occur by chance. */
const SHORTEST = 8

/** Every form in which a text may be written, by the name of the form. */
export function formsOf(text: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(text)
  const forms = new Map<string, string>([
    ['raw', text],
    ['JSON', inJson(text)],
    ['JSON in JSON', inJson(inJson(text))],
    ['percent', encodeURIComponent(text)],
    ['form', new URLSearchParams([['', text]]).toString().slice(1)],
    ['HTML', text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
  ])
  for (const alignment of [0, 1, 2]) {
    forms.set(`base64+${alignment}`, base64At(bytes, alignment, 'base64'))
    forms.set(`base64url+${alignment}`, base64At(bytes, alignment, 'base64url'))
  }
  for (const [index, line] of text.split('\n').entries())
    if (line.length >= SHORTEST) forms.set(`line ${index + 1}`, line)
  return forms
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The base64 digits that depend only on these bytes, whatever is before and after them. */
function base64At(bytes: Buffer, alignment: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(alignment), bytes])
    .toString(encoding)
    .replace(/=+$/, '')
  const first = Math.ceil((alignment * 8) / 6)
  const last = Math.floor(((alignment + bytes.length) * 8) / 6)
  return text.slice(first, last)
}

/** `sink: canary (form)` for each form of a canary that occurs in a sink. */
export function leaksIn(sinks: Readonly<Record<string, string>>, canaries: readonly Canary[]): string[] {
  return canaries.flatMap(({ name, text }) =>
    [...formsOf(text)].flatMap(([form, written]) =>
      Object.entries(sinks).flatMap(([sink, content]) =>
        content.includes(written) ? [`${sink}: ${name} (${form})`] : [],
      ),
    ),
  )
}

/** Everything that a run leaves: its output streams, and every file in the directory. */
export function sinksOf(directory: string, ...rans: readonly Ran[]): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(path => statSync(join(directory, path)).isFile())
    .map(path => [path, readFileSync(join(directory, path), 'utf8')] as const)
  const streams = rans.flatMap(({ stdout, stderr }, i) => [
    [`stdout ${i + 1}`, stdout] as const,
    [`stderr ${i + 1}`, stderr] as const,
  ])
  return Object.fromEntries([...files, ...streams])
}
