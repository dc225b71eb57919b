import { readFileSync } from 'node:fs'

/** A table for the terminal: columns in line. */
export function tableText({ title, rows }) {
  const cells = [headOf(rows), ...rows.map(cellsOf)].map(line => line.map(plain))
  const widths = cells[0].map((_, column) => Math.max(...cells.map(line => line[column].length)))
  const lines = cells.map(line =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  return [plain(title), ...lines].join('\n')
}

/** docs/performance.md: what was measured, and what was learnt and stays true without a new run. */
export function pageText(machine, tables) {
  const text = name => readFileSync(new URL(`text/${name}.md`, import.meta.url), 'utf8').trimEnd()
  return `${[text('intro'), `Measured on: ${machine}.`, ...tables.map(tableMarkdown), text('outro')].join('\n\n')}\n`
}

function tableMarkdown({ title, rows }) {
  const line = cells => `| ${cells.join(' | ')} |`
  const head = headOf(rows)
  return [
    `## ${title}`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(row => line(cellsOf(row))),
  ].join('\n')
}

const headOf = ([first]) => {
  if ('ratio' in first) return ['what', 'ratio', 'target', 'middle half', 'ours', 'floor', 'floor is']
  if ('minimum' in first) return ['what', 'minimum: reads + writes', 'sent', '']
  return ['what', 'figure']
}

function cellsOf(row) {
  if ('ratio' in row) {
    const { what, ratio, range, ours, floor, floorIs, unit, target, met } = row
    return [
      what,
      ratio.toFixed(2),
      target === undefined ? 'none' : `≤ ${target} ${met ? 'met' : 'missed'}`,
      `${range[0].toFixed(2)} to ${range[1].toFixed(2)}`,
      `${rounded(ours)} ${unit}`,
      `${rounded(floor)} ${unit}`,
      floorIs,
    ]
  }
  if ('minimum' in row) return [row.what, sum(row.minimum), sum(row.sent), row.met ? 'equal' : 'different']
  return [row.what, row.value]
}

const sum = ({ reads, writes }) => `${reads} + ${writes}`
const rounded = number => (number < 10 ? number.toFixed(1) : number.toFixed(0))
const plain = text => text.replaceAll('`', '')
