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

/** The content of `setpoint.yaml`. */
export interface SetpointFile {
  readonly source?: SourceRange
  readonly organization: string
  readonly owner?: string
  readonly owns: readonly string[]
  readonly prune: boolean
  readonly guards: Guards
  readonly sameKeys: readonly Family[]
  readonly sets: readonly WrittenPath[]
  readonly directory: WrittenPath
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
  const at = (node: Node): { source?: SourceRange } => ({ source: file?.at(node.at) })
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
    owner,
    owns: texts(childOf(tree, 'owns')),
    prune,
    guards: guardsOf(childOf(tree, 'guards')),
    sameKeys: file === undefined ? [] : familiesOf(childOf(tree, 'same-keys'), file),
    sets: pathsOf(childOf(tree, 'sets'), at) ?? [{ path: 'sets/**/*.yaml' }],
    directory: pathsOf(childOf(tree, 'directory'), at)?.[0] ?? { path: 'directory.yaml' },
  }
}

function pathsOf(
  node: Node | undefined,
  at: (node: Node) => { source?: SourceRange },
): WrittenPath[] | undefined {
  const nodes = node?.kind === 'list' ? node.items : node === undefined ? [] : [node]
  const paths = nodes.flatMap(item => {
    const path = textOf(item)
    return path === undefined ? [] : [{ path, ...at(item) }]
  })
  return paths.length === 0 ? undefined : paths
}

const familiesOf = (node: Node | undefined, file: SourceFile): Family[] =>
  itemsOf(node).flatMap(item => {
    const pattern = textOf(item)
    return pattern === undefined ? [] : [{ pattern, source: file.at(item.at) }]
  })

function guardsOf(node: Node | undefined): Guards {
  return {
    deletions: shareOf(childOf(node, 'deletions')) ?? DEFAULT_GUARDS.deletions,
    updates: shareOf(childOf(node, 'updates')),
    protect: texts(childOf(node, 'protect')),
    ...(textOf(childOf(node, 'gaps')) === 'forbid' ? { gaps: 'forbid' } : {}),
  }
}

function shareOf(node: Node | undefined): number | undefined {
  const share = Number(textOf(node)?.slice(0, -1) ?? Number.NaN)
  return share >= 0 && share <= 100 ? share : undefined
}

const texts = (node: Node | undefined): string[] => itemsOf(node).flatMap(item => textOf(item) ?? [])
