import type { Column, Matrix, Row } from './matrix-model.ts'

/** What a page holds of it at the most: more cannot be read, and a browser would be slow. */
const MOST_ROWS = 200
const MOST_COLUMNS = 50

/** What is left of a matrix, and how much is not; what changes is kept before what does not. */
export interface CutMatrix extends Matrix {
  readonly rowsLeft: number
  readonly columnsLeft: number
}

/** Without columns and rows that are empty, and within the bounds. */
export function cutMatrix({ columns, rows }: Matrix): CutMatrix {
  const wanted = rows.filter(row => row.cells.size > 0)
  const shownRows = firstOf(wanted, row => row.view !== undefined, MOST_ROWS)
  const kept = new Set(shownRows)
  const used = columns.filter(column => shownRows.some(row => row.cells.has(column)))
  const touched = new Set(used.filter(column => shownRows.some(row => changesAt(row, column))))
  const shownColumns = firstOf(used, column => touched.has(column), MOST_COLUMNS)
  const all = columns.filter(column => wanted.some(row => row.cells.has(column)))
  return {
    columns: shownColumns,
    rows: shownRows,
    rowsLeft: wanted.filter(row => !kept.has(row)).length,
    columnsLeft: all.length - shownColumns.length,
  }
}

export function changesAt({ cells }: Row, column: Column): boolean {
  const cell = cells.get(column)
  return cell !== undefined && cell.state !== 'same'
}

/** In their own order; where they are too many, the first of those that matter before the first of the others. */
function firstOf<T>(all: readonly T[], matters: (one: T) => boolean, most: number): readonly T[] {
  if (all.length <= most) return all
  const kept = new Set([...all.filter(matters), ...all.filter(one => !matters(one))].slice(0, most))
  return all.filter(one => kept.has(one))
}
