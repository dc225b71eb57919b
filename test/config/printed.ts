import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Diagnostic } from '../../src/model/diagnostic.ts'

/** Diagnostics as lines, with paths relative to a directory that lies in the repository. */
export function printed(diagnostics: readonly Diagnostic[], directory: string): string {
  let root = directory
  while (!existsSync(join(root, '.git')) && dirname(root) !== root) root = dirname(root)
  const prefix = dirname(root) === root || root === directory ? '' : `${relative(root, directory)}/`
  const short = (text: string): string => (prefix === '' ? text : text.replaceAll(prefix, ''))
  return diagnostics
    .map(({ severity, code, message, hint, source }) => {
      const place = source ? `${short(source.path)}:${source.line}:${source.column}  ` : ''
      const first = `${place}${severity} ${code}  ${short(message)}\n`
      return hint === undefined ? first : `${first}    ${short(hint)}\n`
    })
    .join('')
}
