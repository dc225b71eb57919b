import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import type { Guards } from '../model/variable-set.ts'
import type { SourceFile } from './source-file.ts'
import { childOf, entryOf, isTrue, itemsOf, type Node, textOf, textsIn } from './tree.ts'

/** A path or pattern, and where it is written. A default has no source. */
export interface WrittenText {
  readonly text: string
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
  readonly sets: readonly WrittenText[]
  /** Files with groups. Absent: `groups.yaml`, if it exists. */
  readonly groups?: readonly WrittenText[]
}

const DEFAULT_GUARDS: Guards = { deletions: 30, losses: 30, protect: [] }

/** Invalid values were reported before and have their defaults here, so that the set files can still be checked. */
export function readSetpointFile(
  tree: Node | undefined,
  file: SourceFile | undefined,
  expected: string | undefined,
  findings: Findings,
): SetpointFile {
  const owner = textOf(childOf(tree, 'owner'))
  const prune = isTrue(childOf(tree, 'prune'))
  const listed = (key: string): WrittenText[] => {
    const node = childOf(tree, key)
    return (node?.kind === 'scalar' ? [node] : itemsOf(node)).flatMap(item => {
      const text = textOf(item)
      return text === undefined ? [] : { text, source: file?.at(item.at) }
    })
  }
  const sets = listed('sets')
  const organization = entryOf(tree, 'organization')
  const name = textOf(organization?.value) ?? ''
  if (file !== undefined && organization !== undefined && expected !== undefined && name !== expected)
    findings.error(
      'organization-mismatch',
      `The file is for the organization "${name}", but SETPOINT_ORGANIZATION is "${expected}".`,
      'Correct SETPOINT_ORGANIZATION, or unset it.',
      file.at(organization.at),
    )
  if (prune && owner === undefined)
    findings.error(
      'needs-owner',
      '`prune: true` needs an `owner`.',
      'Write `owner: NAME`. Without an owner, list a set under `removed:` to delete it.',
      file?.at(entryOf(tree, 'prune')?.at ?? 0),
    )
  return {
    source: file?.at(0),
    organization: name,
    organizationSource: organization && file?.at(organization.at),
    owner,
    // An empty one is a mistake of its own.
    owns: textsIn(childOf(tree, 'owns')).filter(Boolean),
    prune,
    guards: guardsOf(childOf(tree, 'guards')),
    sets: sets.length > 0 ? sets : [{ text: 'sets/**/*.yaml' }],
    ...(childOf(tree, 'groups') !== undefined && { groups: listed('groups') }),
  }
}

function guardsOf(node: Node | undefined): Guards {
  return {
    deletions: shareOf(childOf(node, 'deletions')) ?? DEFAULT_GUARDS.deletions,
    losses: shareOf(childOf(node, 'losses')) ?? DEFAULT_GUARDS.losses,
    updates: shareOf(childOf(node, 'updates')),
    protect: textsIn(childOf(node, 'protect')),
    ...(textOf(childOf(node, 'gaps')) === 'forbid' ? { gaps: 'forbid' } : {}),
  }
}

function shareOf(node: Node | undefined): number | undefined {
  const share = Number(textOf(node)?.slice(0, -1) ?? Number.NaN)
  return share >= 0 && share <= 100 ? share : undefined
}
