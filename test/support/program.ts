import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export { type Ran, run, type Surroundings } from './run.ts'

/** A new directory that is removed after the test; with files, or a copy of a directory. */
export function aDirectory(
  content: Readonly<Record<string, string>> | { readonly copyOf: string } = {},
): string {
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  if (typeof content.copyOf === 'string') cpSync(content.copyOf, directory, { recursive: true })
  else
    for (const [path, text] of Object.entries(content)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
  return directory
}
