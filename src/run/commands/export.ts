import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type LoadOptions, loadDesired, loadRepositoryContext } from '../../config/load.ts'
import { realPath, repositoryRoot } from '../../config/read.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { DesiredSet } from '../../model/variable-set.ts'
import type { Plan } from '../../plan/plan-data.ts'
import {
  type ExportRequest,
  type ExportRun,
  exportFrom,
  type UpdatedFile,
  updatedFiles,
} from '../export-organization.ts'
import { homeOf } from '../files-of-out.ts'
import { madeFrom, madeIn, stateSourceOf } from '../plan.ts'
import { type Run, sayDiagnostics } from '../run.ts'
import { hideEnvironment } from '../run-secrets.ts'
import type { Service } from '../service.ts'
import { writeWhole } from '../write-files.ts'
import { endIfStopped, required } from './ending.ts'
import { loadOptions } from './load-files.ts'
import { withConnection, withService } from './session.ts'

/** What an export takes in addition to its options. */
interface ExportSource {
  /** The organization. Default: that of the configuration. */
  readonly organization?: string
  /** Sensitive variables become references to secrets; otherwise their values stay in the service. */
  readonly references: boolean
}

/** The live sets as files hold them. */
export const exportSets = async (run: Run, source: ExportSource): Promise<readonly DesiredSet[]> =>
  (await exportRun(run, source)).sets

/** An export with what it is of. */
export interface OrganizationExport extends ExportRun, Pick<ExportRequest, 'organization' | 'owner'> {}

/** The live sets as files hold them, and as the service shows them. */
export async function exportRun(
  run: Run,
  { organization, references, isDeclared }: ExportSource & { readonly isDeclared?: boolean },
): Promise<OrganizationExport> {
  const wishes = await exportRequest(run, organization)
  return await withConnection(run, { ...wishes, sets: [] }, async service => {
    const files = await loadDesired(loadOptions(run))
    hideEnvironment(run, files.value)
    const declared = isDeclared === true ? required(run, files) : undefined
    const exported = await exportFrom(service, { ...wishes, references, known: run.redactor, declared })
    // A pattern without a match is a mistake, not an empty export.
    const value = { ...exported, organization: wishes.organization, owner: wishes.owner }
    return required(run, { value, diagnostics: exported.diagnostics })
  })
}

type NamedRequest = Omit<ExportRequest, 'known' | 'references'>

/** An export of a named organization needs no configuration. */
async function exportRequest(run: Run, organization: string | undefined): Promise<NamedRequest> {
  const { only } = run.options
  if (organization === undefined) return { ...required(run, loadRepositoryContext(loadOptions(run))), only }
  const there = loadRepositoryContext(optionsOfOut(run)).value
  if (there?.organization === organization) return { ...there, only }
  const filesFor = there === undefined ? 'unknown' : 'another'
  return { organization, only, owns: [], filesFor }
}

/** The configuration that the files are for: the one that the directory of `--out` belongs to, else that of this run. */
export function optionsOfOut(run: Run): LoadOptions {
  const { out, config } = run.options
  const options = loadOptions(run)
  const home = out === undefined || config !== undefined ? undefined : homeOf(resolve(run.cwd, out))
  return home === undefined ? options : { ...options, directory: home, config: undefined }
}

/**
 * Writes live values into existing files: the way to accept manual changes. `onWritten` hears what was written, before the plan of these
 * sets is made that proves it. Reports only diagnostics that were not reported before. No plan if the files are no longer valid.
 */
export function updateFiles(
  run: Run,
  patterns: readonly string[],
  onWritten: (files: readonly UpdatedFile[]) => void,
): Promise<Plan | undefined> {
  return withService(
    run,
    async ({ desired, service }) => {
      const root = await rootOf(run)
      const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
      hideEnvironment(run, desired)
      const wishes = { desired, patterns, read, known: run.redactor }
      const files = required(run, await updatedFiles(service, wishes))
      endIfStopped(run)
      for (const { path, text } of files) await rewrite(run.cwd, join(root, path), text)
      onWritten(run.redactor.in(files))
      return await planOfUpdated(run, patterns, service)
    },
    'told',
  )
}

/** A diagnostic without its line, which may have moved. */
const wordsOf = ({ code, message }: Diagnostic): string => `${code} ${message}`

async function rootOf(run: Run): Promise<string> {
  const { value } = loadRepositoryContext(loadOptions(run))
  return repositoryRoot(dirname(value?.configFile ?? run.cwd))
}

/** A symbolic link stays a link, and the file keeps its mode. */
async function rewrite(directory: string, path: string, text: string): Promise<void> {
  const real = realPath(path) ?? path
  const { mode } = await stat(real)
  writeWhole(directory, real, text, mode & 0o777)
}

async function planOfUpdated(
  run: Run,
  patterns: readonly string[],
  service: Service,
): Promise<Plan | undefined> {
  const said = new Set(run.told.map(wordsOf))
  const { value: desired, diagnostics } = await loadDesired(loadOptions(run))
  sayDiagnostics(
    run,
    run.redactor.in(diagnostics).filter(one => !said.has(wordsOf(one))),
  )
  if (desired === undefined) return undefined
  const source = stateSourceOf(service, desired.organization)
  const { plan } = madeIn(run, await madeFrom(desired, source, { only: patterns }))
  return run.redactor.in(plan)
}
