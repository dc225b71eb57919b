import { basename, join } from 'node:path'
import { readDirectory } from '../../api/directory.ts'
import { directoryYaml } from '../../config/directory-file.ts'
import { loadDesired } from '../../config/load.ts'
import { type ReadResult, readInside, realPath } from '../../config/read.ts'
import { exportFiles, type NewFile } from '../../export/document.ts'
import {
  configurationFile,
  type FirstConfiguration,
  firstSetFile,
  ignoreFile,
  PIPELINES,
} from '../../export/first-files.ts'
import { type NeededSecret, neededSecrets } from '../../export/secret-names.ts'
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import type { Directory } from '../../model/variable-set.ts'
import { counted } from '../../report/phrase.ts'
import type { Service } from '../../run/apply-run.ts'
import { type ExportRun, exportFrom } from '../../run/export.ts'
import { preparePlan } from '../../run/prepare.ts'
import { filesInTheWay } from '../../run/write-files.ts'
import { codeOfSignal, EXIT, type Run } from '../command.ts'
import { type Io, sayDiagnostics } from '../io.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { withConnection } from '../session.ts'
import { wayUp, writeOrSay } from '../write-sets.ts'
import { referencesText } from './export-state.ts'
import {
  alreadyListed,
  installText,
  listedOutside,
  noSetText,
  ownerText,
  secondConfiguration,
  writtenText,
} from './init-texts.ts'

const NO_NAMES: Directory = { workspaces: [], projects: [] }

/** Makes a repository for an existing organization. Its first plan has no changes. */
export const run: Run = async (io, options, argument) => {
  const configuration = configurationFrom(io, options, argument)
  if ('severity' in configuration) {
    sayDiagnostics(io, options, [configuration])
    return EXIT.error
  }
  const { organization } = configuration
  const fixed = fixedFiles(options, configuration)
  // Reports first what can be checked without a connection.
  const inTheWay = await filesInTheWay(options.directory, fixed)
  sayDiagnostics(io, options, [...secondConfiguration(options.directory), ...inTheWay])
  if (inTheWay.length > 0) return EXIT.error
  const named = { organization, sets: [], directory: NO_NAMES }
  return await withConnection(io, options, named, async service => {
    const found = await filesFrom(io, options, service, configuration)
    if (found === undefined) return EXIT.error
    const interrupted = codeOfSignal(io)
    if (interrupted !== undefined) return interrupted
    const ignored = textOf(options, ignoreFile.path)
    const all = [...fixed, ...(ignored === undefined ? [ignoreFile] : []), ...found.files]
    const made = await writeOrSay(io, options, options.directory, all, 'refused')
    if (made === undefined) return EXIT.error
    io.stdout.write(
      writtenText(made.written) + ownerText(options, configuration) + referencesText(found.secrets),
    )
    if (!options.quiet) io.stderr.write(stillToDo(io, options, ignored))
    if (found.hasSets) return await firstPlan(io, options, service)
    io.stdout.write(noSetText(configuration))
    return EXIT.done
  })
}

const fixedFiles = (options: Options, configuration: FirstConfiguration): NewFile[] => {
  const pipeline = PIPELINES[options.pipeline]
  return [
    configurationFile(configuration, wayUp(options.directory, options.directory)),
    ...(pipeline === undefined ? [] : [pipeline]),
  ]
}

interface FirstFiles {
  readonly files: readonly NewFile[]
  readonly hasSets: boolean
  readonly secrets: readonly NeededSecret[]
}

/** The files of the sets, and the directory file if the service has names; `undefined` after the problem was reported. */
async function filesFrom(
  io: Io,
  options: Options,
  service: Service,
  { organization, owner, owns }: FirstConfiguration,
): Promise<FirstFiles | undefined> {
  const listed = await readDirectory(service.reader, organization)
  const directory = io.redactor.in(listed.value ?? NO_NAMES)
  const references = options.secrets === 'references'
  const wishes = { organization, owner, owns, only: options.only, directory, references }
  const exported = await exportFrom(service, wishes)
  // In a new organization no pattern can match.
  const isEmpty = exported.observed.sets.length === 0
  const diagnostics = [...(isEmpty ? [] : exported.diagnostics), ...sharedOwner(exported, owner)]
  sayDiagnostics(io, options, diagnostics)
  if (hasErrors(diagnostics)) return undefined
  const up = wayUp(join(options.directory, 'sets'), options.directory)
  const sets = exportFiles(io.redactor.in(exported.sets), up).map(({ path, text }) => ({
    path: `sets/${path}`,
    text,
  }))
  // A real organization gets an example set only on request, because the next apply would create it.
  const isExample = sets.length === 0 && (options.sandbox || options.firstSet)
  const names = {
    ...directory,
    ...(exported.live?.stacks && { stacks: io.redactor.in(exported.live.stacks) }),
  }
  const hasNames = names.workspaces.length + names.projects.length > 0
  return {
    files: [
      ...(hasNames ? [{ path: 'directory.yaml', text: directoryYaml(names, organization) }] : []),
      ...(isExample ? [firstSetFile(owns, up)] : sets),
    ],
    hasSets: isExample || sets.length > 0,
    secrets: neededSecrets(exported.sets),
  }
}

