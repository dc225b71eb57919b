import type { ValueLine } from '../plan/effective/explanation.ts'
import { type Line, padded, span, spansOf, widthOf } from './layout.ts'
import { message, name, type Phrase, place } from './phrase.ts'

const PARTS = {
  value: '',
  base: ' (in the base)',
  from: ' (takes the base)',
  file: ' (the file)',
} as const satisfies Record<ValueLine['part'], string>

/** One line for each file line behind a value, or one that says that there is none. Empty without `--blame`. */
export function blameRows(lines: readonly ValueLine[] | undefined): Line[] {
  if (lines === undefined) return []
  if (lines.length === 0) return [[span('not from these files', 'dim')]]
  const places = lines.map(({ part, path, line }) =>
    spansOf([line === undefined ? name(path) : place({ path, line, column: 1 }), PARTS[part]], 'dim'),
  )
  const width = Math.max(...places.map(widthOf))
  return lines.map((line, at) => [
    ...padded(places[at] ?? [], width),
    span('  '),
    ...spansOf(changeOf(line), 'dim'),
  ])
}

function changeOf({ state, commit = '', author = '', date }: ValueLine): Phrase {
  if (state === 'uncommitted') return ['not committed yet']
  if (state === 'cut') return ['unknown: this clone does not have the commit']
  return [`${commit.slice(0, SHORT)}  ${date?.slice(0, DAY) ?? 'no date'}  `, message(author)]
}

const SHORT = 12
const DAY = '2026-11-20'.length
