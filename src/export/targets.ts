import type { SourceRange } from '../model/diagnostic.ts'
import { byKind, TARGETS, type TargetIds, type TargetKind } from '../model/ids.ts'
import type { DirectoryEntry, DirectoryLists, TargetRef } from '../model/variable-set.ts'

/** Where something stands that came from no file. */
export const NOWHERE: SourceRange = { path: '', line: 1, column: 1 }

/** How a file writes a workspace, a project, a Stack; `undefined` where it has no way to. */
export type TargetNames = {
  readonly [K in TargetKind]: (id: TargetIds[K]) => TargetRef<TargetIds[K]> | undefined
}

/**
 * The name of an id, where resolving that name gives exactly this id again, through the directory file first and through
 * the service where it was asked. Otherwise the id.
 */
export const targetNames = (filed: DirectoryLists, live: DirectoryLists | undefined): TargetNames =>
  byKind<TargetNames>(kind => namer(filed[kind] ?? [], live?.[kind], TARGETS[kind].isWrittenId))

function namer<Id extends string>(
  filed: readonly DirectoryEntry<Id>[],
  live: readonly DirectoryEntry<Id>[] | undefined,
  isWritten: (id: string) => boolean,
): (id: Id) => TargetRef<Id> | undefined {
  const inFile = new Names(filed)
  const inService = live === undefined ? undefined : new Names(live)
  const means = (name: string, id: Id): boolean =>
    isWritable(name) &&
    (inFile.has(name) ? inFile.isOnly(name, id) : inService?.isOnly(name, id) === true) &&
    inService?.isOnly(name, id) !== false
  return id => {
    const names = [inService?.nameOf(id), inFile.nameOf(id)]
    const name = names.find(one => one !== undefined && means(one, id))
    if (name !== undefined) return { name, source: NOWHERE }
    return isWritten(id) ? { id, source: NOWHERE } : undefined
  }
}

class Names<Id extends string> {
  readonly #ids = new Map<string, Set<Id>>()
  readonly #names = new Map<Id, string>()

  constructor(entries: readonly DirectoryEntry<Id>[]) {
    for (const { name, id } of entries) {
      this.#names.set(id, name)
      this.#ids.set(name, (this.#ids.get(name) ?? new Set()).add(id))
    }
  }

  has(name: string): boolean {
    return this.#ids.has(name)
  }

  isOnly(name: string, id: Id): boolean {
    const ids = this.#ids.get(name)
    return ids?.size === 1 && ids.has(id)
  }

  nameOf(id: Id): string | undefined {
    return this.#names.get(id)
  }
}

/** A file can hold it, and it is a name there. */
const isWritable = (name: string): boolean => /\S/.test(name) && !/[\0\p{Surrogate}]/u.test(name)
