import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readDirectory } from '../../api/directory.ts'
import { directoryYaml } from '../../config/directory-file.ts'
import { loadDesired } from '../../config/load.ts'
import { exportFiles, type NewFile } from '../../export/document.ts'
import {
  configurationFile,
  type FirstConfiguration,
  firstSetFile,
  ignoreFile,
} from '../../export/first-files.ts'
import { PIPELINES } from '../../export/pipelines.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Directory } from '../../model/variable-set.ts'
import { counted } from '../../report/phrase.ts'
import { exportFrom, mayWrite } from '../../run/export.ts'
import { filesInTheWay } from '../../run/new-files.ts'
import { preparePlan } from '../../run/prepare.ts'
import type { Service } from '../../run/service.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import type { Io } from '../io.ts'
import { loadOptions } from '../load.ts'
import type { Options } from '../options.ts'
import { sayDiagnostics } from '../say.ts'
import { signalCode, withConnection } from '../with-service.ts'
import { sayingFailures, wayUp, writeOrSay } from '../write-sets.ts'

const NO_NAMES: Directory = { workspaces: [], projects: [] }

/** From an organization as it is to a repository whose first plan has nothing to do. */
export const run: Run = async (io, options, argument) => {
  const configuration = configurationFrom(io, options, argument)
  if ('severity' in configuration) {
    sayDiagnostics(io, options, [configuration])
    return EXIT.error
  }
  const { organization } = configuration
  const fixed = fixedFiles(options, configuration)
  // What can be known without a connection is said without one.
  const isFree = await sayingFailures(io, options, async () => {
    const inTheWay = await filesInTheWay(options.directory, fixed)
    sayDiagnostics(io, options, inTheWay)
    return inTheWay.length === 0
  })
  if (isFree !== true) return EXIT.error
  const named = { organization, sets: [], directory: NO_NAMES }
  return await withConnection(io, options, named, async service => {
    const files = await filesFrom(io, options, service, configuration)
    if (files === undefined) return EXIT.error
    const signal = io.stoppedBy()
    if (signal !== undefined) return signalCode(signal)
    const ignored = await textOf(join(options.directory, ignoreFile.path))
    const all = [...fixed, ...(ignored === undefined ? [ignoreFile] : []), ...files]
    const made = await writeOrSay(io, options, options.directory, all, 'refused')
    if (made === undefined) return EXIT.error
    io.stdout.write(writtenText(made.written))
    if (!options.quiet) io.stderr.write(await stillToDo(io, options, ignored))
    return await firstPlan(io, options, service)
  })
}

function configurationFrom(
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

/** What the directory is called is what the repository is called, most of the time. */
function ownerFrom(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 63)
  return plain === '' ? 'main' : plain
}

const fixedFiles = (options: Options, configuration: FirstConfiguration): NewFile[] => {
  const pipeline = PIPELINES[options.pipeline]
  return [
    configurationFile(configuration, wayUp(options.directory, options.directory)),
    ...(pipeline === undefined ? [] : [pipeline]),
  ]
}

/** The sets, or a first one, and the directory where the service has names; `undefined` after it was said why not. */
async function filesFrom(
  io: Io,
  options: Options,
  service: Service,
  { organization, owner, owns }: FirstConfiguration,
): Promise<NewFile[] | undefined> {
  const listed = await readDirectory(service.reader, organization, io.stop)
  const directory = io.redactor.in(listed.value ?? NO_NAMES)
  const wishes = { organization, owner, owns, only: options.only, directory }
  const exported = await exportFrom(service, wishes, io.stop)
  const isEmpty = exported.observed.sets.length === 0
  const diagnostics = isEmpty ? [] : exported.diagnostics
  sayDiagnostics(io, options, diagnostics)
  if (!isEmpty && !mayWrite(exported)) return undefined
  const up = wayUp(join(options.directory, 'sets'), options.directory)
  const sets = exportFiles(io.redactor.in(exported.sets), up).map(({ path, text }) => ({
    path: `sets/${path}`,
    text,
  }))
  const hasNames = directory.workspaces.length + directory.projects.length > 0
  return [
    ...(hasNames ? [{ path: 'directory.yaml', text: directoryYaml(directory, organization) }] : []),
    ...(sets.length > 0 ? sets : [firstSetFile(firstName(owns), up)]),
  ]
}

/** A name that the patterns of the repository allow. */
const firstName = ([pattern]: readonly string[]): string =>
  pattern === undefined ? 'first-set' : pattern.replaceAll('*', 'first').replaceAll('?', 'x')

/** What `init` does not write, because a file is there or because it is another program's. */
async function stillToDo({ version }: Io, options: Options, ignored: string | undefined): Promise<string> {
  const isIgnored = ignored === undefined || /^\/?\.setpoint\/?\s*$/m.test(ignored)
  const isInstalled = (await textOf(join(options.directory, 'package-lock.json')))?.includes('"setpoint"')
  return [
    isIgnored ? '' : 'Add .setpoint/ to .gitignore: the embedded sandbox keeps its state there.\n',
    PIPELINES[options.pipeline] === undefined || isInstalled === true ? '' : installText(version),
  ].join('')
}

/** From a file: the package's name belongs to nobody in the public registry, so a stranger could take it. */
const installText = (version: string): string =>
  `The pipeline installs Setpoint with npm ci, from a file in this repository:
  1. In a checkout of Setpoint, run: npm pack
  2. Copy setpoint-${version}.tgz from there to this directory.
  3. Here, run: npm install --save-dev ./setpoint-${version}.tgz
  4. Commit setpoint-${version}.tgz, package.json and package-lock.json.
`

/** `undefined` where nothing of that name is there. What is there and no text has no line that matters. */
const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) =>
    error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : '',
  )

function writtenText(paths: readonly string[]): string {
  const sets = paths.filter(path => path.startsWith('sets/'))
  const others = paths.filter(path => !path.startsWith('sets/'))
  return `${[...others, sets.length === 1 ? sets[0] : `sets/ (${sets.length} files)`].join('\n')}\n`
}

/** The proof: what was written, loaded and planned as any run would. */
async function firstPlan(io: Io, options: Options, service: Service): Promise<number> {
  const loaded = await loadDesired(loadOptions(io, options))
  const { prepared, diagnostics } =
    loaded.value === undefined
      ? { diagnostics: loaded.diagnostics }
      : await preparePlan(loaded.value, service, [], io.stop)
  if (loaded.value === undefined || prepared === undefined) {
    sayDiagnostics(io, options, diagnostics)
    return EXIT.error
  }
  const changes = prepared.plan.steps.length
  io.stdout.write(`${counted(loaded.value.sets.length, 'set')}, ${counted(changes, 'change')}\n`)
  return EXIT.done
}

const mistake = (message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message,
  hint,
})

const NO_ORGANIZATION = mistake(
  'Which organization?',
  'setpoint init ORGANIZATION, such as: setpoint init acme --sandbox',
)
const NOT_A_NAME = mistake(
  'This cannot be the name of an organization.',
  'A name has no spaces and none of / ? # %, and does not begin with a dot.',
)
const NOT_AN_OWNER = mistake(
  'This cannot be an owner.',
  'An owner has up to 63 letters, digits, _ and -, and begins with a letter or a digit.',
)
const otherOrganization = (expected: string): Diagnostic => ({
  severity: 'error',
  code: 'organization-mismatch',
  message: `SETPOINT_ORGANIZATION says "${expected}".`,
  hint: 'Name the same organization, or unset SETPOINT_ORGANIZATION.',
})