/** An inventory of this owner belongs to another repository, or to an earlier setup of this one. */
function sharedOwner({ observed, ids }: ExportRun, owner: string): Diagnostic[] {
  const entries = observed.inventories?.find(inventory => inventory.owner === owner)?.entries
  if (entries === undefined) return []
  const listed = observed.sets.filter(({ id }) => entries.some(({ setId }) => setId === id))
  const outside = listed.filter(({ id }) => !ids.has(id)).map(({ name }) => name)
  return [outside.length === 0 ? alreadyListed(owner, listed.length) : listedOutside(owner, outside)]
}

/** What `init` leaves to the user, because the file exists or belongs to another program. */
function stillToDo({ version }: Io, options: Options, ignored: string | undefined): string {
  const isIgnored = ignored === undefined || /^\/?\.setpoint\/?\s*$/m.test(ignored)
  const isInstalled = textOf(options, 'package-lock.json')?.includes('"setpoint"')
  return [
    isIgnored ? '' : 'Add .setpoint/ to .gitignore: the embedded sandbox keeps its state there.\n',
    PIPELINES[options.pipeline] === undefined || isInstalled === true ? '' : installText(version),
  ].join('')
}

/** `undefined` if the file does not exist; `''` if it is unreadable or large. */
function textOf({ directory }: Options, name: string): string | undefined {
  const root = realPath(directory)
  const result = root === undefined ? NOTHING : readInside(root, join(root, name), LARGEST)
  if ('problem' in result) return result.problem === 'missing' ? undefined : ''
  return Buffer.from(result.bytes).toString()
}

const NOTHING: ReadResult = { problem: 'missing' }
const LARGEST = 16 * 1024 * 1024

/** The proof: loads and plans the written files as any run would. */
async function firstPlan(io: Io, options: Options, service: Service): Promise<number> {
  const loaded = await loadDesired(loadOptions(io, options))
  const { prepared, diagnostics } =
    loaded.value === undefined
      ? { diagnostics: loaded.diagnostics }
      : await preparePlan(loaded.value, service, [])
  if (loaded.value === undefined || prepared === undefined) {
    sayDiagnostics(io, options, diagnostics)
    return EXIT.error
  }
  const changes = prepared.plan.steps.length
  io.stdout.write(`${counted(loaded.value.sets.length, 'set')}, ${counted(changes, 'change')}\n`)
  return EXIT.done
}

/** The organization and owner for `init`, or what is wrong with them. */
export function configurationFrom(
  io: Io,
  options: Options,
  argument: string | undefined,
): FirstConfiguration | Diagnostic {
  const expected = io.env.SETPOINT_ORGANIZATION || undefined
  const organization = argument ?? expected
  if (organization === undefined) return NO_ORGANIZATION
  if (!/^[^\s./?#%][^\s/?#%]*$/.test(organization) || organization.includes('\0')) return NOT_A_NAME
  if (expected !== undefined && expected !== organization) return otherOrganization(expected)
  const owner = options.owner ?? ownerFrom(basename(options.directory))
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(owner)) return NOT_AN_OWNER
  return { organization, owner, owns: options.only }
}

/** The directory usually has the name of the repository. */
function ownerFrom(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 63)
  return plain === '' ? 'main' : plain
}

const mistake = (message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message,
  hint,
})

const NO_ORGANIZATION = mistake('Missing argument: ORGANIZATION.', 'Run: setpoint init ORGANIZATION')
const NOT_A_NAME = mistake(
  'The name of the organization is not valid.',
  'Use a name without spaces and / ? # %, which does not begin with a dot.',
)
const NOT_AN_OWNER = mistake(
  'The owner is not valid.',
  'Use up to 63 letters, digits, _ and -, beginning with a letter or a digit.',
)
const otherOrganization = (expected: string): Diagnostic => ({
  severity: 'error',
  code: 'organization-mismatch',
  message: `SETPOINT_ORGANIZATION is "${expected}".`,
  hint: 'Name the same organization, or unset SETPOINT_ORGANIZATION.',
})
