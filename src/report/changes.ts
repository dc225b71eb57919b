import { compareText, type SourceRange } from '../model/diagnostic.ts'
import type { ChangedSet, ChangedTargets } from '../plan/changed-sets.ts'
import type { Plan } from '../plan/plan-data.ts'
import { type AssignmentChange, type Change, worst } from './change.ts'
import { settingEntry, variableEntry } from './change-entry.ts'
import { type Phrase, placesPhrase, say } from './phrase.ts'
import type { Context } from './report-context.ts'

/** Entries of one set: settings, then variables by key, then assignments. */
export const changesOf = ({ name, changes }: ChangedSet, context: Context): Change[] =>
  changes.map(change => entryOf(name, change, context))

function entryOf(set: string, change: ChangedSet['changes'][number], context: Context): Change {
  switch (change.kind) {
    case 'setting':
      return settingEntry(change, context)
    case 'variable':
      return variableEntry(set, change, context)
    case 'targets':
      return targetsEntry(change, context)
  }
}

function targetsEntry(
  { sign, targets, ids, steps, source, origin }: ChangedTargets,
  { plan, statusOf }: Context,
): AssignmentChange {
  const some = new Set<string>(ids)
  const beside = steps.flatMap(step => step.assignedAt ?? []).filter(({ id }) => some.has(id))
  return {
    kind: 'assignment',
    sign,
    targets,
    named: namedTargets(ids, plan),
    notes: besideNotes(beside.map(one => one.source)),
    steps,
    status: worst(steps.map(statusOf)),
    source,
    origin,
  }
}

/** The lines that assign, where it is not the list of the set. */
const besideNotes = (lines: readonly SourceRange[]): Phrase[] =>
  lines.length === 0 ? [] : [say`at ${placesPhrase(lines)}`]

const namedTargets = (ids: readonly string[], { names }: Plan): AssignmentChange['named'] =>
  ids.map(id => ({ id, name: names[id] ?? id })).toSorted((a, b) => compareText(a.name, b.name))
