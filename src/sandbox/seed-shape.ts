import { among, type Check, flag, listOf, map, mapOf, members, text } from './checks.ts'
import { type SandboxSeed, SeedError, type SetSeed, type VariableSeed, type WorkspaceSeed } from './seed.ts'

type Checks<Seed> = Readonly<Record<keyof Seed, Check>>

const PLACE = { organization: text, id: text, name: text, description: text, attributes: map }

const VARIABLES = listOf(
  members(
    {
      id: text,
      key: text,
      value: text,
      description: text,
      category: text,
      hcl: flag,
      sensitive: flag,
      createdAt: text,
      versionId: text,
    } satisfies Checks<VariableSeed>,
    ['key', 'category'],
  ),
)

const WORKSPACE = {
  ...PLACE,
  executionMode: text,
  project: text,
  variables: VARIABLES,
} satisfies Checks<WorkspaceSeed>

const SET = {
  organization: text,
  id: text,
  name: text,
  description: text,
  global: flag,
  priority: flag,
  parent: text,
  workspaces: listOf(text),
  projects: listOf(text),
  stacks: listOf(text),
  variables: VARIABLES,
  updatedAt: text,
} satisfies Checks<SetSeed>

const permission = among('none', 'read-variables', 'manage-workspaces', 'admin')
const TOKEN = {
  token: text,
  permission: (value: unknown, at: string) => (typeof value === 'string' ? permission : text)(value, at),
  projects: mapOf(among('none', 'read', 'manage')),
  organizations: listOf(text),
}

const SEED = members(
  {
    organizations: listOf(members({ name: text, email: text, attributes: map }, ['name'])),
    projects: listOf(members(PLACE)),
    workspaces: listOf(members(WORKSPACE)),
    stacks: listOf(members({ ...PLACE, project: text }, ['project'])),
    sets: listOf(members(SET, ['name'])),
    tokens: listOf(members(TOKEN, ['token', 'permission'])),
  },
  [],
  'the seed',
)

/** Throws a SeedError that lists every member with a form other than `SandboxSeed` has. */
export function checkSeed(value: unknown): SandboxSeed {
  const problems = SEED(value, '')
  if (problems.length > 0) throw new SeedError(problems)
  return value as SandboxSeed
}
