import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** One line of a journal: a checksum, a space, JSON, a line break. JSON text has no line break of its own. */
export function encodeLine(value: unknown): string {
  const text = JSON.stringify(value)
  return `${checksum(text)} ${text}\n`
}

/** The value of a line, without its line break; undefined where the checksum does not fit. */
export function decodeLine(line: Buffer): { readonly value: unknown } | undefined {
  const text = line.toString('utf8')
  const json = text.slice(9)
  return json !== '' && text.charAt(8) === ' ' && text.slice(0, 8) === checksum(json)
    ? { value: JSON.parse(json) }
    : undefined
}

export interface RawLine {
  readonly bytes: Buffer
  /** Where the line begins in the file. */
  readonly offset: number
  /** Whether a line break ends it; only the last line can lack one. */
  readonly whole: boolean
}

/** The lines of an open file from its beginning, without holding all of it in memory. */
export function* readLines(descriptor: number): Generator<RawLine> {
  const chunk = Buffer.alloc(1 << 20)
  let rest: Buffer[] = []
  let offset = 0
  let position = 0
  for (;;) {
    const read = readSync(descriptor, chunk, 0, chunk.length, position)
    if (read === 0) break
    position += read
    let from = 0
    for (;;) {
      const end = chunk.subarray(0, read).indexOf(0x0a, from)
      if (end === -1) break
      const bytes = Buffer.concat([...rest, chunk.subarray(from, end)])
      yield { bytes, offset, whole: true }
      offset += bytes.length + 1
      rest = []
      from = end + 1
    }
    if (from < read) rest.push(Buffer.from(chunk.subarray(from, read)))
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), offset, whole: false }
}

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0')
