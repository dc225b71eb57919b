import { DEFAULT_LIMITS } from '../config/limits.ts'
import { loadDesired } from '../config/load.ts'
import { type Checked, type Diagnostic, hasErrors } from '../model/diagnostic.ts'
import { baseFiles } from '../run/base-files.ts'
import type { BaseState } from '../run/prepare.ts'
import type { Io } from './io.ts'
import { loadOptions } from './load.ts'
import type { Options } from './options.ts'

/**
 * The files of the commit that `--base` names. No value without an error: nobody asked, or the base itself cannot be read,
 * which a change that mends it must be able to say in a plan.
 */
export async function loadBase(io: Io, options: Options): Promise<Checked<BaseState>> {
  const { base: ref } = options
  if (ref === undefined) return { value: undefined, diagnostics: [] }
  const { value: files, diagnostics } = await baseFiles(
    options.directory,
    ref,
    options.limits.fileBytes ?? DEFAULT_LIMITS.fileBytes,
    io.env,
  )
  if (files === undefined) return { value: undefined, diagnostics }
  try {
    const loaded = await loadDesired({
      ...loadOptions(io, options),
      directory: files.directory,
      root: files.root,
    })
    if (loaded.value === undefined)
      return {
        value: undefined,
        diagnostics: [...diagnostics, broken(ref, loaded.diagnostics, files.directory)],
      }
    return { value: { ref, commit: files.commit, desired: loaded.value }, diagnostics }
  } finally {
    await files.close()
  }
}

/** `place`: where the files of the base lie for this run, which says nothing to anybody. */
const broken = (ref: string, diagnostics: readonly Diagnostic[], place: string): Diagnostic => {
  const errors = diagnostics.filter(diagnostic => hasErrors([diagnostic]))
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const said = errors[0]?.message.replaceAll(place.replace(/\/$/, ''), 'its directory')
  return {
    severity: 'warning',
    code: 'broken-base',
    message: `The files of ${JSON.stringify(ref)} are not valid: ${said ?? 'they cannot be read'}${more}.`,
    hint: 'So this plan cannot say where changes come from, nor which safety settings were loosened.',
  }
}
