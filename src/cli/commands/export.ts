import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadDesired, loadRepositoryContext } from '../../config/load.ts'
import { realPath, repositoryRoot } from '../../config/read.ts'
import type { SetEdit } from '../../export/edit.ts'
import { neededSecrets } from '../../export/secret-names.ts'
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import type { Directory } from '../../model/variable-set.ts'
import { canBeAccepted } from '../../plan/operation.ts'
import type { Step } from '../../plan/plan.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import type { Service } from '../../run/apply-run.ts'
import { type ExportRequest, exportFrom, mayWrite } from '../../run/export.ts'
import { preparePlan } from '../../run/prepare.ts'
import { type UpdatedFile, updatedFiles } from '../../run/update.ts'
import { writeWhole } from '../../run/write-files.ts'
import { codeOfSignal, EXIT, type Run } from '../command.ts'
import { type Io, sayDiagnostics } from '../io.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { withConnection, withService } from '../session.ts'
import { writeSets } from '../write-sets.ts'
import { exportState, referencesText } from './export-state.ts'

const NO_NAMES: Directory = { workspaces: [], projects: [] }

/** Writes the live sets as files: to stdout, or one file for each set in a directory. */
export const run: Run = async (io, options, organization) => {
  const mistake = usageMistake(options, organization)
  if (mistake !== undefined) {
    sayDiagnostics(io, options, [mistake])
    return EXIT.error
  }
  if (options.update.length > 0) return await updateFiles(io, options)
  if (options.terraformState !== undefined)
    return await exportState(io, options, options.terraformState, organization)
  const wishes = await exportRequest(io, options, organization)
  if (wishes === undefined) return EXIT.error
  const named = { ...wishes, sets: [] }
  return await withConnection(io, options, named, async service => {
    const references = options.secrets === 'references'
    const exported = await exportFrom(service, { ...wishes, references })
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

/** A combination of flags without a meaning is more likely a mistake than a wish. */
function usageMistake(options: Options, organization: string | undefined): Diagnostic | undefined {
  const { update, only, out, oneFile, terraformState, secrets } = options
  const isElsewhere =
    [organization, out, secrets].some(given => given !== undefined) || only.length > 0 || oneFile
  if (update.length > 0 && (isElsewhere || terraformState !== undefined))
    return usage(
      '--update changes existing files. It cannot be combined with an organization, --only, --out, --one-file, --secrets or a state.',
    )
  if (out === '') return usage('--out requires a directory, such as . for the current one.')
  if (oneFile && out === undefined)
    return usage('--one-file requires --out. Without --out, the output is one document already.')
  return undefined
}

const usage = (message: string): Diagnostic => ({ severity: 'error', code: 'bad-usage', message })

/** An export of a named organization needs no configuration. */
async function exportRequest(
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

/** Writes live values into existing files: the way to accept manual changes. */
export function updateFiles(given: Io, options: Options): Promise<number> {
  const said = new Set<string>()
  const io: Io = {
    ...given,
    hear: diagnostics => {
      for (const one of diagnostics) said.add(wordsOf(one))
      given.hear?.(diagnostics)
    },
  }
  return withService(io, options, async ({ desired, service }) => {
    const root = await rootOf(io, options)
    const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
    const wishes = { desired, patterns: options.update, read }
    const { value: files, diagnostics } = await updatedFiles(service, wishes)
    sayDiagnostics(io, options, diagnostics)
    if (files === undefined) return EXIT.error
    const interrupted = codeOfSignal(io)
    if (interrupted !== undefined) return interrupted
    for (const { path, text } of files) await rewrite(io.cwd, join(root, path), io.redactor.text(text))
    io.stdout.write(
      sealLines(files.length === 0 ? 'No file differs.\n' : io.redactor.in(files).map(fileText).join('')),
    )
    return await proof(io, options, service, said)
  })
}

/** A diagnostic without its line, which may have moved. */
const wordsOf = ({ code, message }: Diagnostic): string => `${code} ${message}`

async function rootOf(io: Io, options: Options): Promise<string> {
  const { value } = await loadRepositoryContext(loadOptions(io, options))
  return repositoryRoot(dirname(value?.configFile ?? options.directory))
}

/** A symbolic link stays a link, and the file keeps its mode. */
async function rewrite(directory: string, path: string, text: string): Promise<void> {
  const real = realPath(path) ?? path
  const { mode } = await stat(real)
  await writeWhole(directory, real, text, mode & 0o777)
}

function fileText({ path, sets }: UpdatedFile): string {
  const lines = sets.map(
    ({ name, edits }) => `  ${quotedText(name)}: ${edits.flatMap(editTexts).join(', ')}\n`,
  )
  return `${quotedText(path)}\n${lines.join('')}`
}

function editTexts(edit: SetEdit): string[] {
  switch (edit.kind) {
    case 'description':
      return ['~ description']
    case 'flag':
      return [`~ ${edit.name} ${edit.value}`]
    case 'owner': {
      const { project } = edit
      return [
        project === undefined
          ? '- project'
          : `~ project ${quotedText('id' in project ? project.id : project.name)}`,
      ]
    }
    case 'variable':
      return [`${edit.isNew ? '+' : '~'} ${quotedText(edit.variable.key)}`]
    case 'removal':
      return [`- ${quotedText(edit.key)}`]
    case 'targets':
      return [
        ...(edit.gone.size > 0 ? [`- ${counted(edit.gone.size, edit.name.slice(0, -1))}`] : []),
        ...edit.added.map(target => `+ ${quotedText('id' in target ? target.id : target.name)}`),
      ]
  }
}

/** Plans the changed files. Reports only diagnostics that were not reported before. */
async function proof(io: Io, options: Options, service: Service, said: ReadonlySet<string>): Promise<number> {
  const { value: desired, diagnostics: found } = await loadDesired(loadOptions(io, options))
  sayDiagnostics(
    io,
    options,
    io.redactor.in(found).filter(one => !said.has(wordsOf(one))),
  )
  if (desired === undefined || hasErrors(found)) return EXIT.error
  const { prepared, diagnostics } = await preparePlan(desired, service, options.update)
  if (prepared === undefined) {
    sayDiagnostics(io, options, diagnostics)
    return EXIT.error
  }
  const { steps } = prepared.plan
  io.stdout.write(
    steps.length === 0 ? 'A plan of these sets has nothing to do.\n' : leftText(io.redactor.in(steps)),
  )
  return steps.length === 0 ? EXIT.done : EXIT.changes
}

/** The remaining differences, and how to end them. */
function leftText(steps: readonly Step[]): string {
  const lines = steps.map(step => `  ${quotedText(step.operation.subject.name)}: ${reasonOf(step)}\n`)
  return sealLines(`A plan of these sets still has ${counted(steps.length, 'change')}:\n${lines.join('')}`)
}

function reasonOf({ operation, id }: Step): string {
  if (operation.type === 'create-set')
    return 'not in the service. If it was deleted for good, remove it from the file. Otherwise setpoint apply creates it.'
  const isSecret = operation.type === 'update-variable' && 'secret' in operation.after.value
  if (!isSecret || canBeAccepted(operation)) return `${quotedText(id)}.`
  return `${quotedText(operation.after.key)} is a secret, which the API never returns. Pass its value to the run, then run setpoint apply to write it.`
}
