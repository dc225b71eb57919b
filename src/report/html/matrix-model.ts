import { compareText } from '../../model/diagnostic.ts'
import { byKind, kindOfId, TARGET_KINDS, type TargetKind } from '../../model/ids.ts'
import { append, grouped, itemAt } from '../../model/lists.ts'
import type { Reach, SetReach, SetScope } from '../../plan/reach.ts'
import type { SetView } from '../change.ts'

/** `same`: reached before and after with the same values. `changes`: with other values. */
export type CellState = 'same' | 'changes' | 'added' | 'removed'

export interface MatrixCell {
  readonly state: CellState
  /** Reached through its project, not assigned itself. */
  readonly through?: true
}

export interface MatrixColumn {
  readonly kind: 'everywhere' | 'project' | 'stack' | 'workspaces'
  /** One project, one Stack, or workspaces that the same sets reach in the same way. */
  readonly names: readonly string[]
  /** The id of the first. */
  readonly id: string
  /** The id of its project, if known. */
  readonly within?: string
  /** The name of the workspaces' project, if known. */
  readonly project?: string
}

export interface MatrixRow {
  readonly set: string
  /** Only if it changes. */
  readonly view?: SetView
  readonly priority: boolean
  readonly cells: ReadonlyMap<MatrixColumn, MatrixCell>
}

interface Matrix {
  readonly columns: readonly MatrixColumn[]
  readonly rows: readonly MatrixRow[]
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
  const columns: MatrixColumn[] = [
    { kind: 'everywhere', names: [], id: '' },
    ...targetsIn(touches, 'projects', reach).map(one => ({
      ...one,
      kind: 'project' as const,
    })),
    ...targetsIn(touches, 'stacks', reach).map(one => ({ ...one, kind: 'stack' as const })),
    ...workspaces(touches, reach),
  ]
  const rows = sets.map(({ set, before, after }, at): MatrixRow => {
    const cells = columns.flatMap(column => {
      const cell = cellOf(column, touches[at])
      return cell === undefined ? [] : [[column, cell] as const]
    })
    const priority = (after ?? before)?.priority === true
    return { set, view: byName.get(set), priority, cells: new Map(cells) }
  })
  return { columns, rows }
}

/** What one set reaches: every workspace, or some by id. */
interface ReachedTargets {
  readonly everywhere: CellState | undefined
  readonly targets: ReadonlyMap<string, CellState>
}

function cellOf(
  { kind, id, within = '' }: MatrixColumn,
  touched: ReachedTargets | undefined,
): MatrixCell | undefined {
  const own = kind === 'everywhere' ? touched?.everywhere : touched?.targets.get(id)
  if (own !== undefined) return { state: own }
  const state = touched?.targets.get(within)
  return state && { state, through: true }
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

/** Assigned targets of one kind, by name. */
const targetsIn = (touches: readonly ReachedTargets[], kind: TargetKind, { names, projectOf }: Reach) =>
  [...new Set(touches.flatMap(({ targets }) => [...targets.keys()]))]
    .filter(id => kindOfId(id) === kind)
    .map(id => ({ id, names: [names[id] ?? id], within: projectOf[id] }))
    .toSorted(byFirstName)

const byFirstName = ({ names: a }: Pick<MatrixColumn, 'names'>, { names: b }: Pick<MatrixColumn, 'names'>) =>
  compareText(itemAt(a, 0), itemAt(b, 0))

/** Assigned workspaces; those with equal columns share one. */
function workspaces(touches: readonly ReachedTargets[], { names, projectOf }: Reach): MatrixColumn[] {
  const reachedBy = new Map<string, string[]>()
  for (const [at, { targets }] of touches.entries())
    for (const [id, state] of targets)
      if (kindOfId(id) === 'workspaces') append(reachedBy, id, `${at}${state}`)
  const groups = grouped(reachedBy, ([id, marks]) => `${projectOf[id] ?? ''} ${marks.join(' ')}`)
  return [...groups.values()]
    .map((group): MatrixColumn => {
      const [[id]] = group
      const ids = group.map(([id]) => id)
      const within = projectOf[id]
      const project = within && (names[within] ?? within)
      return {
        kind: 'workspaces',
        id,
        names: ids.map(id => names[id] ?? id).toSorted(compareText),
        within,
        project,
      }
    })
    .toSorted(byFirstName)
}

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

export function changesAt({ cells }: MatrixRow, column: MatrixColumn): boolean {
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
      for (const { id, name } of change.named) names[id] = name
      return change.named.map(({ id }) => id)
    })
  return {
    global: flag('global'),
    priority: flag('priority'),
    workspaces: [],
    projects: [],
    ...byKind<Partial<SetScope>>(targets),
  }
}
