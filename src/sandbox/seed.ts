import {
  byKind,
  type KeptAttributes,
  type PlaceRecord,
  type SetRecord,
  type TokenRecord,
  UNWRITTEN_SET,
  type VariableRecord,
} from './records.ts'
import { isObject } from './request.ts'
import type { Store } from './store.ts'

/**
 * A state in a form that people write: YAML, JSON or an object. `organization` may be left out where the seed names
 * exactly one. Unlike requests, a seed is not judged by the rules, so that it can hold what a real service may hold.
 */
export interface SandboxSeed {
  readonly organizations?: readonly OrganizationSeed[]
  readonly projects?: readonly ProjectSeed[]
  readonly workspaces?: readonly WorkspaceSeed[]
  readonly stacks?: readonly StackSeed[]
  readonly sets?: readonly SetSeed[]
  readonly tokens?: readonly TokenSeed[]
}

export interface OrganizationSeed {
  readonly name: string
  readonly email?: string
  readonly createdAt?: string
  /** More attributes, shown as they stand here. */
  readonly attributes?: KeptAttributes
}

/** Without an id it gets one that depends on organization and name only. Without a name, the id is its name. */
export interface PlaceSeed extends Partial<Omit<PlaceRecord, 'kept' | 'project' | 'executionMode'>> {
  readonly attributes?: KeptAttributes
  /** Tags with their values (docs/service.md 12.5). */
  readonly tags?: Readonly<Record<string, string>>
}

export type ProjectSeed = PlaceSeed

export interface WorkspaceSeed extends PlaceSeed {
  readonly executionMode?: string
  /** Name or id. */
  readonly project?: string
  readonly variables?: readonly VariableSeed[]
}

export interface StackSeed extends PlaceSeed {
  /** Name or id. */
  readonly project: string
}

/** Workspaces, projects and Stacks by name or id. */
export interface SetSeed extends Partial<Omit<SetRecord, 'name' | 'ownerProject'>> {
  readonly name: string
  /** Name or id of the project that owns the set. */
  readonly parent?: string
  readonly variables?: readonly VariableSeed[]
}

/** Its category is any word: a service may know more categories than a client does. */
export type VariableSeed = Partial<VariableRecord> & Pick<VariableRecord, 'key' | 'category'>

export type TokenSeed = TokenRecord

/** A seed (or a fault schedule) that cannot be used. `problems` has one sentence for each place, such as `sets[2].workspaces: …`. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[], what = 'The seed') {
    super(`${what} cannot be used:\n${problems.map(problem => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

const WORKSPACES = {
  platform: ['network-prod', 'network-staging', 'cluster-prod', 'cluster-staging'],
  payments: ['payments-prod', 'payments-staging', 'ledger-prod', 'ledger-staging'],
  data: ['warehouse-prod', 'warehouse-staging', 'reports-prod', 'reports-staging'],
} as const

/** What a sandbox holds when nobody says otherwise: one organization with places to assign sets to, and no sets. */
export const DEFAULT_SEED: SandboxSeed = {
  organizations: [{ name: 'acme', email: 'platform@acme.invalid' }],
  projects: Object.keys(WORKSPACES).map(name => ({ name })),
  workspaces: Object.entries(WORKSPACES).flatMap(([project, names]) =>
    names.map(name => ({ name, project })),
  ),
}

export interface SnapshotOptions {
  /** Include sensitive values and tokens. */
  readonly sensitive?: boolean
}

/**
 * The state as a seed with its ids: `restore` recreates the same state. `times`: also those of organizations and places, which a
 * reader does not need. Members that are `undefined` are left out.
 */
