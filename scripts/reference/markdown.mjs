/** Said at the top of every page. */
export const GENERATED = '<!-- Made by scripts/reference.mjs. Do not edit. -->'

/** A table; cells are Markdown, in which only what ends a cell is escaped. */
export function table(head, rows) {
  const line = cells =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`
  return `${line(head)}|${'-|'.repeat(head.length)}\n${rows.map(line).join('')}`
}

/** Text of the program, safe in Markdown: what looks like a tag would vanish, but for code, where nothing does. */
export const prose = text => text.replace(/`[^`]*`|</g, found => (found === '<' ? '&lt;' : found))

export const code = text => `\`${text}\``
