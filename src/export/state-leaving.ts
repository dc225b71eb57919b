import { compareText, shellQuoted } from '../model/diagnostic.ts'
import { blockAddress, hclQuoted, moduleCall, type StateObject } from './state-json.ts'

/**
 * How Terraform forgets objects without destroying them. Commands are for a POSIX shell. A part without content is empty.
 */
export interface Leaving {
  readonly tool: 'terraform' | 'tofu'
  /** Resources that keep some of their instances. A `removed` block would remove them all, so the commands in `first` do it. */
  readonly mixed: readonly string[]
  /** Resources with `count` of which instances stay, after others were removed. */
  readonly counted: readonly Counted[]
  /** Some of those are in a module with `count`, whose numbers change as well. */
  readonly isCounted: boolean
  /** Modules that have to change, or whose calls have to go. */
  readonly modules: readonly string[]
  /** Run these before the configuration changes: an apply would destroy these instances. */
  readonly first: string
  /** One `removed` block for each other resource. */
  readonly removed: string
  /** Commands that do the same as the blocks. */
  readonly instead: string
  /** A data source for one of the sets, for what stays and refers to it. */
  readonly data: string
}

/** A resource with `count`, and the old indexes of the instances that stay, ascending: the place of each is its new index. */
export interface Counted {
  readonly resource: string
  readonly kept: readonly number[]
}

export function leavingTerraform(leaving: readonly StateObject[], staying: readonly StateObject[]): Leaving {
  const tool = leaving.some(({ provider }) => provider.includes('registry.opentofu.org/'))
    ? 'tofu'
    : 'terraform'
  const managed = staying.filter(object => !object.isData)
  const kept = new Set(managed.map(blockAddress))
  const blocks = [...new Set(leaving.map(blockAddress))].sort(compareText)
  const parts = leaving.filter(object => kept.has(blockAddress(object)))
  const wholes = leaving.filter(object => !kept.has(blockAddress(object)))
  const counted = countedIn(parts, managed)
  return {
    tool,
    mixed: blocks.filter(block => kept.has(block)),
    counted,
    isCounted: parts.some(({ module }) => /\[\d+\]/.test(module)),
    modules: [...new Set(leaving.map(({ module }) => moduleCall(module)))].filter(Boolean).sort(compareText),
    first: removals(tool, parts) + renumbering(tool, counted),
    removed: blocks
      .filter(block => !kept.has(block))
      .map(removedBlock)
      .join('\n'),
    instead: removals(tool, wholes),
    data: dataSource(leaving),
  }
}

const removedBlock = (address: string): string => `removed {
  from = ${address}

  lifecycle {
    destroy = false
  }
}
`

/** In one command, far below the limit of a command line. */
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

function countedIn(leaving: readonly StateObject[], staying: readonly StateObject[]): Counted[] {
  const isOne = ({ index }: StateObject): boolean => typeof index === 'number'
  const left = new Set(leaving.filter(isOne).map(resourceOf))
  return [...left].sort(compareText).flatMap(resource => {
    const kept = staying.flatMap(object =>
      typeof object.index === 'number' && resourceOf(object) === resource ? [object.index] : [],
    )
    return kept.length === 0 ? [] : [{ resource, kept: kept.sort((a, b) => a - b) }]
  })
}

/**
 * With `count`, the instances after a removed one get lower numbers, and an apply would destroy and create them. Lowest first, so
 * that every number is free when it is used.
 */
const renumbering = (tool: string, counted: readonly Counted[]): string =>
  counted
    .flatMap(({ resource, kept }) =>
      kept.map((index, to) =>
        index === to
          ? ''
          : `${tool} state mv ${shellQuoted(`${resource}[${index}]`)} ${shellQuoted(`${resource}[${to}]`)}\n`,
      ),
    )
    .join('')

/** With the keys of its modules, without its own. */
const resourceOf = ({ address, index }: StateObject): string => address.slice(0, -`[${index}]`.length)

function dataSource(leaving: readonly StateObject[]): string {
  const set = leaving.find(({ type }) => type === 'tfe_variable_set')
  if (set === undefined) return ''
  const attributes = (['name', 'organization', 'parent_project_id'] as const).flatMap(name => {
    const { [name]: value } = set.values
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
  })
  const width = Math.max(0, ...attributes.map(([name]) => name.length))
  const lines = attributes.map(([name, value]) => `  ${name.padEnd(width)} = ${hclQuoted(value)}\n`)
  return `data "tfe_variable_set" "${set.name}" {\n${lines.join('')}}\n`
}
