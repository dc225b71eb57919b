import { createHash } from 'node:crypto'
import { toCompactJson } from '../model/json.ts'
import type { ResolvedSet } from '../model/variable-set.ts'
import { definitionOf, settingsOf } from './whole-set.ts'

/** SHA-256 over what a file says of a set, without its place: what the inventory remembers as last applied. */
export const desiredDigest = (set: ResolvedSet): string =>
  createHash('sha256')
    .update(
      toCompactJson({
        ...settingsOf(set),
        variables: set.variables.map(definitionOf),
        workspaces: set.workspaces,
        projects: set.projects,
      }),
    )
    .digest('hex')
