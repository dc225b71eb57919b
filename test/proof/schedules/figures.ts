import { counted } from '../family.ts'
import { code, table } from '../page.ts'
import { CASES, LONG_LIST } from './cases.ts'
import { ALL_KINDS, type Kind, OPERATIONS, type OperationName, whyNever } from './faults.ts'
import { CHECKS } from './judge.ts'
import { PROFILES } from './profiles.ts'
import type { Tally } from './unit.ts'

/** The results of all schedules, as the section `schedules` of docs/reference/proof.md. */
export const figuresOf = (sum: Tally): string =>
  [
    `${counted(sum.schedules)} schedules, ${counted(sum.requests)} requests, at least ${sum.fewest} in each schedule.`,
    `Cases (a live and a desired state): ${[...CASES.map(({ name }) => name), LONG_LIST].map(code).join(', ')}.`,
    `Services (each leaves the open points of the interface to another behaviour): ${Object.keys(PROFILES).map(code).join(', ')}.`,
    table(
      ['promise', 'schedules that broke it'],
      Object.entries(CHECKS).map(([check, sentence]) => [
        `*${check}*: ${sentence}`,
        counted(brokenBy(sum, check).length),
      ]),
    ),
    'How often each fault hit each operation. `-before` and `-after`: the service lost or damaged its response before or after it acted. The list below explains *never*.',
    cellsTable(sum),
    neverSentences().join('\n'),
  ].join('\n\n')

export const brokenBy = (sum: Tally, check: string): Tally['broken'] =>
  sum.broken.filter(({ violations }) => violations.some(one => one.startsWith(`${check}:`)))

export const cellsTable = (sum: Tally): string =>
  table(
    ['fault', ...OPERATIONS],
    ALL_KINDS.map(kind => [code(kind), ...OPERATIONS.map(operation => cellOf(sum, operation, kind))]),
  )

/** Every fault and operation that it can hit, with the number of hits. */
export const cellsOf = ({ cells }: Tally): readonly { readonly cell: string; readonly hits: number }[] =>
  ALL_KINDS.flatMap(kind =>
    OPERATIONS.filter(operation => whyNever(operation, kind) === undefined).map(operation => ({
      cell: `${kind} at ${operation}`,
      hits: cells[`${operation}/${kind}`] ?? 0,
    })),
  )

const cellOf = ({ cells }: Tally, operation: OperationName, kind: Kind): string =>
  whyNever(operation, kind) === undefined ? counted(cells[`${operation}/${kind}`] ?? 0) : 'never'

function neverSentences(): string[] {
  return ALL_KINDS.flatMap(kind => {
    const reasons = new Map<string, string[]>()
    for (const operation of OPERATIONS) {
      const reason = whyNever(operation, kind)
      if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), operation])
    }
    return [...reasons].map(
      ([reason, operations]) => `- ${code(kind)} never hits ${operations.join(', ')}: ${reason}.`,
    )
  })
}
