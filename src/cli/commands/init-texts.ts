import { relative } from 'node:path'
import { configurationAbove, realPath } from '../../config/read.ts'
import { exportText } from '../../export/document.ts'
import { exampleSet, type FirstConfiguration } from '../../export/first-files.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { shortList } from '../../model/lists.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { counted } from '../../report/phrase.ts'
import type { Options } from '../options.ts'

/** What `init` wrote. */
export function writtenText(paths: readonly string[]): string {
  const sets = paths.filter(path => path.startsWith('sets/'))
  const others = paths.filter(path => !path.startsWith('sets/'))
  const last = sets.length > 1 ? [`sets/ (${sets.length} files)`] : sets
  return `${[...others, ...last].join('\n')}\n`
}

/** The owner decides which sets an apply may delete, so `init` always prints it. */
export const ownerText = ({ owner: typed }: Options, { owner }: FirstConfiguration): string =>
  typed === undefined
    ? `Owner: ${owner} (the name of this directory). No other repository may use it. To choose another, edit owner in setpoint.yaml.\n`
    : `Owner: ${owner}. No other repository may use it.\n`

/** Two configurations in one repository can be intended, so this is a warning. They are two owners. */
export function secondConfiguration(directory: string): Diagnostic[] {
  const above = configurationAbove(directory)
  const here = realPath(directory)
  if (above === undefined || here === undefined) return []
  const named = relative(here, above).replaceAll('\\', '/')
  return [
    {
      severity: 'warning',
      code: 'second-configuration',
      message: `This repository has a configuration above this directory: ${named}.`,
      hint: 'From now on, commands in this directory use the new configuration instead. To add sets to the other one, write them to a path that its `sets:` matches.',
    },
  ]
}

export const alreadyListed = (owner: string, listed: number): Diagnostic => ({
  severity: 'warning',
  code: 'owner-in-use',
  message: `The owner "${owner}" has an inventory already. It lists ${counted(listed, 'set')}, which are all written here.`,
  hint: 'If another repository has this owner, delete the written files and choose another owner with --owner NAME.',
})

export function listedOutside(owner: string, outside: readonly string[]): Diagnostic {
  const names = outside.map(name => `"${name}"`)
  return mistake(
    'owner-in-use',
    `The owner "${owner}" already has an inventory, with ${counted(outside.length, 'set')} that would not be written here: ${shortList(names, 5)}.`,
    'Nothing was written. Choose another owner with --owner NAME. If this is the same repository, write all of its sets.',
  )
}

/** The next steps if there is no set to export. */
export const noSetText = ({ organization, owns }: FirstConfiguration): string =>
  sealLines(`${quotedText(organization)} has no set for this repository, so no set was written. Create sets/first.yaml, such as:

${exportText([exampleSet(owns)])}
Then run: setpoint plan
`)

/** The pipeline installs from a file, because anybody could register the package's name in the public registry. */
export const installText = (version: string): string =>
  `The pipeline installs Setpoint with npm ci, from a file in this repository:
  1. Download setpoint-${version}.tgz and SHA256SUMS of the release v${version} to this directory, or run npm pack in a checkout of Setpoint.
  2. Check a download: sha256sum --check --ignore-missing SHA256SUMS
  3. Here, run: npm install --save-dev ./setpoint-${version}.tgz
  4. Commit setpoint-${version}.tgz, package.json and package-lock.json.
`
