import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LoadOptions, loadDesired } from '../../src/config/load.ts'
import type { Checked } from '../../src/model/diagnostic.ts'
import type { DesiredState, DesiredVariable } from '../../src/model/variable-set.ts'

/** A new directory with the given files, removed afterwards. */
export async function inDirectory<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-config-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Loads set files by name. A single text is `sets/a.yaml`. */
export function loadText(
  sets: string | Uint8Array | Readonly<Record<string, string | Uint8Array>>,
  options: Omit<LoadOptions, 'directory'> & { readonly setpoint?: string } = {},
): Promise<Checked<DesiredState>> {
  const files = typeof sets === 'string' || sets instanceof Uint8Array ? { 'sets/a.yaml': sets } : sets
  const { setpoint = 'organization: acme\n', ...rest } = options
  return inDirectory({ 'setpoint.yaml': setpoint, ...files }, directory =>
    loadDesired({ directory, ...rest }),
  )
}

/** The state, or an error that shows the diagnostics. */
export async function loaded(...args: Parameters<typeof loadText>): Promise<DesiredState> {
  const { value, diagnostics } = await loadText(...args)
  if (value === undefined) throw new Error(JSON.stringify(diagnostics, undefined, 2))
  return value
}

/** The only variable in these lines of a category. */
export async function variable(
  lines: string,
  category: 'env' | 'terraform' = 'terraform',
): Promise<Omit<DesiredVariable, 'source'> | undefined> {
  const state = await loaded(
    `variableSets:\n  one:\n    ${category}:\n${lines.replaceAll(/^/gm, '      ')}\n`,
  )
  const [first] = state.sets[0]?.variables ?? []
  if (first === undefined) return undefined
  const { source: _, ...rest } = first
  return rest
}
