import { readFileSync } from 'node:fs'

/** A table for the terminal, with aligned columns. */
export function tableText({ title, rows }) {
  const cells = [headOf(rows), ...rows.map(cellsOf)].map(line => line.map(plain))
  const widths = cells[0].map((_, column) => Math.max(...cells.map(line => line[column].length)))
  const lines = cells.map(line => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
  return [plain(title), ...lines.map(line => line.trimEnd())].join('\n')
}

/** docs/performance.md: the measured tables, between texts that stay true without a new run. */
export function pageText(machine, tables) {
  const text = name => readFileSync(new URL(`text/${name}.md`, import.meta.url), 'utf8').trimEnd()
  const parts = [text('intro'), `Measured on: ${machine}.`, ...tables.map(tableMarkdown), text('learnt')]
  return `${parts.join('\n\n')}\n`
}

function tableMarkdown({ title, rows }) {
  const line = cells => `| ${cells.join(' | ')} |`
  const head = headOf(rows)
  const lines = [line(head), line(head.map(() => '---')), ...rows.map(row => line(cellsOf(row)))]
  return [`## ${title}`, '', ...lines].join('\n')
}

const headOf = ([first]) => {
  if ('ratio' in first) return ['what', 'ratio', 'target', 'middle half', 'ours', 'floor', 'the floor']
  if ('against' in first) return ['what', 'ratio', 'middle half', 'quickest of each', 'ours', 'theirs']
  if ('minimum' in first) return ['what', 'minimum: reads + writes', 'sent', 'verdict']
  if ('files' in first) return ['command', 'files of the bundle', 'verdict']
  return ['what', 'figure']
}

function cellsOf(row) {
  if ('ratio' in row) return ratioCells(row)
  if ('against' in row) return againstCells(row)
  if ('minimum' in row) return [row.what, sum(row.minimum), sum(row.sent), row.met ? 'equal' : 'different']
  if ('files' in row) return [row.what, row.files.join(', ') || 'none', row.met ? 'as allowed' : 'too many']
  return [row.what, row.value]
}

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

const sum = ({ reads, writes }) => `${reads} + ${writes}`
const rounded = figure => (figure < 10 ? figure.toFixed(1) : figure.toFixed(0))
/** A Markdown text as a terminal shows it. */
export const plain = text => text.replaceAll('`', '')
