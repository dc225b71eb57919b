import { dirname, join } from 'node:path'
import type { Limits } from '../../config/loader-limits.ts'
import type { FileKind } from '../../report/formats.ts'

/** What a caller asks of a command. An option means the same in every command; each reads only those that it has. */
export interface RunOptions {
  /** The configuration file. Default: `setpoint.yaml`. */
  readonly config?: string
  readonly limits: Partial<Limits>
  readonly rules: readonly string[]
  readonly sandbox: boolean
  readonly address?: string
  readonly tokens?: string
  readonly concurrency: number
  readonly rate?: number
  readonly secrets?: string
  readonly only: readonly string[]
  readonly adopt: readonly string[]
  readonly rewrite: readonly string[]
  readonly base?: string
  readonly onlyThisChange: boolean
  readonly snapshot?: string
  readonly detailedExitcode: boolean
  readonly out?: string
  readonly approve?: string
  readonly autoApprove: boolean
  readonly expectNoDrift: boolean
  readonly failFast: boolean
  readonly verify: boolean
  readonly from: string
  readonly key?: string
  /** Format of the output. */
  readonly format: string
  readonly verbose?: boolean
  readonly markdownLimit?: number
  /** Further reports, each in a file. */
  readonly reports: readonly { readonly format: FileKind; readonly path: string }[]
  /** The part of the configurations that this run covers, as `2/4`; `index` counts from 1. */
  readonly shard?: Shard
}

/** One of `of` equal parts of the work; `index` counts from 1. */
export interface Shard {
  readonly index: number
  readonly of: number
}

export const LIMITS = {
  'file-bytes': 'fileBytes',
  files: 'files',
  expanded: 'expanded',
} as const satisfies Record<string, keyof Limits>

/** Whether a run covers several configurations: `--config` is a pattern, or the work is divided. */
export const isSeveral = (config: string | undefined, shard: Shard | undefined): boolean =>
  shard !== undefined || (config !== undefined && /[*?[{(]/.test(config))

/** A file that Git does not track, beside the configuration. */
export const stateFile = ({ config = '' }: Pick<RunOptions, 'config'>, name: string): string =>
  join(dirname(config), '.setpoint', name)
