import { compareText } from '../model/diagnostic.ts'
import { blockAddress } from './state-address.ts'
import type { StateObject } from './state-json.ts'

/** How Terraform lets objects go without destroying them, in two ways. Both texts are empty where there is nothing. */
export interface Leaving {
  /** One `removed` block a resource; such a block takes no instance keys. */
  readonly removed: string
  /** Commands for a POSIX shell, by instance. */
  readonly stateRm: string
  /** Resources of which some instances stay, so that only the commands fit. */
  readonly mixed: readonly string[]
}

export function leavingTerraform(leaving: readonly StateObject[], staying: readonly StateObject[]): Leaving {
  const kept = new Set(staying.filter(object => !object.isData).map(blockAddress))
  const blocks = [...new Set(leaving.map(blockAddress))].sort(compareText)
  const addresses = [...new Set(leaving.map(({ address }) => address))].sort(compareText)
  return {
    removed: blocks
      .filter(block => !kept.has(block))
      .map(removedBlock)
      .join('\n'),
    stateRm: chunks(addresses, MOST_ADDRESSES).map(removal).join(''),
    mixed: blocks.filter(block => kept.has(block)),
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

const removal = (addresses: readonly string[]): string =>
  `terraform state rm \\\n${addresses.map(address => `  ${shellQuoted(address)}`).join(' \\\n')}\n`

/** In single quotes nothing means anything to the shell but the quote itself. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
