import { basename, join, relative } from 'node:path'
import { isLoopback, readAddress } from '../../api/address.ts'
import { loadDesired } from '../../config/load.ts'
import {
  CONFIGURATIONS,
  configurationAbove,
  configurationIn,
  fileExists,
  readInside,
  realPath,
} from '../../config/read.ts'
import {
  configurationFile,
  exampleSet,
  exportFiles,
  exportText,
  type FirstConfiguration,
  firstSetFile,
  ignoreFile,
  type NewFile,
  pipelineOf,
  SCHEMA_DIRECTORY,
} from '../../export/new-files.ts'
import { type Diagnostic, mistake, warning } from '../../model/diagnostic.ts'
import { shortList } from '../../model/lists.ts'
import { type WantedSecret, wantedSecrets } from '../../model/variable-set.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import { endIfStopped, fail, misuse, required } from '../../run/commands/ending.ts'
import { loadOptions } from '../../run/commands/load-files.ts'
import { withConnection } from '../../run/commands/session.ts'
import { missingSchemas } from '../../run/editor-schemas.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { type ExportRun, exportFrom } from '../../run/export-organization.ts'
import type { Options } from '../../run/options.ts'
import { madeFrom, madeIn, stateSourceOf } from '../../run/plan.ts'
import { hideEnvironment } from '../../run/run-secrets.ts'
import type { Service } from '../../run/service.ts'
import { filesInTheWay } from '../../run/write-files.ts'
import type { CommandRun } from '../command.ts'
import type { CommandContext, Io } from '../io.ts'
import { referencesText, writeFiles } from '../write-sets.ts'

/** Makes a repository for an existing organization. Its first plan has no changes. */
export const run: CommandRun = async (io, argument) => {
  if (io.options.withSnapshot && io.options.pipeline === 'none')
    misuse(io, '--snapshot requires --pipeline.', 'Pass --pipeline github or --pipeline gitlab, too.')
  if (io.options.onlyThisChange && io.options.pipeline === 'none')
    misuse(io, '--only-this-change requires --pipeline.', 'Pass --pipeline github or --pipeline gitlab, too.')
  const pipeline = pipelineFor(io)
  const isThere = pipeline !== undefined && fileExists(join(io.cwd, configurationIn(io.cwd)))
  if (isThere && argument === undefined && isPlain(io)) return await addPipeline(io, pipeline)
  const configuration = configurationFrom(io, argument)
  const { organization } = configuration
  const first = configurationFile(configuration)
  const fixed = pipeline === undefined ? [first] : [first, pipeline]
  // Reports first what can be checked without a connection.
  const existing = await filesInTheWay(io.cwd, [
    ...fixed,
    ...CONFIGURATIONS.slice(1)
      .filter(path => fileExists(join(io.cwd, path)))
      .map(path => ({ path, text: '' })),
  ])
  const earlier =
    pipeline !== undefined && fileExists(join(io.cwd, pipeline.path)) ? pipeline.path : undefined
  const inTheWay = isThere ? existing.map(one => ({ ...one, hint: onlyPipeline(io, earlier) })) : existing
  required(io, { value: fixed, diagnostics: [...secondConfiguration(io.cwd), ...inTheWay] })
  const named = { organization, sets: [] }
  return await withConnection(io, named, async service => {
    const found = await filesFrom(io, service, configuration)
    endIfStopped(io)
    const ignored = textOf(io, ignoreFile.path)
    const others = [...(ignored === undefined ? [ignoreFile] : []), ...missingSchemas(io.cwd)]
    const all = [...fixed, ...others, ...found.files]
    const { written } = await writeFiles(io, io.cwd, all, 'refused')
    io.stdout.write(
      writtenText(written) + ownerText(io.options, configuration) + referencesText(found.secrets),
    )
    if (!io.options.quiet) io.stderr.write(stillToDo(io, ignored))
    if (found.hasSets) return await firstPlan(io, service)
    io.stdout.write(noSetText(configuration))
    return EXIT.done
  })
}

/** With the address of the service that `init` reads. One of this machine means nothing to a job. */
function pipelineFor({ options, env, cwd }: CommandContext): NewFile | undefined {
  const { value: found } = options.sandbox ? { value: undefined } : readAddress(options.address, env)
  const isNamed =
    found !== undefined && found.source !== 'default' && !isLoopback(new URL(found.url).hostname)
  const { withSnapshot: snapshot, onlyThisChange: alone } = options
  const groups = GROUPS.some(name => fileExists(join(cwd, name)))
  return pipelineOf(options.pipeline, { snapshot, alone, groups, ...(isNamed && { address: found.url }) })
}

