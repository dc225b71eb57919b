import { posix } from 'node:path'
import type { SetFile, WrittenBase, WrittenSet } from '../config/set-file.ts'
import type { PathChange } from '../git/commits.ts'
import type { VariableKey } from '../model/ids.ts'
import type { ValueLine } from '../plan/effective/explanation.ts'

/** A line or a file in its current version. */
export type AskedLine = Pick<ValueLine, 'part' | 'path' | 'line'>

/** What gives a value: a line of a set or a base, or the whole file that a line names. */
export type Standing = LineStanding | FileStanding

interface LineStanding {
  readonly kind: 'line'
  readonly now: AskedLine
  /** Absent for the line that includes the base. */
  readonly key?: VariableKey
  readonly value: string
  /** The path of the text, relative to the set file. */
  readonly file?: string
  /** Its line in the version that was reached. */
  readonly path: string
  readonly holder: Holder
  readonly version: SetFile
}

interface FileStanding {
  readonly kind: 'file'
  readonly now: AskedLine
  readonly path: string
  /** The id of its content. */
  readonly object: string
}

export type Holder = WrittenSet | WrittenBase

/** The version of a set file by its id; `undefined` if it cannot be read. */
export type VersionOf = (object: string) => SetFile | undefined

/** Changed paths between two commits. */
export type Changes = ReadonlyMap<string, PathChange>

/**
 * Where the same value was before these changes, or `undefined` if they made it. It may have been in another file that lost it,
 * and its set may have had a previous name.
 */
export function standingBefore(at: Standing, changes: Changes, versionOf: VersionOf): Standing | undefined {
  const change = changes.get(at.path)
  if (change === undefined) return at
  if (at.kind === 'file') return fileBefore(at, change, changes)
  const version = change.before === undefined ? undefined : versionOf(change.before)
  // The meaning of a broken file is unknown, so the version before it decides.
  if (change.before !== undefined && version === undefined) return at
  const same = version && lineIn(version, at, at.path)
  if (same !== undefined) return isSameValue(same, at) ? same : undefined
  return movedFrom(
    at,
    [...changes.values()].filter(other => other !== change),
    versionOf,
  )
}

/** The line in another file that lost it. */
function movedFrom(
  at: LineStanding,
  others: readonly PathChange[],
  versionOf: VersionOf,
): LineStanding | undefined {
  const lineOf = (object: string | undefined, path: string): LineStanding | undefined => {
    const version = object === undefined ? undefined : versionOf(object)
    return version && lineIn(version, at, path)
  }
  for (const { path, before, after } of others) {
    const found = lineOf(before, path)
    // A copy is a new value.
    if (found !== undefined && isSameValue(found, at) && lineOf(after, path) === undefined) return found
  }
  return undefined
}

function fileBefore(at: FileStanding, change: PathChange, changes: Changes): FileStanding | undefined {
  if (change.before !== undefined) return change.before === at.object ? at : undefined
  for (const { path, before, after } of changes.values())
    if (before === at.object && after === undefined) return { ...at, path }
  return undefined
}

/** Whether the value was in another file before. Knows only the versions at its own path. */
export function isElsewhere(at: Standing, changes: Changes, versionOf: VersionOf): boolean {
  const change = changes.get(at.path)
  if (change === undefined || at.kind === 'file') return false
  const version = change.before === undefined ? undefined : versionOf(change.before)
  return change.before === undefined || (version !== undefined && lineIn(version, at, at.path) === undefined)
}

/** The same holder in another version, with the value that it has there; `undefined` without the holder or the value. */
export function lineIn(version: SetFile, at: LineStanding, path: string): LineStanding | undefined {
  const holder = 'previousNames' in at.holder ? setIn(version, at.holder) : baseIn(version, at)
  const held = holder && valueIn(holder, at.key)
  return holder === undefined || held === undefined ? undefined : { ...at, ...held, path, holder, version }
}

/** A set file may move, and still name the same file with another path. */
export const isSameValue = (a: LineStanding, b: LineStanding): boolean =>
  a.value === b.value || (a.file !== undefined && b.file !== undefined && fileOf(a) === fileOf(b))

const fileOf = ({ path, file = '' }: LineStanding): string => posix.join(posix.dirname(path), file)

function setIn({ sets }: SetFile, { id, name, key, previousNames }: WrittenSet): WrittenSet | undefined {
  const named = sets.filter(set => set.name === name)
  return (
    (id === undefined ? undefined : sets.find(set => set.id === id)) ??
    named.find(set => set.key === key) ??
    named[0] ??
    sets.find(set => previousNames.includes(set.name))
  )
}

/** Bases have no previous names: one that is gone and gave the same value is the same base. */
function baseIn({ bases }: SetFile, { holder, version, key, value }: LineStanding): WrittenBase | undefined {
  return (
    bases.find(({ name }) => name === holder.name) ??
    bases.find(
      base => !version.bases.some(({ name }) => name === base.name) && valueIn(base, key)?.value === value,
    )
  )
}

/** The value as a text to compare. A description is not part of it. */
export function valueIn(
  holder: Holder,
  key: VariableKey | undefined,
): Pick<LineStanding, 'value' | 'file'> | undefined {
  if (key === undefined) return 'from' in holder && holder.from ? { value: holder.from.name } : undefined
  const variable = holder.variables.find(one => one.key === key)
  if (variable === undefined) return undefined
  if (!('value' in variable)) return { value: 'required' }
  const { value, hcl, file } = variable
  return { value: JSON.stringify([file ?? value, hcl]), file }
}

/** Whether another version of a file with this path can hold what a set file at `path` holds. */
export const mayHold = (path: string, other: string): boolean =>
  /\.ya?ml$/i.test(other) || posix.extname(path) === posix.extname(other)
