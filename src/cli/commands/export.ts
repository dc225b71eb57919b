import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { loadDesired, loadRepositoryContext, type RepositoryContext } from '../../config/load.ts'
import { fileExists, realPath, repositoryRoot } from '../../config/read.ts'
import type { SetEdit } from '../../export/edit.ts'
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import { wantedSecrets } from '../../model/variable-set.ts'
import { canBeAccepted } from '../../plan/operation.ts'
import type { PlanFacts, Step } from '../../plan/plan.ts'
import { quotedText, sealLines, shellWord } from '../../report/neutralise.ts'
import { counted, secretPlace } from '../../report/phrase.ts'
import type { Service } from '../../run/apply-run.ts'
import { sayDiagnostics } from '../../run/commands/context.ts'
import { EXIT, endIfStopped, misuse, required } from '../../run/commands/ending.ts'
import { loadOptions } from '../../run/commands/load.ts'
import { hideEnvironment, preparedOf } from '../../run/commands/planning.ts'
import { withConnection, withService } from '../../run/commands/session.ts'
import { type ExportRequest, exportFrom, type UpdatedFile, updatedFiles } from '../../run/export.ts'
import { preparePlan, stateSourceOf } from '../../run/prepare.ts'
import { writeWhole } from '../../run/write-files.ts'
import type { Run } from '../command.ts'
import type { Call } from '../io.ts'
import type { Options } from '../options.ts'
import { referencesText, writeSets } from '../write-sets.ts'
import { exportState } from './export-state.ts'

/** Writes the live sets as files: to stdout, or one file for each set in a directory. */
export const run: Run = async (io, organization) => {
  const { options } = io
  const wrong = usageMistake(options, organization)
  if (wrong !== undefined) misuse(io, wrong)
  if (options.update.length > 0) return await updateFiles(io)
  if (options.terraformState !== undefined) return await exportState(io, options.terraformState, organization)
  const wishes = await exportRequest(io, organization)
  return await withConnection(io, { ...wishes, sets: [] }, async service => {
    const references = options.secrets === 'references'
    hideEnvironment(io, (await loadDesired(loadOptions(io))).value)
    const exported = await exportFrom(service, { ...wishes, references, known: io.redactor })
    sayDiagnostics(io, exported.diagnostics)
    // A pattern without a match is a mistake, not an empty export.
    if (hasErrors(exported.diagnostics)) return EXIT.error
    await writeSets(io, exported.sets)
    const needed = referencesText(wantedSecrets(exported.sets))
    if (options.out !== undefined) io.stdout.write(needed)
    else if (!options.quiet) io.stderr.write(needed)
    return EXIT.done
  })
}

/** A combination of flags without a meaning is more likely a mistake than a wish. */
function usageMistake(options: Options, organization: string | undefined): string | undefined {
  const { update, only, out, oneFile, terraformState, secrets } = options
  const isElsewhere =
    [organization, out, secrets].some(given => given !== undefined) || only.length > 0 || oneFile
  if (update.length > 0 && (isElsewhere || terraformState !== undefined))
    return '--update changes existing files. It cannot be combined with an organization, --only, --out, --one-file, --secrets or a state.'
  if (out === '') return '--out requires a directory, such as . for the current one.'
  if (oneFile && out === undefined)
    return '--one-file requires --out. Without --out, the output is one document already.'
  return undefined
}

type NamedRequest = Omit<ExportRequest, 'known' | 'references'>

/** An export of a named organization needs no configuration. */
async function exportRequest(io: Call, organization: string | undefined): Promise<NamedRequest> {
  const { only } = io.options
  if (organization === undefined)
    return { ...required(io, await loadRepositoryContext(loadOptions(io))), only }
  const there = await contextOf(io)
  if (there?.organization === organization) return { ...there, only }
  const filesFor = there === undefined ? 'unknown' : 'another'
  return { organization, only, owns: [], filesFor }
}

