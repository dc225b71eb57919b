import type { Conclusion, Promised } from './family.ts'
import type { Findings, families } from './run.ts'

type Families = Awaited<ReturnType<typeof families>>

/** What all families conclude from their results. */
export interface Verdict {
  readonly conclusions: Readonly<Record<string, Conclusion>>
  readonly promises: readonly (Promised & { readonly family: string })[]
}

export function verdictOn(all: Families, { part, done, crashed }: Findings): Verdict {
  const taken = all.filter(({ name }) => (done[name] ?? []).length > 0)
  const conclusions = Object.fromEntries(
    taken.map(family => [family.name, family.conclude(done[family.name] ?? [], part.size, part.of === 1)]),
  )
  return {
    conclusions,
    promises: [
      ...Object.entries(conclusions).flatMap(([family, { promises }]) =>
        promises.map(one => ({ ...one, family })),
      ),
      { family: 'all', promise: 'every task ends without an error', broken: crashed },
    ],
  }
}

const MOST_SHOWN = 5

/** Each broken promise with some of what broke it. */
export const brokenText = ({ promises }: Verdict): string =>
  promises
    .filter(({ broken }) => broken.length > 0)
    .map(({ family, promise, broken }) => {
      const more = broken.length > MOST_SHOWN ? [`and ${broken.length - MOST_SHOWN} more`] : []
      return [`BROKEN ${family}: ${promise}`, ...broken.slice(0, MOST_SHOWN), ...more]
        .map((line, index) => (index === 0 ? line : `  ${line.replaceAll('\n', '\n  ')}`))
        .join('\n')
    })
    .map(text => `${text}\n`)
    .join('')

/** Figures in columns: the family, what was counted, how many. */
export function figuresText({ conclusions }: Verdict): string {
  const rows = Object.entries(conclusions).flatMap(([family, { figures }]) =>
    figures.map(
      ([what, count], index) => [index === 0 ? family : '', what, count.toLocaleString('en-US')] as const,
    ),
  )
  const width = (column: 0 | 1 | 2): number => Math.max(...rows.map(row => row[column].length))
  const [first, second, third] = [width(0), width(1), width(2)]
  return rows
    .map(
      ([family, what, count]) =>
        `${family.padEnd(first)}  ${what.padEnd(second)}  ${count.padStart(third)}\n`,
    )
    .join('')
}

/** The last line, with the numbers of kept and broken promises. */
export function endText({ promises }: Verdict): string {
  const broken = promises.filter(one => one.broken.length > 0).length
  return `${promises.length - broken} promises kept, ${broken} broken\n`
}
