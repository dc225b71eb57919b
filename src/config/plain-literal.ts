const HEADER = /\|(-?)\n/y
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/**
 * The literal block whose header is at `at`, and the start of the line after it; `undefined` if it is not plain: blank lines at
 * the start, lines of only spaces, changing indentation, carriage returns, no line feed at the end. `parent` is the indentation of
 * the key.
 */
export function readLiteral(
  text: string,
  at: number,
  parent: number,
): { readonly text: string; readonly end: number } | undefined {
  HEADER.lastIndex = at
  const header = HEADER.exec(text)
  if (header === null) return undefined
  const first = HEADER.lastIndex
  const indent = spacesAt(text, first, text.length)
  if (indent <= parent) return undefined
  const lines: string[] = []
  let start = first
  for (;;) {
    const spaces = spacesAt(text, start, indent)
    const end = text.indexOf('\n', start)
    if (text.charCodeAt(start + spaces) === CARRIAGE_RETURN || (end < 0 && start < text.length))
      return undefined
    if (end === start + spaces) lines.push('')
    else if (end < 0 || spaces <= parent) break
    else {
      const line = text.slice(start + indent, end)
      if (spaces < indent || line.trim() === '' || line.endsWith('\r')) return undefined
      lines.push(line)
    }
    start = end + 1
  }
  if (lines[0] === '' || lines.length === 0) return undefined
  while (lines[lines.length - 1] === '') lines.pop()
  return { text: lines.join('\n') + (header[1] === '-' ? '' : '\n'), end: start }
}

function spacesAt(text: string, start: number, most: number): number {
  let count = 0
  while (count < most && text.charCodeAt(start + count) === SPACE) count++
  return count
}
