import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { linkInTheWay } from '../git/work-tree.ts'
import { WriteError, writeWhole } from '../run/write-files.ts'
import type { Io } from './io.ts'

/** The first line says whose file it is: another one is never written over. */
const OURS = '# Written by `setpoint sandbox --terraform-rc`, anew at each start.'
/** What terraform and its provider look for (docs/service.md 14.2). */
const SERVICES = ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2']

/**
 * A CLI configuration with which terraform talks to a sandbox. Over plain http it needs a `host` block: discovery insists on
 * https (docs/service.md 14.2). The form is terraform's older HCL, which has no templates: quoting as in JSON is enough.
 */
export function terraformRc(url: string, token: string): string {
  const host = JSON.stringify(new URL(url).host)
  const services = SERVICES.map(name => `    ${`"${name}"`.padEnd(10)} = "${url}/api/v2/"`)
  return [
    OURS,
    `host ${host} {`,
    '  services = {',
    ...services,
    '  }',
    '}',
    '',
    `credentials ${host} {`,
    `  token = ${JSON.stringify(token)}`,
    '}',
    '',
  ].join('\n')
}

/** Why the file may not be written, to stand behind its name; undefined where it may. */
export async function terraformRcFault(io: Io, file: string): Promise<string | undefined> {
  const path = resolve(io.cwd, file)
  const link = linkInTheWay(io.cwd, path)
  if (link !== undefined) return link
  try {
    if (!(await stat(path)).isFile()) return 'it is no file'
    const text = await readFile(path, 'utf8')
    return text === '' || text.startsWith(OURS) ? undefined : 'it is there, and no sandbox wrote it'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' ? undefined : `it cannot be read (${String(code)})`
  }
}

/** Readable by its owner only. Rejects with a `WriteError`. */
export async function writeTerraformRc(io: Io, file: string, url: string, token: string): Promise<void> {
  const fault = await terraformRcFault(io, file)
  if (fault !== undefined) throw new WriteError(resolve(io.cwd, file), fault)
  await writeWhole(io.cwd, file, terraformRc(url, token))
}