/** Files of groups beside the configuration. */
const GROUPS = ['groups.yaml', 'groups.yml']

/** No option asks for more than the pipeline. */
const isPlain = ({ options: { only, owner, firstSet } }: CommandContext): boolean =>
  only.length === 0 && owner === undefined && !firstSet

/** `earlier`: a pipeline that is there already. */
const onlyPipeline = (
  { options: { pipeline, withSnapshot, onlyThisChange } }: CommandContext,
  earlier: string | undefined,
): string =>
  `Nothing was written. To write the pipeline alone${earlier === undefined ? ',' : `, move ${earlier}, and`} run: setpoint init --pipeline ${pipeline}${withSnapshot ? ' --snapshot' : ''}${onlyThisChange ? ' --only-this-change' : ''}`

/** Adds the pipeline to a repository that `init` or a person set up before. */
async function addPipeline(io: CommandContext, pipeline: NewFile): Promise<number> {
  const { written } = await writeFiles(io, io.cwd, [pipeline], 'refused')
  io.stdout.write(writtenText(written))
  if (!io.options.quiet) io.stderr.write(stillToDo(io, textOf(io, ignoreFile.path)))
  return EXIT.done
}

interface FirstFiles {
  readonly files: readonly NewFile[]
  readonly hasSets: boolean
  readonly secrets: readonly WantedSecret[]
}

