import type { SandboxSeed, SetSeed } from '../../../src/sandbox/seed.ts'

export const TOKEN = 'canary-of-the-token-0123456789'
export const SECRETS = { NEW: 'canary-of-a-new-secret', KEPT: 'canary-of-a-kept-secret' } as const
const WORKSPACE = 'ws-AAAAAAAAAAAAAAA1'
const OTHER = 'ws-AAAAAAAAAAAAAAA2'

const variable = (key: string, value: string, sensitive = false) =>
  ({ key, value, category: 'env', sensitive, description: '', hcl: false }) as const

const before: readonly SetSeed[] = [
  {
    id: 'varset-1111111111111111',
    name: 'network',
    description: 'before',
    workspaces: [OTHER],
    variables: [variable('REGION', 'one'), variable('KEPT', SECRETS.KEPT, true), variable('GONE', 'x')],
  },
  { id: 'varset-2222222222222222', name: 'old', variables: [variable('A', 'a')] },
]

const foreign: SetSeed = {
  id: 'varset-9999999999999999',
  name: 'theirs',
  description: 'not ours',
  workspaces: [WORKSPACE],
  variables: [variable('THEIRS', 'untouched')],
}

export const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  workspaces: [WORKSPACE, OTHER].map((id, index) => ({ id, name: `workspace-${index}` })),
  sets: [...before, foreign],
}

/** Deletions are repaired without a review: what a service pretends to have must not stop the story. */
const LOSSES = 'guards: { losses: 100% }\n'

/** Every kind of write: a new set, settings with added variables, one variable changed and one deleted, assignments. */
export const FILES = {
  'setpoint.yaml': `organization: acme\n${LOSSES}`,
  'sets/a.yaml': `variableSets:
  network:
    description: after
    workspaces: [${WORKSPACE}]
    env:
      REGION: two
      KEPT: { secret: KEPT }
      ADDED: " spaces "
      MORE: ""
  fresh:
    priority: true
    workspaces: [${OTHER}]
    env:
      NEW: { secret: NEW }
      PLAIN: "1.10"
removed: [old]
`,
}

/** The state of the service after a success, without ids and times. */
export const WANTED = [
  {
    name: 'fresh',
    description: '',
    global: false,
    priority: true,
    workspaces: [OTHER],
    variables: [`NEW = ${SECRETS.NEW}, sensitive`, 'PLAIN = 1.10'],
  },
  {
    name: 'network',
    description: 'after',
    global: false,
    priority: false,
    workspaces: [WORKSPACE],
    variables: ['ADDED =  spaces ', `KEPT = ${SECRETS.KEPT}, sensitive`, 'MORE = ', 'REGION = two'],
  },
]

export const foreignIn = ({ sets = [] }: SandboxSeed) => sets.filter(({ name }) => name === foreign.name)

/** The managed sets in the form of `WANTED`, sorted by name. */
export const ownIn = ({ sets = [] }: SandboxSeed) =>
  sets
    .filter(({ name }) => name !== foreign.name)
    .map(({ name, description, global, priority, workspaces = [], variables = [] }) => ({
      name,
      description,
      global,
      priority,
      workspaces: workspaces.toSorted(),
      variables: variables
        .map(({ key, value, sensitive }) => `${key} = ${value}${sensitive === true ? ', sensitive' : ''}`)
        .sort(),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
