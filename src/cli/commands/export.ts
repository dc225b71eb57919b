import { loadRepositoryContext } from '../../config/load.ts'
import { neededSecrets } from '../../export/secret-names.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Directory } from '../../model/variable-set.ts'
import { type ExportRequest, exportFrom, mayWrite } from '../../run/export.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import type { Io } from '../io.ts'
import { referencesText } from '../leaving-text.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { sayDiagnostics } from '../say.ts'
import { withConnection } from '../with-service.ts'
import { writeSets } from '../write-sets.ts'
import { exportState } from './export-state.ts'
import { updateFiles } from './export-update.ts'

const NO_NAMES: Directory = { workspaces: [], projects: [] }

/** What the service holds, as files: on stdout, or one file a set in a directory. */
export const run: Run = async (io, options, organization) => {
  const mistake = usageMistake(options, organization)
  if (mistake !== undefined) {
    sayDiagnostics(io, options, [mistake])
    return EXIT.error
  }
  if (options.update.length > 0) return await updateFiles(io, options)
  if (options.terraformState !== undefined)
    return await exportState(io, options, options.terraformState, organization)
  const wishes = await wishesOf(io, options, organization)
  if (wishes === undefined) return EXIT.error
  const named = { ...wishes, sets: [] }
  return await withConnection(io, options, named, async service => {
    const references = options.secrets === 'references'
    const exported = await exportFrom(service, { ...wishes, references }, io.stop)
    sayDiagnostics(io, options, exported.diagnostics)
    if (!mayWrite(exported)) return EXIT.error
    const sets = io.redactor.in(exported.sets)
    const code = await writeSets(io, options, sets)
    const needed = referencesText(neededSecrets(sets))
    if (code === EXIT.done && options.out !== undefined) io.stdout.write(needed)
    else if (code === EXIT.done && !options.quiet) io.stderr.write(needed)
    return code
  })
}

/** Flags that mean nothing beside each other are more likely a mistake than a wish. */
function usageMistake(options: Options, organization: string | undefined): Diagnostic | undefined {
  const { update, only, out, oneFile, terraformState, secrets } = options
  const isElsewhere =
    [organization, out, secrets].some(given => given !== undefined) || only.length > 0 || oneFile
  if (update.length > 0 && (isElsewhere || terraformState !== undefined))
    return usage(
      '--update changes files that are there: it takes no organization, --only, --out, --one-file, --secrets or state.',
    )
  if (out === '') return usage('--out needs the name of a directory; . is this one.')
  if (oneFile && out === undefined) return usage('--one-file needs --out: stdout is one document anyway.')
  return undefined
}

const usage = (message: string): Diagnostic => ({ severity: 'error', code: 'bad-usage', message })

/** An organization that is named needs no configuration. */
async function wishesOf(
  io: Io,
  options: Options,
  organization: string | undefined,
): Promise<ExportRequest | undefined> {
  const { only } = options
  if (organization !== undefined) return { organization, only, owns: [], directory: NO_NAMES }
  const { value, diagnostics } = await loadRepositoryContext(loadOptions(io, options))
  sayDiagnostics(io, options, diagnostics)
  return value && { ...value, only }
}
