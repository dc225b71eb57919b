import { createReadStream } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { DEFAULT_LIMITS } from '../../config/loader-limits.ts'
import { setOfValues, valueFile, withReferences } from '../../export/from-values.ts'
import { mistake } from '../../model/diagnostic.ts'
import { Findings } from '../../model/findings.ts'
import { type DesiredSet, wantedSecrets } from '../../model/variable-set.ts'
import { shellWord } from '../../report/neutralise.ts'
import { fail, misuse, required } from '../../run/commands/ending.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { secretsBeside } from '../../run/files-of-out.ts'
import type { CommandRun } from '../command.ts'
import type { CommandContext } from '../io.ts'
import { referencesText, writeSets } from '../write-sets.ts'

/** Writes a set for each file of values: nothing is read from the service, and no value that looks like a secret is written. */
export const run: CommandRun = async (io, first, _program, others = []) => {
  const { out, quiet } = io.options
  if (out === '-') misuse(io, '--out requires a directory, and without it the sets are printed.')
  const paths = first === undefined ? [] : [first, ...others]
  const findings = new Findings()
  const sets: DesiredSet[] = []
  for (const path of paths) {
    const place = resolve(io.cwd, path)
    const file =
      valueFile(basename(place), basename(dirname(place))) ??
      misuse(io, `${JSON.stringify(path)} does not have the name of a file of values.`, hintFor(path))
    const bytes = await bytesOf(io, path)
    const set = setOfValues(path, bytes, file, findings)
    if (set === undefined) continue
    const earlier = sets.find(({ name }) => name === set.name)
    if (earlier !== undefined)
      findings.error(
        'duplicate-set',
        `This file and ${earlier.source.path} would both become the set "${set.name}".`,
        'Import one of them at a time, to different places, and give one set another name.',
        set.source,
      )
    sets.push(set)
  }
  required(io, { value: sets, diagnostics: findings.diagnostics })
  const written = withReferences(sets, names => secretsBeside(resolve(io.cwd, out ?? '.'), names))
  await writeSets(io, written)
  const needed = referencesText(wantedSecrets(written))
  if (out !== undefined) io.stdout.write(needed)
  else if (!quiet) io.stderr.write(needed)
  return EXIT.done
}

function hintFor(path: string): string {
  if (/\.tfstate$/i.test(path))
    return `For a Terraform state: setpoint export --terraform-state ${shellWord(path)}`
  return 'It reads .tfvars, .tfvars.json and .env. To write the sets of the service to files: setpoint export'
}

async function bytesOf(io: CommandContext, path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of createReadStream(resolve(io.cwd, path))) {
      chunks.push(chunk)
      length += chunk.length
      if (length > DEFAULT_LIMITS.fileBytes) break
    }
  } catch {
    fail(
      io,
      mistake(
        'unreadable-file',
        `${JSON.stringify(path)} cannot be read.`,
        'Write the path of an existing file, relative to the current directory.',
      ),
    )
  }
  if (length > DEFAULT_LIMITS.fileBytes)
    fail(
      io,
      mistake('file-limit', `${JSON.stringify(path)} has more than ${DEFAULT_LIMITS.fileBytes} bytes.`),
    )
  return Buffer.concat(chunks)
}
