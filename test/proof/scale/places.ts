import type { WorkspaceId } from '../../../src/model/ids.ts'
import type { DesiredState } from '../../../src/model/variable-set.ts'
import { aDesiredState, aSet, asWritten, SOMEWHERE } from '../../support/states.ts'

export const idOf = (at: number): WorkspaceId => `ws-${String(at).padStart(16, '0')}`
export const nameOf = (at: number) => `workspace-${at}`
export const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
const variables = Object.fromEntries(range(0, 20).map(at => [`env/V${at}`, 'value']))

/** One set for these workspaces, by name. */
export function desiredFor(workspaces: readonly number[]): DesiredState {
  const set = asWritten(aSet('a', { variables }))
  return {
    ...aDesiredState(),
    sets: [{ ...set, workspaces: workspaces.map(at => ({ name: nameOf(at), source: SOMEWHERE })) }],
  }
}
