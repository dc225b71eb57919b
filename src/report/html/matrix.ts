import type { Reach } from '../../plan/reach.ts'
import type { SetView } from '../change.ts'
import { counted, figure, joined, name, present } from '../phrase.ts'
import { kindsOfSet } from './kinds.ts'
import { html, type Markup, phraseMarkup } from './markup.ts'
import {
  type CellState,
  type CutMatrix,
  changesAt,
  cutMatrix,
  type MatrixCell,
  type MatrixColumn,
  type MatrixRow,
  matrixOf,
} from './matrix-model.ts'
import { setId } from './set-section.ts'

/** The table of sets and what they reach. `shown`: the sets that have an article on the page. */
export function matrixSection(
  reach: Reach,
  views: readonly SetView[],
  { shown, note }: { readonly shown: readonly SetView[]; readonly note: string },
): Markup | undefined {
  const matrix = cutMatrix(matrixOf(reach, views))
  if (matrix.rows.length === 0) return undefined
  const articles = new Map(shown.map((set, at) => [set.name, setId(at)]))
  return html`${legend()}
${note !== '' && html`<p class="quiet">${note}</p>\n`}<p class="choice" hidden><label class="pill"><input type="checkbox" id="touched"> only what changes</label></p>
<div class="scroll" role="region" aria-labelledby="reach" tabindex="0">
<table class="matrix">
<caption class="ear">Rows are sets, columns are projects and workspaces. A cell says how the set reaches it.</caption>
<thead>
<tr><th scope="col" class="corner">set</th>${matrix.columns.map(columnHead)}</tr>
</thead>
<tbody>
${matrix.rows.map(row => rowMarkup(row, matrix, articles))}</tbody>
</table>
</div>
${cutNotes(matrix)}${groupNames(matrix.columns)}`
}

const MARK = {
  added: { mark: '+', words: 'newly reached' },
  removed: { mark: '−', words: 'no longer reached' },
  changes: { mark: '~', words: 'reached, values change' },
  same: { mark: '•', words: 'reached as before' },
} as const satisfies Record<CellState, { readonly mark: string; readonly words: string }>

function legend(): Markup {
  const items = (['added', 'removed', 'changes', 'same'] as const).map(
    state =>
      html`<li><span class="cell ${state}" aria-hidden="true">${MARK[state].mark}</span> ${MARK[state].words}</li>`,
  )
  return html`<ul class="legend">${items}<li><span class="cell same through" aria-hidden="true">(•)</span> in brackets: through its project</li></ul>`
}

/** The style cuts long names; the list below and a screen reader have them whole. */
function columnHead(column: MatrixColumn): Markup {
  const [first = ''] = column.names
  const label = phraseMarkup([name(first)])
  const more =
    column.names.length > 1 && html` <span class="count">+${figure(column.names.length - 1)}</span>`
  const head = (tag: string, of: Markup) =>
    html`<th scope="col"><div><span class="tag">${tag}</span> ${of}</div></th>`
  switch (column.kind) {
    case 'everywhere':
      return head('global', html`every workspace`)
    case 'project':
      return head('project', label)
    case 'stack':
      return head('Stack', label)
    case 'workspaces':
      return html`<th scope="col"><div>${label}${more}</div></th>`
  }
}

function rowMarkup(row: MatrixRow, { columns }: CutMatrix, articles: ReadonlyMap<string, string>): Markup {
  const id = articles.get(row.set)
  const label = html`<code>${row.set}</code>`
  const head = row.view === undefined || id === undefined ? label : html`<a href="#${id}">${label}</a>`
  const priority = row.priority && html` <span class="tag">priority</span>`
  const kinds = row.view === undefined ? 'same' : kindsOfSet(row.view).join(' ')
  const cells = columns.map(column => cellMarkup(row.cells.get(column)))
  return html`<tr data-kinds="${kinds}"${columns.some(column => changesAt(row, column)) && html` data-moves="yes"`}><th scope="row">${head}${priority}</th>${cells}</tr>
`
}

function cellMarkup(cell: MatrixCell | undefined): Markup {
  if (cell === undefined) return html`<td></td>`
  const { mark, words } = MARK[cell.state]
  const through = cell.through === true
  return html`<td class="cell ${cell.state}${through && ' through'}"><span aria-hidden="true">${through ? `(${mark})` : mark}</span><span class="ear">${words}${through && ', through its project'}</span></td>`
}

function cutNotes({ rowsLeft, columnsLeft }: CutMatrix): Markup | false {
  const cut = present(
    rowsLeft > 0 && counted(rowsLeft, 'more set'),
    columnsLeft > 0 && `${counted(columnsLeft, 'more project')} or groups of workspaces`,
  )
  return cut.length > 0 && html`<p class="cut">Left out of this table: ${cut.join(' and ')}.</p>`
}

const MOST_NAMES = 300

/** The names behind a column of several workspaces. */
function groupNames(columns: readonly MatrixColumn[]): Markup | undefined {
  const groups = columns.filter(({ kind, names }) => kind === 'workspaces' && names.length > 1)
  if (groups.length === 0) return undefined
  const items = groups.map(({ names, project }) => {
    const shown = phraseMarkup(joined(names.slice(0, MOST_NAMES).map(name), ', '))
    const more = names.length > MOST_NAMES && html` and ${figure(names.length - MOST_NAMES)} more`
    const where = project !== undefined && html` in project ${phraseMarkup([name(project)])}`
    return html`<li>${counted(names.length, 'workspace')}${where}: ${shown}${more}</li>\n`
  })
  return html`<details class="groups"><summary>${counted(groups.length, 'column')} of several workspaces that the same sets reach</summary><ul>
${items}</ul></details>
`
}