/** The repository that the files are for: the nearest configuration above the directory of `--out`, else that of this run. */
async function contextOf(io: Call): Promise<RepositoryContext | undefined> {
  const options = loadOptions(io)
  const root = realPath(repositoryRoot(io.cwd)) ?? io.cwd
  let at = resolve(realPath(io.cwd) ?? io.cwd, io.options.out ?? '.')
  for (; at.startsWith(root) && at !== dirname(at); at = dirname(at))
    if (fileExists(join(at, 'setpoint.yaml')))
      return (await loadRepositoryContext({ ...options, directory: at, config: undefined })).value
  return (await loadRepositoryContext(options)).value
}

/** Writes live values into existing files: the way to accept manual changes. */
function updateFiles(io: Call): Promise<number> {
  return withService(io, async ({ desired, service }) => {
    const root = await rootOf(io)
    const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
    hideEnvironment(io, desired)
    const wishes = { desired, patterns: io.options.update, read, known: io.redactor }
    const files = required(io, await updatedFiles(service, wishes))
    endIfStopped(io)
    for (const { path, text } of files) await rewrite(io.cwd, join(root, path), text)
    io.stdout.write(
      sealLines(files.length === 0 ? 'No file differs.\n' : io.redactor.in(files).map(fileText).join('')),
    )
    return await proof(io, service)
  })
}

/** A diagnostic without its line, which may have moved. */
const wordsOf = ({ code, message }: Diagnostic): string => `${code} ${message}`

async function rootOf(io: Call): Promise<string> {
  const { value } = await loadRepositoryContext(loadOptions(io))
  return repositoryRoot(dirname(value?.configFile ?? io.cwd))
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
    case 'detail':
      return [typeof edit.value === 'string' ? `~ ${edit.name}` : `~ ${edit.name} ${edit.value}`]
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
async function proof(io: Call, service: Service): Promise<number> {
  const said = new Set(io.told.map(wordsOf))
  const { value: desired, diagnostics } = await loadDesired(loadOptions(io))
  sayDiagnostics(
    io,
    io.redactor.in(diagnostics).filter(one => !said.has(wordsOf(one))),
  )
  if (desired === undefined) return EXIT.error
  const source = stateSourceOf(service, desired.organization)
  const { plan } = preparedOf(io, await preparePlan(desired, source, io.options.update))
  const { steps, facts, diagnostics: found } = io.redactor.in(plan)
  sayDiagnostics(
    io,
    found.filter(({ code }) => code === 'renamed-outside'),
  )
  io.stdout.write(steps.length === 0 ? 'A plan of these sets has nothing to do.\n' : leftText(steps, facts))
  return steps.length === 0 ? EXIT.done : EXIT.changes
}

/** The remaining differences, and how to end them. */
function leftText(steps: readonly Step[], facts: PlanFacts): string {
  const lines = steps.map(step => `  ${quotedText(step.operation.subject.name)}: ${reasonOf(step, facts)}\n`)
  return sealLines(`A plan of these sets still has ${counted(steps.length, 'change')}:\n${lines.join('')}`)
}

function reasonOf({ operation, id }: Step, { renamed = [] }: PlanFacts): string {
  const other = renamed.find(({ set }) => set === operation.subject.name)
  if (other !== undefined) return `${quotedText(other.name)} in the service, where somebody renamed it.`
  if (operation.type === 'create-set')
    return 'not in the service. If it was deleted for good, remove it from the file. Otherwise setpoint apply creates it.'
  const isSecret = operation.type === 'update-variable' && 'secret' in operation.after.value
  if (!isSecret || canBeAccepted(operation)) return `${quotedText(id)}.`
  const keep =
    operation.rewrite === undefined
      ? ''
      : ` If the value in the service is right: setpoint apply --keep ${shellWord(secretPlace(operation))}.`
  return `${quotedText(operation.after.key)} is a secret, which the API never returns. Pass its value to the run, then run setpoint apply to write it.${keep}`
}
