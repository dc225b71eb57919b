/** The first line of every page. */
export const GENERATED = '<!-- Made by scripts/reference.mjs. Do not edit. -->'

/** A table. Cells are Markdown; only characters that would end a cell are escaped. */
export function table(head, rows) {
  const line = cells =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`
  return `${line(head)}|${'-|'.repeat(head.length)}\n${rows.map(line).join('')}`
}

/** Text of the program for Markdown: escapes what looks like a tag, except in code. */
export const prose = text => text.replace(/`[^`]*`|</g, found => (found === '<' ? '&lt;' : found))

export const code = text => `\`${text}\``
