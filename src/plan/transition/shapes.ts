import type { Cell } from './cells.ts'
import { badIn, MOST_STEPS, patternOf, stepsOf, type Table, winnerIn } from './cuts.ts'

/** Tables in which the same steps show another value after the same subsets. */
export interface Shape {
  readonly steps: readonly number[]
  /** 1 if the value is neither the first nor the last one. Shapes with equal tables share them. */
  readonly isBad: Uint8Array
  readonly tables: readonly Table[]
}

/** The cells of up to `MOST_STEPS` steps that may show another value. */
export function shapesOf(cells: readonly Cell[]): Shape[] {
  const shapes = new Map<string, Shape & { readonly tables: Table[] }>()
  const badBy = interned()
  for (const cell of cells) {
    if (stepsOf(cell) > MOST_STEPS) continue
    const bad = badBy(cell)
    if (bad === undefined) continue
    const steps = cell.givings.flatMap(giving => giving.steps)
    const table = { cell, steps, winner: winnerIn(cell) }
    const identity = `${steps.join()} ${bad.number}`
    const known = shapes.get(identity)
    if (known === undefined) shapes.set(identity, { steps, isBad: bad.isBad, tables: [table] })
    else known.tables.push(table)
  }
  return [...shapes.values()]
}

interface NumberedCuts {
  readonly number: number
  readonly isBad: Uint8Array
}

/** What a cell shows, computed once for each pattern. Equal patterns have the same number. */
function interned(): (cell: Cell) => NumberedCuts | undefined {
  const patterns = new Map<string, NumberedCuts | undefined>()
  const all = new Map<string, NumberedCuts>()
  const text = new TextDecoder('latin1')
  return cell => {
    const pattern = patternOf(cell)
    if (patterns.has(pattern)) return patterns.get(pattern)
    const isBad = badIn(cell)
    const identity = text.decode(isBad)
    const found = isBad && (all.get(identity) ?? { number: all.size, isBad })
    if (found !== undefined) all.set(identity, found)
    patterns.set(pattern, found)
    return found
  }
}
