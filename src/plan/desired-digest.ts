import { createHash } from 'node:crypto'
import { ownerOf, type SetOwner, type SetSettings, settingsOf } from '../model/fields.ts'
import { listIn, listsOf, type TargetLists } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import type { DesiredValue, ResolvedSet, Variable } from '../model/variable-set.ts'
import { definitionOf } from './whole-set.ts'

/** SHA-256 over what a file says of a set, without its place: what the inventory remembers as last applied. */
export const desiredDigest = (set: ResolvedSet): string =>
  digestOfContents({
    ...settingsOf(set),
    ...ownerOf(set),
    variables: set.variables.map(definitionOf),
    ...listsOf(kind => listIn(set, kind)),
  })

/** As `desiredDigest`, of contents without a place. Targets that are left out are not managed. */
export const digestOfContents = (
  contents: SetSettings &
    SetOwner & {
      readonly variables: readonly Variable<DesiredValue>[]
    } & TargetLists,
): string => createHash('sha256').update(toCompactJson(contents)).digest('hex')
