import { relative } from 'node:path'
import { configurationAbove, realPath } from '../../config/read.ts'
import { exportText } from '../../export/document.ts'
import { exampleSet, type FirstConfiguration } from '../../export/first-files.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
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

/** The owner decides whose sets an apply may delete, so it is never chosen in silence. */
export const ownerText = ({ owner: typed }: Options, { owner }: FirstConfiguration): string =>
  typed === undefined
    ? `Owner: ${owner} (the name of this directory). No other repository may use it. To choose another, edit owner in setpoint.yaml.\n`
    : `Owner: ${owner}. No other repository may use it.\n`

/** A repository with two configurations may be meant: they then are two owners. */
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
      hint: `Commands that are started here took that one, and will take the new one. To add sets to the other, write them where its \`sets:\` looks for them.`,
    },
  ]
}

export const alreadyListed = (owner: string, listed: number): Diagnostic => ({
  severity: 'warning',
  code: 'owner-in-use',
  message: `The owner "${owner}" has an inventory already. It lists ${counted(listed, 'set')}, and all of them are written here.`,
  hint: 'If another repository has this owner, remove what was written and choose another: --owner NAME',
})

export function listedOutside(owner: string, outside: readonly string[]): Diagnostic {
  const names = outside.slice(0, 5).map(name => `"${name}"`)
  const more = outside.length > names.length ? ` and ${outside.length - names.length} more` : ''
  return {
    severity: 'error',
    code: 'owner-in-use',
    message: `The owner "${owner}" has an inventory already, with ${counted(outside.length, 'set')} that would not be written here: ${names.join(', ')}${more}.`,
    hint: 'Nothing was written. Choose another owner: --owner NAME. If this is the same repository again, write all of its sets.',
  }
}

/** What to do where there is no set to begin with. */
export const noSetText = ({ organization, owns }: FirstConfiguration): string =>
  sealLines(`${quotedText(organization)} has no set for this repository, so none was written. Write one into sets/first.yaml, such as:

${exportText([exampleSet(owns)])}
Then run: setpoint plan
`)

/** From a file: the package's name belongs to nobody in the public registry, so a stranger could take it. */
export const installText = (version: string): string =>
  `The pipeline installs Setpoint with npm ci, from a file in this repository:
  1. Download setpoint-${version}.tgz and SHA256SUMS of the release v${version} to this directory, or run npm pack in a checkout of Setpoint.
  2. Check a download: sha256sum --check --ignore-missing SHA256SUMS
  3. Here, run: npm install --save-dev ./setpoint-${version}.tgz
  4. Commit setpoint-${version}.tgz, package.json and package-lock.json.
`
