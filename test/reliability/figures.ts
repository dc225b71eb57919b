import { CASES, LONG_LIST } from './cases.ts'
import { ALL_KINDS, type Kind, OPERATIONS, type OperationName, whyNever } from './faults.ts'
import { CHECKS } from './judge.ts'
import type { Tally, Unit } from './unit.ts'

/** What a sweep came to, as the section `schedules` of docs/reliability.md: nothing in it depends on time or threads. */
export function figuresOf(sum: Tally, units: readonly Unit[]): string {
  const profiles = new Set(units.map(({ profile }) => profile))
  const names = [...CASES.map(({ name }) => name), LONG_LIST].filter(name =>
    units.some(unit => unit.case === name),
  )
  return [
    `${counted(sum.schedules)} schedules, ${counted(sum.requests)} requests, no schedule with fewer than ${sum.fewest}.`,
    `The cases, each a pair of live and wished state: ${names.map(code).join(', ')}.`,
    `The services, each another set of answers to what the interface leaves open: ${[...profiles].map(code).join(', ')}.`,
    table(
      ['promise', 'schedules that broke it'],
      Object.entries(CHECKS).map(([check, sentence]) => [`*${check}*: ${sentence}`, broken(sum, check)]),
    ),
    'How often each fault met each operation. `-before` and `-after` say whether the service had acted when its answer was lost or spoilt; *never* is explained below.',
    table(
      ['fault', ...OPERATIONS],
      ALL_KINDS.map(kind => [code(kind), ...OPERATIONS.map(operation => cellOf(sum, operation, kind))]),
    ),
    neverSentences().join('\n'),
  ].join('\n\n')
}

/** Cells that can exist and were met too seldom. */
export function rareCells({ cells }: Tally, least: number): string[] {
  return ALL_KINDS.flatMap(kind =>
    OPERATIONS.flatMap(operation => {
      const hits = cells[`${operation}/${kind}`] ?? 0
      return whyNever(operation, kind) === undefined && hits < least
        ? [`${kind} at ${operation}: ${hits}`]
        : []
    }),
  )
}

const counted = (number: number): string => number.toLocaleString('en-US')
const code = (text: string): string => `\`${text}\``

const broken = (sum: Tally, check: string): string =>
  counted(sum.broken.filter(({ violations }) => violations.some(one => one.startsWith(`${check}:`))).length)

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
      ([reason, operations]) => `- ${code(kind)} never meets ${operations.join(', ')}: ${reason}.`,
    )
  })
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '-'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