/** The files of the sets. */
async function filesFrom(
  io: CommandContext,
  service: Service,
  { organization, owner, owns }: FirstConfiguration,
): Promise<FirstFiles> {
  const references = io.options.secrets === 'references'
  hideEnvironment(io, undefined)
  const known = io.redactor
  const wishes = { organization, owner, owns, only: io.options.only, references, known }
  const exported = await exportFrom(service, wishes)
  // In a new organization no pattern can match.
  const isEmpty = exported.observed.sets.length === 0
  const diagnostics = [...(isEmpty ? [] : exported.diagnostics), ...sharedOwner(exported, owner)]
  required(io, { value: exported, diagnostics })
  const sets = exportFiles(exported.sets, '../').map(({ path, text }) => ({
    path: `sets/${path}`,
    text,
  }))
  // A real organization gets an example set only on request, because the next apply would create it.
  const isExample = sets.length === 0 && (io.options.sandbox || io.options.firstSet)
  return {
    files: isExample ? [firstSetFile(owns)] : sets,
    hasSets: isExample || sets.length > 0,
    secrets: wantedSecrets(exported.sets),
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
function stillToDo(io: CommandContext, ignored: string | undefined): string {
  const isIgnored = ignored === undefined || /^\/?\.setpoint\/?\s*$/m.test(ignored)
  const pipeline = pipelineFor(io)
  const isInstalled = textOf(io, 'package-lock.json')?.includes('"setpoint"')
  return [
    isIgnored ? '' : 'Add .setpoint/ to .gitignore: the embedded sandbox keeps its state there.\n',
    pipeline === undefined || isInstalled === true ? '' : installText(io.version),
    pipeline?.text.includes('<digest>') ? digestText(pipeline.path) : '',
  ].join('')
}

/** `undefined` if the file does not exist; `''` if it is unreadable or large. */
function textOf({ cwd }: Io, name: string): string | undefined {
  const root = realPath(cwd)
  if (root === undefined) return undefined
  const result = readInside(root, join(root, name), LARGEST)
  if ('problem' in result) return result.problem === 'missing' ? undefined : ''
  return Buffer.from(result.bytes).toString()
}

const LARGEST = 16 * 1024 * 1024

/** The proof: loads and plans the written files as any run would. */
async function firstPlan(io: CommandContext, service: Service): Promise<number> {
  const { value: desired, diagnostics } = await loadDesired(loadOptions(io))
  if (desired === undefined) return fail(io, ...diagnostics)
  const { plan } = madeIn(io, await madeFrom(desired, stateSourceOf(service, desired.organization)))
  io.stdout.write(`${counted(desired.sets.length, 'set')}, ${counted(plan.steps.length, 'change')}\n`)
  return EXIT.done
}

/** The organization and owner for `init`. */
function configurationFrom(io: CommandContext, argument: string | undefined): FirstConfiguration {
  const expected = io.env.SETPOINT_ORGANIZATION || undefined
  const organization = argument ?? expected
  if (organization === undefined)
    misuse(
      io,
      'Missing argument: ORGANIZATION.',
      isPlain(io) && fileExists(join(io.cwd, configurationIn(io.cwd)))
        ? 'This directory has a configuration already. To add a pipeline: setpoint init --pipeline github'
        : 'Run: setpoint init ORGANIZATION',
    )
  if (!/^[^\s./?#%][^\s/?#%]*$/.test(organization) || organization.includes('\0'))
    misuse(
      io,
      'The name of the organization is not valid.',
      'Use the name alone: acme in https://app.terraform.io/app/acme. It has no spaces and none of / ? # %, and does not begin with a dot.',
    )
  if (expected !== undefined && expected !== organization)
    fail(
      io,
      mistake(
        'organization-mismatch',
        `SETPOINT_ORGANIZATION is "${expected}".`,
        'Name the same organization, or unset SETPOINT_ORGANIZATION.',
      ),
    )
  const owner = io.options.owner ?? ownerFrom(basename(io.cwd))
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(owner))
    misuse(
      io,
      'The owner is not valid.',
      'Use up to 63 letters, digits, _ and -, beginning with a letter or a digit.',
    )
  return { organization, owner, owns: io.options.only }
}

/** The directory usually has the name of the repository. */
function ownerFrom(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 63)
  return plain === '' ? 'main' : plain
}

/** What `init` wrote. */
function writtenText(paths: readonly string[]): string {
  const together = [`${SCHEMA_DIRECTORY}/`, 'sets/']
  const others = paths.filter(path => !together.some(directory => path.startsWith(directory)))
  const last = together.flatMap(directory => {
    const inside = paths.filter(path => path.startsWith(directory))
    return inside.length > 1 ? [`${directory} (${inside.length} files)`] : inside
  })
  return `${[...others, ...last].join('\n')}\n`
}

/** The owner decides which sets an apply may delete, so `init` always prints it. */
const ownerText = ({ owner: typed }: Options, { owner }: FirstConfiguration): string =>
  typed === undefined
    ? `Owner: ${owner} (the name of this directory). No other repository may use it. To choose another, edit owner in setpoint.yaml.\n`
    : `Owner: ${owner}. No other repository may use it.\n`

/** Two configurations in one repository can be intended, so this is a warning. They are two owners. */
function secondConfiguration(directory: string): Diagnostic[] {
  const above = configurationAbove(directory)
  const here = realPath(directory)
  if (above === undefined || here === undefined) return []
  const named = relative(here, above).replaceAll('\\', '/')
  return [
    warning(
      'second-configuration',
      `This repository has a configuration above this directory: ${named}.`,
      'From now on, commands in this directory use the new configuration instead. To add sets to the other one, write them to a path that its `sets:` matches.',
    ),
  ]
}

const alreadyListed = (owner: string, listed: number): Diagnostic =>
  warning(
    'owner-in-use',
    `The owner "${owner}" has an inventory already. It lists ${counted(listed, 'set')}, which are all written here.`,
    'If another repository has this owner, delete the written files and choose another owner with --owner NAME.',
  )

function listedOutside(owner: string, outside: readonly string[]): Diagnostic {
  const names = outside.map(name => `"${name}"`)
  return mistake(
    'owner-in-use',
    `The owner "${owner}" already has an inventory, with ${counted(outside.length, 'set')} that would not be written here: ${shortList(names)}.`,
    'Nothing was written. Choose another owner with --owner NAME. If this is the same repository, write all of its sets.',
  )
}

/** The next steps if there is no set to export. */
const noSetText = ({ organization, owns }: FirstConfiguration): string =>
  sealLines(`${quotedText(organization)} has no set for this repository, so no set was written. Create sets/first.yaml, such as:

${exportText([exampleSet(owns)])}
Then run: setpoint plan
`)

/** The pipeline installs from a file, because anybody could register the package's name in the public registry. */
const installText = (version: string): string =>
  `The pipeline installs Setpoint with npm ci, from a file in this repository:
  1. Download setpoint-${version}.tgz and SHA256SUMS of the release v${version} to this directory, or run npm pack in a checkout of Setpoint and move the file here.
  2. Check a download: sha256sum --check --ignore-missing SHA256SUMS
  3. Here, run: npm install --save-dev ./setpoint-${version}.tgz
  4. Commit setpoint-${version}.tgz, package.json and package-lock.json.
`

/** A tag would be an image that somebody else can change. */
const digestText = (path: string): string =>
  `In ${path}, replace <digest> by the digest that this prints: docker buildx imagetools inspect node:24\n`
