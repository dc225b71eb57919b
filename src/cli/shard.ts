/** One of `of` equal parts of the work; `index` counts from 1. */
export interface Shard {
  readonly index: number
  readonly of: number
}

/** `2/4`. Throws where it is no such thing; the message completes a usage error. */
export function readShard(text: string): Shard {
  const [, first = '', second = ''] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { index: Number(first), of: Number(second) }
  if (shard.index >= 1 && shard.index <= shard.of) return shard
  throw new RangeError('expected I/N, such as 2/4, with I from 1 to N')
}

/** Whether a run is about several configurations: `--config` is a pattern, or the work is divided. */
export const isSeveral = (config: string | undefined, shard: Shard | undefined): boolean =>
  shard !== undefined || (config !== undefined && /[*?[{(]/.test(config))
