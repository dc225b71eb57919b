/** The page with new text between `<!-- name -->` and `<!-- /name -->`. */
export function withSection(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const start = page.indexOf(open) + open.length
  const end = page.indexOf(close)
  if (start < open.length || end < start) throw new RangeError(`The page has no section "${name}".`)
  return `${page.slice(0, start)}\n${text.trim()}\n\n${page.slice(end)}`
}

export const code = (text: string): string => `\`${text}\``

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '-'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
