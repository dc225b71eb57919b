import { compareText } from '../../model/diagnostic.ts'
import { byKind, TARGET_KINDS, TARGETS, type TargetKind } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Reach, SetReach, SetScope } from '../../plan/reach.ts'
import type { SetView } from '../change.ts'

/** `same`: reached before and after with the same values. `changes`: with other values. */
export type CellState = 'same' | 'changes' | 'added' | 'removed'

export interface Cell {
  readonly state: CellState
  /** Reached through its project, not assigned itself. */
  readonly through?: true
}

export interface Column {
  readonly kind: 'everywhere' | 'project' | 'stack' | 'workspaces'
  /** One project, one Stack, or workspaces that the same sets reach in the same way. */
  readonly names: readonly string[]
  /** The project of the workspaces, if known. */
  readonly project?: string
}

export interface Row {
  readonly set: string
  /** Only if it changes. */
  readonly view?: SetView
  readonly priority: boolean
  readonly cells: ReadonlyMap<Column, Cell>
}

interface Matrix {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** Rows: sets that change, in the order of the report, then the others. Columns: projects, Stacks, groups of workspaces. */
export function matrixOf(reach: Reach, views: readonly SetView[]): Matrix {
  const byName = new Map(views.map(view => [view.name, view]))
  const order = new Map(views.map((view, at) => [view.name, at]))
  const sets = reach.sets.toSorted(
    (a, b) =>
      (order.get(a.set) ?? views.length) - (order.get(b.set) ?? views.length) || compareText(a.set, b.set),
  )
  const touches = sets.map(one => reachedTargetsOf(one, byName.get(one.set)))
  const columns = [
    everywhere(touches),
    ...projects(touches, reach),
    ...stacks(touches, reach),
    ...workspaces(touches, reach),
  ]
  return {
    columns: columns.map(({ column }) => column),
    rows: sets.map((one, at) => {
      const view = byName.get(one.set)
      const cells = columns.flatMap(({ column, cellOf }) => {
        const cell = cellOf(at)
        return cell === undefined ? [] : [[column, cell] as const]
      })
      return {
        set: one.set,
        view,
        priority: (one.after ?? one.before)?.priority === true,
        cells: new Map(cells),
      }
    }),
  }
}

/** What one set reaches: every workspace, or some by id. */
interface ReachedTargets {
  readonly everywhere: CellState | undefined
  readonly targets: ReadonlyMap<string, CellState>
}

interface ColumnSource {
  readonly column: Column
  readonly cellOf: (set: number) => Cell | undefined
}

function reachedTargetsOf({ before, after }: SetReach, view: SetView | undefined): ReachedTargets {
  const steady = view?.changes.some(change => change.kind !== 'assignment') === true ? 'changes' : 'same'
  const state = (was: boolean, is: boolean): CellState => (!was ? 'added' : is ? steady : 'removed')
  const old = idsOf(before)
  const now = idsOf(after)
  const targets = new Map<string, CellState>()
  for (const id of [...old, ...now]) targets.set(id, state(old.has(id), now.has(id)))
  const was = before?.global === true
  const is = after?.global === true
  return { everywhere: was || is ? state(was, is) : undefined, targets }
}

const idsOf = (scope: SetScope | undefined): ReadonlySet<string> =>
  new Set(TARGET_KINDS.flatMap(kind => scope?.[kind] ?? []))

const everywhere = (touches: readonly ReachedTargets[]): ColumnSource => ({
  column: { kind: 'everywhere', names: [] },
  cellOf: at => cell(touches[at]?.everywhere),
})

const cell = (state: CellState | undefined): Cell | undefined => (state === undefined ? undefined : { state })

const projects = (touches: readonly ReachedTargets[], reach: Reach): ColumnSource[] =>
  targetsIn(touches, 'projects', reach).map(({ id, name }) => ({
    column: { kind: 'project', names: [name] },
    cellOf: at => cell(touches[at]?.targets.get(id)),
  }))

const stacks = (touches: readonly ReachedTargets[], reach: Reach): ColumnSource[] =>
  targetsIn(touches, 'stacks', reach).map(({ id, name }) => ({
    column: { kind: 'stack', names: [name] },
    cellOf: at => cell(touches[at]?.targets.get(id)) ?? through(touches[at], reach.projectOf[id]),
  }))

/** Assigned targets of one kind, by name. */
const targetsIn = (touches: readonly ReachedTargets[], kind: TargetKind, { names }: Reach) =>
  idsIn(touches)
    .filter(id => prefixed(id, kind))
    .map(id => ({ id, name: names[id] ?? id }))
    .toSorted((a, b) => compareText(a.name, b.name))

/** By the prefix: without a reach, the rest of the id is a name. */
const prefixed = (id: string, kind: TargetKind): boolean => id.startsWith(`${TARGETS[kind].prefix}-`)

/** Assigned workspaces; those with equal columns share one. */
function workspaces(touches: readonly ReachedTargets[], { names, projectOf }: Reach): ColumnSource[] {
  const reachedBy = new Map<string, string[]>()
  for (const [at, { targets }] of touches.entries())
    for (const [id, state] of targets) if (prefixed(id, 'workspaces')) append(reachedBy, id, `${at}${state}`)
  const groups = new Map<string, string[]>()
  for (const [id, marks] of reachedBy) append(groups, `${projectOf[id] ?? ''} ${marks.join(' ')}`, id)
  return [...groups.values()]
    .map(ids => ({ ids, names: ids.map(id => names[id] ?? id).toSorted(compareText) }))
    .toSorted((a, b) => compareText(a.names[0] ?? '', b.names[0] ?? ''))
    .map(({ ids: [id = ''], names: group }) => {
      const project = projectOf[id]
      return {
        column: { kind: 'workspaces', names: group, project: project && (names[project] ?? project) },
        cellOf: at => cell(touches[at]?.targets.get(id)) ?? through(touches[at], project),
      }
    })
}

function through(touches: ReachedTargets | undefined, project: string | undefined): Cell | undefined {
  const state = project === undefined ? undefined : touches?.targets.get(project)
  return state === undefined ? undefined : { state, through: true }
}

const idsIn = (touches: readonly ReachedTargets[]): string[] => [
  ...new Set(touches.flatMap(({ targets }) => [...targets.keys()])),
]

/** Limits of the page: more is unreadable and slow. */
const MOST_ROWS = 200
const MOST_COLUMNS = 50

/** A part of a matrix, what changes first, and how much is left out. */
export interface CutMatrix extends Matrix {
  readonly rowsLeft: number
  readonly columnsLeft: number
}

/** Without empty columns and rows, and within the limits. */
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

/** In their order; if there are too many, those that matter are kept first. */
function firstOf<T>(all: readonly T[], matters: (one: T) => boolean, most: number): readonly T[] {
  if (all.length <= most) return all
  const kept = new Set([...all.filter(matters), ...all.filter(one => !matters(one))].slice(0, most))
  return all.filter(one => kept.has(one))
}

/** The reach that a plan alone shows: what it assigns and unassigns, not what stays. */
export function reachOfViews(views: readonly SetView[]): Reach {
  const names: Record<string, string> = {}
  const sets = views.map((view): SetReach => {
    const before = view.sign === '+' ? undefined : scopeOf(view, '-', names)
    const after = view.sign === '-' ? undefined : scopeOf(view, '+', names)
    return { set: view.name, before, after }
  })
  return { sets, names, projectOf: {} }
}

function scopeOf(view: SetView, sign: '+' | '-', names: Record<string, string>): SetScope {
  const flag = (setting: 'global' | 'priority'): boolean =>
    view.changes.some(change => {
      if (change.kind !== 'setting' || change.setting !== setting) return false
      const side = sign === '+' ? change.after : change.before
      return side.kind === 'text' && side.text === 'true'
    })
  const targets = (kind: TargetKind): string[] =>
    view.changes.flatMap(change => {
      if (change.kind !== 'assignment' || change.targets !== kind || change.sign !== sign) return []
      const ids = change.names.map(text => `${TARGETS[kind].prefix}-${text}`)
      for (const [at, id] of ids.entries()) names[id] = change.names[at] ?? ''
      return ids
    })
  return {
    global: flag('global'),
    priority: flag('priority'),
    workspaces: [],
    projects: [],
    ...byKind<Partial<SetScope>>(targets),
  }
}
