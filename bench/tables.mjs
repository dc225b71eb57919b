/** A table for the terminal, with aligned columns. */
export function tableText({ title, rows }) {
  const cells = [headOf(rows), ...rows.map(cellsOf)].map(line => line.map(plain))
  const widths = cells[0].map((_, column) => Math.max(...cells.map(line => line[column].length)))
  const lines = cells.map(line => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
  return [plain(title), ...lines.map(line => line.trimEnd())].join('\n')
}

export function tableMarkdown({ rows }) {
  const line = cells => `| ${cells.join(' | ')} |`
  const head = headOf(rows)
  return [line(head), line(head.map(() => '---')), ...rows.map(row => line(cellsOf(row)))].join('\n')
}

const headOf = ([first]) =>
  'against' in first
    ? ['what', 'ratio', 'middle half', 'quickest of each', 'ours', 'theirs']
    : ['what', 'ratio', 'target', 'middle half', 'ours', 'floor', 'the floor']

const cellsOf = row => ('against' in row ? againstCells(row) : ratioCells(row))

function ratioCells({ what, ratio, range, ours, floor, floorIs, unit, target, met }) {
  const judged = target === undefined ? 'none' : `≤ ${Number(target.toFixed(2))}, ${met ? 'met' : 'missed'}`
  const [left, right] = [ours, floor].map(figure => `${rounded(figure)} ${unit}`)
  return [what, ratio.toFixed(2), judged, middleText(range), left, right, floorIs]
}

function againstCells({ what, against, range, quickest, ours, theirs }) {
  const [left, right] = [ours, theirs].map(figure => `${rounded(figure)} ms`)
  return [what, against.toFixed(2), middleText(range), quickest.toFixed(2), left, right]
}

const middleText = range => range.map(end => end.toFixed(2)).join(' to ')
const rounded = figure => (figure < 10 ? figure.toFixed(1) : figure.toFixed(0))
/** A Markdown text as a terminal shows it. */
export const plain = text => text.replaceAll('`', '')
