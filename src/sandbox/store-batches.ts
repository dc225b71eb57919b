import type { Batch, Change } from './records.ts'
import type { Store } from './store.ts'

/** The state as batches, one for each set and workspace, that make the same state of an empty store. */
export function* batchesOf(store: Store): Generator<Batch> {
  const { directory, sequence } = store
  const batch = (changes: readonly Change[]): Batch => ({ at: '', sequence, changes })
  yield batch([...store.tokens.values()].map(token => ({ type: 'put-token', token })))
  yield batch([
    ...[...directory.organizations.values()].map(
      organization => ({ type: 'put-organization', organization }) as const,
    ),
    ...[...directory.projects.values()].map(project => ({ type: 'put-project', project }) as const),
    ...[...directory.stacks.values()].map(stack => ({ type: 'put-stack', stack }) as const),
  ])
  for (const workspace of directory.workspaces.values()) {
    yield batch([{ type: 'put-workspace', workspace }, ...variableChanges(store, workspace.id)])
  }
  for (const set of store.sets.values()) {
    // The set comes last: a variable that is put into a set moves its time.
    yield batch([...variableChanges(store, set.id), { type: 'put-set', set }])
  }
}

const variableChanges = (store: Store, owner: string): Change[] =>
  [...store.variablesOf(owner).values()].map(variable => ({ type: 'put-variable', owner, variable }))