export function seedOf(
  store: Store,
  { sensitive = false, times = false }: SnapshotOptions & { readonly times?: boolean } = {},
): SandboxSeed {
  const { organizations, places } = store.directory
  const { workspaces, projects, stacks } = places
  const placeSeed = ({ createdAt, updatedAt, kept, description, ...rest }: PlaceRecord) => ({
    ...rest,
    description: description || undefined,
    attributes: kept,
    ...(times && { createdAt, updatedAt }),
  })
  const variablesOf = (owner: string) =>
    [...store.variablesOf(owner).values()].map(({ value, ...variable }) =>
      variable.sensitive && !sensitive ? variable : { ...variable, value },
    )
  return {
    organizations: [...organizations.values()].map(({ name, email, kept, createdAt }) => ({
      name,
      email: email || undefined,
      attributes: kept,
      ...(times && { createdAt }),
    })),
    projects: [...projects.values()].map(placeSeed),
    workspaces: [...workspaces.values()].map(workspace => {
      const variables = variablesOf(workspace.id)
      return { ...placeSeed(workspace), variables: variables.length === 0 ? undefined : variables }
    }),
    stacks:
      stacks.size === 0
        ? undefined
        : [...stacks.values()].map(stack => ({ project: '', ...placeSeed(stack) })),
    sets: [...store.sets.values()].map(({ ownerProject, stacks: assigned, ...set }) => ({
      ...set,
      parent: ownerProject,
      stacks: assigned.length === 0 ? undefined : assigned,
      variables: variablesOf(set.id),
    })),
    tokens: sensitive ? [...store.tokens.values()] : undefined,
  }
}

/** Everything wrong with the value at a place, a sentence each. */
export type Check = (value: unknown, at: string) => readonly string[]

const must =
  (what: string, fits: (value: unknown) => boolean): Check =>
  (value, at) =>
    fits(value) ? [] : [`${at}: must be ${what}`]

export const text = must('a text', value => typeof value === 'string')
const flag = must('true or false', value => typeof value === 'boolean')
const map = must('a map', isObject)

export const among = (...known: readonly (string | number)[]) =>
  must(`one of ${known.join(', ')}`, value => known.some(one => one === value))

export const numberFrom = (least: number, most = Number.POSITIVE_INFINITY) =>
  must(
    `a number from ${least} ${most === Number.POSITIVE_INFINITY ? 'up' : `to ${most}`}`,
    value => typeof value === 'number' && value >= least && value <= most,
  )

export const listOf =
  (each: Check): Check =>
  (value, at) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => each(one, `${at}[${index}]`))
      : [`${at}: must be a list`]

export const mapOf =
  (each: Check): Check =>
  (value, at) => [
    ...map(value, at),
    ...Object.entries(isObject(value) ? value : {}).flatMap(([name, one]) => each(one, `${at}.${name}`)),
  ]

/** A map with these members and no others. `whole` is the place of the outermost map. */
export const members =
  (checks: Readonly<Record<string, Check>>, needed: readonly string[] = [], whole = ''): Check =>
  (value, at) => {
    if (!isObject(value)) return map(value, at || whole)
    const within = at && `${at}.`
    const unknown = Object.keys(value).filter(name => !Object.hasOwn(checks, name))
    return [
      ...unknown.map(name => `${within}${name}: is not known`),
      ...Object.entries(checks).flatMap(([name, check]) => {
        if (value[name] !== undefined) return check(value[name], `${within}${name}`)
        return needed.includes(name) ? [`${within}${name}: is missing`] : []
      }),
    ]
  }

type Checks<Seed> = Readonly<Record<keyof Seed, Check>>

const PLACE = {
  organization: text,
  id: text,
  name: text,
  description: text,
  attributes: map,
  tags: mapOf(text),
  createdAt: text,
  updatedAt: text,
}

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
  ...(Object.fromEntries(
    Object.entries(UNWRITTEN_SET).map(([name, value]) => [name, typeof value === 'string' ? text : flag]),
  ) as Checks<typeof UNWRITTEN_SET>),
  parent: text,
  ...byKind(() => listOf(text)),
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
    organizations: listOf(members({ name: text, email: text, attributes: map, createdAt: text }, ['name'])),
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
