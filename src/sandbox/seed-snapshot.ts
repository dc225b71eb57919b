import type { PlaceRecord } from './records.ts'
import type { SandboxSeed } from './seed.ts'
import type { Store } from './store.ts'

export interface SnapshotOptions {
  /** Include sensitive values and tokens. */
  readonly sensitive?: boolean
}

/** The state as a seed with its ids: `restore` recreates the same state. Members that are `undefined` are left out. */
export function seedOf(store: Store, { sensitive = false }: SnapshotOptions = {}): SandboxSeed {
  const { organizations, projects, workspaces, stacks } = store.directory
  const variablesOf = (owner: string) =>
    [...store.variablesOf(owner).values()].map(({ value, ...variable }) =>
      variable.sensitive && !sensitive ? variable : { ...variable, value },
    )
  return {
    organizations: [...organizations.values()].map(({ name, email, kept }) => ({
      name,
      email: email || undefined,
      attributes: kept,
    })),
    projects: [...projects.values()].map(placeSeed),
    workspaces: [...workspaces.values()].map(workspace => {
      const variables = variablesOf(workspace.id)
      return { ...placeSeed(workspace), variables: variables.length === 0 ? undefined : variables }
    }),
    stacks: stacks.size === 0 ? undefined : [...stacks.values()].map(placeSeed),
    sets: [...store.sets.values()].map(({ ownerProject, stacks: assigned, ...set }) => ({
      ...set,
      parent: ownerProject,
      stacks: assigned.length === 0 ? undefined : assigned,
      variables: variablesOf(set.id),
    })),
    tokens: sensitive ? [...store.tokens.values()] : undefined,
  }
}

const placeSeed = <Place extends PlaceRecord & { readonly updatedAt?: string }>(place: Place) => {
  const { createdAt: _, updatedAt: __, kept, description, ...rest } = place
  return { ...rest, description: description || undefined, attributes: kept }
}
