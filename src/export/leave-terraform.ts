import { compareText } from '../model/diagnostic.ts'
import { blockAddress } from './state-address.ts'
import type { StateObject } from './state-json.ts'

/**
 * How Terraform forgets objects without destroying them. Commands are for a POSIX shell. What there is nothing of is
 * empty.
 */
export interface Leaving {
  /** The program that keeps the state. */
  readonly tool: 'terraform' | 'tofu'
  /** Resources that keep some of their instances. A `removed` block would take them whole, so the commands in `first` do it. */
  readonly mixed: readonly string[]
  /** Some of those are in a module with `count`, whose numbers change too. */
  readonly isCounted: boolean
  /** Has to run before the configuration changes: an apply would destroy these instances. */
  readonly first: string
  /** One `removed` block for each other resource. */
  readonly removed: string
  /** Commands that do the same as the blocks. */
  readonly instead: string
}

export function leavingTerraform(leaving: readonly StateObject[], staying: readonly StateObject[]): Leaving {
  const tool = leaving.some(({ isOfTofu }) => isOfTofu) ? 'tofu' : 'terraform'
  const kept = new Set(staying.filter(object => !object.isData).map(blockAddress))
  const blocks = [...new Set(leaving.map(blockAddress))].sort(compareText)
  const parts = leaving.filter(object => kept.has(blockAddress(object)))
  const wholes = leaving.filter(object => !kept.has(blockAddress(object)))
  return {
    tool,
    mixed: blocks.filter(block => kept.has(block)),
    isCounted: parts.some(({ module }) => /\[\d+\]/.test(module)),
    first: removals(tool, parts) + renumbering(tool, parts, staying),
    removed: blocks
      .filter(block => !kept.has(block))
      .map(removedBlock)
      .join('\n'),
    instead: removals(tool, wholes),
  }
}

const removedBlock = (address: string): string => `removed {
  from = ${address}

  lifecycle {
    destroy = false
  }
}
`

/** Of one command, far below what a command line can be. */
const MOST_ADDRESSES = 100

function removals(tool: string, objects: readonly StateObject[]): string {
  const sorted = [...new Set(objects.map(({ address }) => address))].sort(compareText)
  const parts: string[] = []
  for (let at = 0; at < sorted.length; at += MOST_ADDRESSES) {
    const lines = sorted.slice(at, at + MOST_ADDRESSES).map(address => `  ${shellQuoted(address)}`)
    parts.push(`${tool} state rm \\\n${lines.join(' \\\n')}\n`)
  }
  return parts.join('')
}

/**
 * With `count`, the instances behind one that is taken out get lower numbers, and an apply would destroy and create them.
 * Lowest first, so that every number is free when it is taken.
 */
function renumbering(tool: string, leaving: readonly StateObject[], staying: readonly StateObject[]): string {
  return staying
    .flatMap(object => {
      const { index } = object
      if (typeof index !== 'number' || object.isData) return []
      const resource = resourceOf(object)
      const before = leaving.filter(
        one => typeof one.index === 'number' && one.index < index && resourceOf(one) === resource,
      ).length
      return before === 0 ? [] : [{ resource, index, to: index - before }]
    })
    .toSorted((a, b) => compareText(a.resource, b.resource) || a.index - b.index)
    .map(
      ({ resource, index, to }) =>
        `${tool} state mv ${shellQuoted(`${resource}[${index}]`)} ${shellQuoted(`${resource}[${to}]`)}\n`,
    )
    .join('')
}

/** With the keys of its modules, without its own. */
const resourceOf = ({ address, index }: StateObject): string => address.slice(0, -`[${index}]`.length)

/** In single quotes nothing means anything to the shell but the quote itself. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
