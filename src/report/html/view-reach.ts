import { byKind, TARGETS, type TargetKind } from '../../model/ids.ts'
import type { Reach, SetReach, SetScope } from '../../plan/reach.ts'
import type { SetView } from '../sets.ts'

/** Where nothing is known but a plan: what it assigns and unassigns. What a set reaches unchanged is not in it. */
export function reachOfViews(views: readonly SetView[]): Reach {
  const names: Record<string, string> = {}
  const sets = views.map((view): SetReach => {
    const before = view.sign === '+' ? {} : { before: scopeOf(view, '-', names) }
    const after = view.sign === '-' ? {} : { after: scopeOf(view, '+', names) }
    return { set: view.name, ...before, ...after }
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
