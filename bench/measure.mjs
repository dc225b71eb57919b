import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** Runs a program to its end; throws where it fails, for a failed run is no measurement. */
export function finish(command, args, options = {}) {
  const run = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options })
  if (run.error) throw run.error
  if (run.status !== 0)
    throw new Error(`${args.join(' ')} ended with ${run.status}:\n${run.stdout}${run.stderr}`)
  return run
}

export const node = (args, options) => finish(process.execPath, args, options)

/** Milliseconds that a fresh process takes from start to end. */
export function wholeProcess(args, options) {
  const start = performance.now()
  node(args, options)
  return performance.now() - start
}

/** What a fresh process measured itself and printed as JSON: its imports are not in it. */
export const insideProcess = args => JSON.parse(node(args).stdout)

/**
 * Both sides in turn, A B A B, so that a busy machine slows both. The ratio is the median of the pairs' ratios, and its
 * range is where the middle half of them lies.
 */
export function compare(pairs, ours, floor) {
  const measured = Array.from({ length: pairs }, () => ({ ours: ours(), floor: floor() }))
  const ratios = measured.map(pair => pair.ours / pair.floor)
  return {
    pairs,
    ours: median(measured.map(pair => pair.ours)),
    floor: median(measured.map(pair => pair.floor)),
    ratio: median(ratios),
    range: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  }
}

export const median = numbers => quantile(numbers, 0.5)

function quantile(numbers, part) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const low = Math.floor(at)
  return sorted[low] + ((sorted[Math.ceil(at)] ?? 0) - sorted[low]) * (at - low)
}
