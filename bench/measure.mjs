import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

export const here = path => fileURLToPath(new URL(path, import.meta.url))
/** The program that the package in a directory installs. */
export const binOf = directory =>
  join(directory, JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).bin.setpoint)
export const BIN = binOf(here('..'))
export const EMPTY = here('cold/empty.mjs')

/** Runs a program to its end. Throws if it fails, because a failed run is no measurement. */
export function finish(command, args, options = {}) {
  const run = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options })
  if (run.error) throw run.error
  if (run.status !== 0)
    throw new Error(`${args.join(' ')} ended with ${run.status}:\n${run.stdout}${run.stderr}`)
  return run
}

export const node = (args, options) => finish(process.execPath, args, options)

/** Milliseconds from start to end of a new process. */
export function wholeProcess(args, env = process.env) {
  const start = performance.now()
  node(args, { env })
  return performance.now() - start
}

/** Milliseconds of processor time in all threads of the program, from start to end. */
export function processorTime(args, env = process.env) {
  const { stderr } = node(['--require', here('cold/processor.cjs'), ...args], { env })
  return Number(stderr.trimEnd().split('\n').at(-1)) / 1_000
}

/** Alternates both sides, A B A B, so that a busy machine slows both. */
export const pairsOf = (count, ours, floor) =>
  Array.from({ length: count }, () => ({ ours: ours(), floor: floor() }))

/**
 * One line of a table. The ratio is the median over the pairs; `range` has the middle half. Without a target, the ratio is
 * shown and not judged.
 */
export function ratioRow(what, pairs, { target, floorIs, unit = 'ms' }) {
  const ours = pairs.map(pair => pair.ours)
  const ratios = pairs.map((pair, i) => ours[i] / pair.floor)
  const ratio = quantile(ratios, 0.5)
  return {
    what,
    ratio,
    range: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    ours: quantile(ours, 0.5),
    floor: quantile(
      pairs.map(pair => pair.floor),
      0.5,
    ),
    floorIs,
    unit,
    target,
    met: target === undefined ? undefined : ratio <= target,
  }
}

export function quantile(numbers, part) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const low = Math.floor(at)
  return sorted[low] + ((sorted[Math.ceil(at)] ?? 0) - sorted[low]) * (at - low)
}
