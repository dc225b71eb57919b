const span = (letter: string, ...ranges: readonly (readonly [from: number, to: number])[]): string[] =>
  ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${letter}-${String(from + index).padStart(2, '0')}`),
  )

/**
 * The numbers of docs/fault-model.md: faults in groups, invariants, policies, exit codes. Tests have them as tags, so that a
 * test can be renamed and moved.
 */
export const ITEMS: readonly string[] = [
  ...span('F', [1, 9], [10, 18], [20, 26], [30, 37], [40, 43], [50, 50], [60, 71], [80, 82]),
  ...span('I', [1, 28]),
  ...['8.1', '8.2', '8.3', '8.4', '8.5', '8.6'],
  ...[0, 1, 2, 3, 4, 130, 143].map(code => `exit-${code}`),
]
