export type VariableSetId = `varset-${string}`
export type VariableId = `var-${string}`
export type WorkspaceId = `ws-${string}`
export type ProjectId = `prj-${string}`
export type StackId = `st-${string}`

/** `terraform` is the configuration category; `src/api/decode-variable.ts` knows how it is spelled on the wire (docs/service.md 2.2). */
export type Category = 'terraform' | 'env'
export const CATEGORIES: readonly Category[] = ['env', 'terraform']
/** Identity of a variable within its set. Another category or name is another variable. */
export type VariableKey = `${Category}/${string}`

export const isVariableKey = (text: string): text is VariableKey =>
  text.startsWith('env/') || text.startsWith('terraform/')
export const categoryOf = (key: VariableKey): Category => (key.startsWith('env/') ? 'env' : 'terraform')
export const nameOf = (key: VariableKey): string => key.slice(key.indexOf('/') + 1)

/** Ids that a service may return, such as a UUID. An id becomes a path segment of later requests, so its characters are limited. */
const SERVICE_ID = /^(varset|var|ws|prj|st)-[A-Za-z0-9_-]{1,255}$/
/** A text in a file that is an id: exactly the form that the known service uses. Any other text with the form of an id may be a name. */
const CERTAIN_ID = /^(varset|ws|prj|st)-[A-Za-z0-9]{16}$/

type IsId<Id extends string> = (text: string) => text is Id

const serviceId =
  <Prefix extends string>(prefix: Prefix): IsId<`${Prefix}-${string}`> =>
  (text): text is `${Prefix}-${string}` =>
    SERVICE_ID.exec(text)?.[1] === prefix

export const isVariableSetId = serviceId('varset')
export const isVariableId = serviceId('var')
export const isProjectId = serviceId('prj')
export const isWorkspaceId = serviceId('ws')
/** Whether a file means the id by a text in the form of one, where the service has no such id. */
export const isCertainId = (text: string): boolean => CERTAIN_ID.test(text)
/** Whether a file uses this text as an id, perhaps as a name. */
export const isWrittenId = (text: string): boolean =>
  /^(?:varset|ws|prj|st)-/.test(text) && SERVICE_ID.test(text)

/**
 * What a set can be assigned to, by the word that files and service use. For another kind, add a member here and a row in
 * `TARGETS`: the compiler then names every place that has to know it.
 */
export interface TargetIds {
  readonly workspaces: WorkspaceId
  readonly projects: ProjectId
  readonly stacks: StackId
}

export type TargetKind = keyof TargetIds
export type TargetId = TargetIds[TargetKind]

export type TargetTable<T> = { readonly [K in TargetKind]: T }

interface TargetRule<Id extends string> {
  /** The word for one of them. The plural adds an "s". */
  readonly one: string
  /** The beginning of an id, before the hyphen. */
  readonly prefix: string
  /** The attribute of the service that counts them. */
  readonly count: string
  /** What it means if an answer has neither the attribute nor the relationship. */
  readonly without: 'answer is cut' | 'none' | 'kind is unknown'
  /** Newer than the interface: requested by `include`, and only if a set shows that the service knows the word. */
  readonly included?: true
  /** Whether a service may return it as an id, and whether it is one in a file. */
  readonly isId: IsId<Id>
}

/** Every kind, in the order of reports. */
export const TARGETS: { readonly [K in TargetKind]: TargetRule<TargetIds[K]> } = {
  workspaces: {
    one: 'workspace',
    prefix: 'ws',
    count: 'workspace-count',
    without: 'answer is cut',
    isId: isWorkspaceId,
  },
  // Services older than 2023-03-24 know no projects (docs/service.md 8).
  projects: {
    one: 'project',
    prefix: 'prj',
    count: 'project-count',
    without: 'none',
    isId: isProjectId,
  },
  // Beyond the interface (docs/service.md 10.4).
  stacks: {
    one: 'Stack',
    prefix: 'st',
    count: 'stack-count',
    without: 'kind is unknown',
    included: true,
    isId: serviceId('st'),
  },
}

export const TARGET_KINDS = Object.keys(TARGETS) as readonly TargetKind[]

export type Targets = {
  readonly [K in TargetKind]: { readonly kind: K; readonly ids: readonly TargetIds[K][] }
}[TargetKind]

/** Ids by kind. Its users say what an absent kind means. */
export type TargetLists = { readonly [K in TargetKind]?: readonly TargetIds[K][] }

/** What a set is assigned to. Stacks are absent if there are none, or if the service has no Stacks. */
export type Assignments = WithPlaces<TargetLists>

/** Workspaces and projects are always present. */
export type WithPlaces<T extends { readonly [K in TargetKind]?: unknown }> = Required<
  Pick<T, 'workspaces' | 'projects'>
> &
  Omit<T, 'workspaces' | 'projects'>

export const listIn = <K extends TargetKind>(
  lists: TargetLists,
  kind: K,
): readonly TargetIds[K][] | undefined => lists[kind]

export const assignmentsOf = (lists: TargetLists): Assignments => ({ workspaces: [], projects: [], ...lists })

/** Ids by kind, without the kinds for which `of` returns `undefined`. */
export const listsOf = (
  of: <K extends TargetKind>(kind: K) => readonly TargetIds[K][] | undefined,
): TargetLists => byKind(of)

/** The result of `of` for each kind, without `undefined`. The caller vouches for the types of the members. */
export const byKind = <R extends { readonly [K in TargetKind]?: unknown }>(
  of: <K extends TargetKind>(kind: K) => unknown,
): R => {
  const table: { -readonly [K in TargetKind]?: unknown } = {}
  for (const kind of TARGET_KINDS) {
    const made = of(kind)
    if (made !== undefined) table[kind] = made
  }
  return table as R
}

export const targetsOfKind = <K extends TargetKind>(kind: K, ids: readonly TargetIds[K][]): Targets =>
  ({ kind, ids }) as Targets

export const idsOf = (lists: TargetLists): readonly TargetId[] =>
  TARGET_KINDS.flatMap((kind): readonly TargetId[] => lists[kind] ?? [])

/** The kind of an id, by its form. */
export const kindOfId = (id: string): TargetKind | undefined =>
  TARGET_KINDS.find(kind => id.startsWith(`${TARGETS[kind].prefix}-`))

/** `workspace`, `project`, `Stack`, by the form of an id. */
export const wordOfId = (id: string): string => TARGETS[kindOfId(id) ?? 'projects'].one
