import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import type { Guards } from '../model/variable-set.ts'
import type { Family } from './same-keys.ts'
import type { SourceFile } from './source-file.ts'
import { childOf, entryOf, isTrue, itemsOf, type Node, textOf } from './tree.ts'

/** A path or pattern, and where it is written. A default has no source. */
export interface WrittenPath {
  readonly path: string
  readonly source?: SourceRange
}

export interface SetpointFile {
  readonly source?: SourceRange
  readonly organization: string
  /** Where its name is written. */
  readonly organizationSource?: SourceRange
  readonly owner?: string
  readonly owns: readonly string[]
  readonly prune: boolean
  readonly guards: Guards
  readonly sameKeys: readonly Family[]
  readonly sets: readonly WrittenPath[]
  /** Files with groups. Absent: `groups.yaml`, if it exists. */
  readonly groups?: readonly WrittenPath[]
  /** Earlier versions kept names and ids in this file, which is no set file. */
  readonly formerDirectory: WrittenPath
}

export const DEFAULT_GUARDS: Guards = { deletions: 30, protect: [] }

/** Invalid values were reported before and have their defaults here, so that the set files can still be checked. */
export function readSetpointFile(
  tree: Node | undefined,
  file: SourceFile | undefined,
  expected: string | undefined,
  findings: Findings,
): SetpointFile {
  const owner = textOf(childOf(tree, 'owner'))
  const prune = isTrue(childOf(tree, 'prune'))
  const paths = (key: string): WrittenPath[] => {
    const node = childOf(tree, key)
    const items = node?.kind === 'scalar' ? [node] : itemsOf(node)
    return writtenIn(items).map(({ text, at }) => ({ path: text, source: file?.at(at) }))
  }
  const [formerDirectory = { path: 'directory.yaml' }] = paths(FORMER_KEY)
  const sets = paths('sets')
  const organization = entryOf(tree, 'organization')
  const name = textOf(organization?.value) ?? ''
  if (file !== undefined && organization !== undefined && expected !== undefined && name !== expected)
    findings.error(
      'organization-mismatch',
      file.at(organization.at),
      `The file is for the organization "${name}", but SETPOINT_ORGANIZATION is "${expected}".`,
      'Correct SETPOINT_ORGANIZATION, or unset it.',
    )
  if (prune && owner === undefined)
    findings.error(
      'needs-owner',
      file?.at(entryOf(tree, 'prune')?.at ?? 0),
      '`prune: true` needs an `owner`.',
      'Write `owner: NAME`. Without an owner, list a set under `removed:` to delete it.',
    )
  return {
    source: file?.at(0),
    organization: name,
    organizationSource: organization && file?.at(organization.at),
    owner,
    owns: textsIn(childOf(tree, 'owns')),
    prune,
    guards: guardsOf(childOf(tree, 'guards')),
    sameKeys: writtenIn(itemsOf(childOf(tree, 'same-keys'))).map(({ text, at }) => ({
      pattern: text,
      source: file?.at(at),
    })),
    sets: sets.length > 0 ? sets : [{ path: 'sets/**/*.yaml' }],
    ...(childOf(tree, 'groups') !== undefined && { groups: paths('groups') }),
    formerDirectory,
  }
}

const FORMER_KEY = 'directory'

/** Without the key of earlier versions, so that the files of an older commit stay valid. */
export const withoutFormerKey = (tree: Node): Node =>
  tree.kind === 'map' ? { ...tree, entries: tree.entries.filter(({ key }) => key !== FORMER_KEY) } : tree

/** Said once, at the key, or else at the file. */
export const warnOfFormerDirectory = ({ path }: WrittenPath, source: SourceRange, findings: Findings): void =>
  findings.warning(
    'no-longer-read',
    source,
    `"${path}" is not read any more: names and projects are looked up in the service.`,
    'Delete the file, and the key `directory` in setpoint.yaml if it is there.',
  )

const writtenIn = (items: readonly Node[]): { readonly text: string; readonly at: number }[] =>
  items.flatMap(item => {
    const text = textOf(item)
    return text === undefined ? [] : { text, at: item.at }
  })

const textsIn = (node: Node | undefined): string[] => writtenIn(itemsOf(node)).map(({ text }) => text)

function guardsOf(node: Node | undefined): Guards {
  return {
    deletions: shareOf(childOf(node, 'deletions')) ?? DEFAULT_GUARDS.deletions,
    updates: shareOf(childOf(node, 'updates')),
    protect: textsIn(childOf(node, 'protect')),
    ...(textOf(childOf(node, 'gaps')) === 'forbid' ? { gaps: 'forbid' } : {}),
  }
}

function shareOf(node: Node | undefined): number | undefined {
  const share = Number(textOf(node)?.slice(0, -1) ?? Number.NaN)
  return share >= 0 && share <= 100 ? share : undefined
}
