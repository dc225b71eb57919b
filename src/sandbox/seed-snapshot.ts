import type { SetRecord, StackRecord, VariableRecord, WorkspaceRecord } from './records.ts'
import type { SandboxSeed, SetSeed, StackSeed, VariableSeed, WorkspaceSeed } from './seed.ts'
import type { Store } from './store.ts'

export interface SnapshotOptions {
  /** Include sensitive values and tokens. */
  readonly sensitive?: boolean
}

/** The state as a seed with its ids: `restore` recreates the same state. */
export function seedOf(store: Store, options: SnapshotOptions = {}): SandboxSeed {
  const sensitive = options.sensitive === true
  const { directory } = store
  return {
    organizations: [...directory.organizations.values()].map(({ name, email, kept }) => ({
      name,
      ...(email === '' ? {} : { email }),
      ...(kept === undefined ? {} : { attributes: kept }),
    })),
    projects: [...directory.projects.values()].map(({ organization, id, name, description, kept }) => ({
      organization,
      id,
      name,
      ...(description === '' ? {} : { description }),
      ...(kept === undefined ? {} : { attributes: kept }),
    })),
    workspaces: [...directory.workspaces.values()].map(workspace =>
      workspaceSeed(workspace, store, sensitive),
    ),
    ...(directory.stacks.size === 0 ? {} : { stacks: [...directory.stacks.values()].map(stackSeed) }),
    sets: [...store.sets.values()].map(set => setSeed(set, store, sensitive)),
    ...(sensitive ? { tokens: [...store.tokens.values()] } : {}),
  }
}

function workspaceSeed(workspace: WorkspaceRecord, store: Store, sensitive: boolean): WorkspaceSeed {
  const variables = variableSeeds(store, workspace.id, sensitive)
  return {
    organization: workspace.organization,
    id: workspace.id,
    name: workspace.name,
    ...(workspace.description === '' ? {} : { description: workspace.description }),
    executionMode: workspace.executionMode,
    ...(workspace.kept === undefined ? {} : { attributes: workspace.kept }),
    ...(workspace.project === undefined ? {} : { project: workspace.project }),
    ...(variables.length === 0 ? {} : { variables }),
  }
}

const stackSeed = ({ kept, createdAt, updatedAt, ...stack }: StackRecord): StackSeed => ({
  ...stack,
  ...(kept === undefined ? {} : { attributes: kept }),
})

const setSeed = (set: SetRecord, store: Store, sensitive: boolean): SetSeed => ({
  organization: set.organization,
  id: set.id,
  name: set.name,
  description: set.description,
  global: set.global,
  priority: set.priority,
  ...(set.ownerProject === undefined ? {} : { parent: set.ownerProject }),
  workspaces: set.workspaces,
  projects: set.projects,
  ...(set.stacks.length === 0 ? {} : { stacks: set.stacks }),
  variables: variableSeeds(store, set.id, sensitive),
  updatedAt: set.updatedAt,
})

const variableSeeds = (store: Store, owner: string, sensitive: boolean): VariableSeed[] =>
  [...store.variablesOf(owner).values()].map(variable => variableSeed(variable, sensitive))

function variableSeed({ value, ...rest }: VariableRecord, sensitive: boolean): VariableSeed {
  return rest.sensitive && !sensitive ? rest : { ...rest, value }
}
