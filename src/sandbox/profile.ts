/**
 * The behaviours that the interface leaves open, as switches. The default follows the interface, and where that is silent, the
 * known real service. `axes.ts` says what a client may expect under each value.
 */
export interface Profile {
  readonly setNames: 'unique' | 'any'
  /** `trim` and `nfc` also store the name that way. */
  readonly nameCompare: 'exact' | 'ignore-case' | 'trim' | 'nfc'
  readonly sensitiveValue: 'null' | 'empty' | 'missing' | 'mask'
  readonly duplicateVariable: 'refuse' | 'second' | 'replace'
  /** The interface gives `priority` the default false on an update (docs/service.md 4.2). */
  readonly setUpdateOmitted: 'priority-off' | 'unchanged'
  readonly setUpdateKnownVariable: 'refuse' | 'second' | 'replace'
  /** `defaults` empties the value of a variable that is updated without one. */
  readonly variableUpdateOmitted: 'unchanged' | 'defaults'
  /** Changes from sensitive to readable, and of the key or `hcl` of a sensitive variable. */
  readonly sensitiveChange: 'refuse' | 'allow'
  /** Assigning what is already assigned, and unassigning what is not. */
  readonly repeatedAssignment: 'accept' | 'not-found' | 'refuse'
  /** An unknown id in an assignment. */
  readonly unknownTarget: 'refuse' | 'not-found' | 'ignore'
  readonly globalAssignments: 'kept' | 'cleared' | 'refuse'
  /** A project's set is assigned outside its project (docs/service.md 10.3). `ignore`: accepted without effect. */
  readonly outsideProject: 'refuse' | 'not-found' | 'ignore' | 'accept'
  /** `refused`: an older service. `enterprise`: calls itself Terraform Enterprise, ignores `include=stacks` and has no Stacks. */
  readonly stacks: 'answered' | 'refused' | 'enterprise'
  /**
   * What the real service has beyond the interface in responses about sets. `none`: no `parent`, `permissions`, `version-id`
   * and no Stacks; a `parent` in a request is ignored.
   */
  readonly beyond: 'known' | 'none'
  readonly createStatus: 200 | 201
  readonly deleteStatus: 204 | 200
  readonly missingPermission: 'not-found' | 'forbidden' | 'unauthorized'
  readonly badToken: 'unauthorized' | 'not-found'
  readonly errorBody: 'json-api' | 'number-status' | 'other-json' | 'empty' | 'html'
  /** The largest page, and whether a larger one is reduced to it or refused with 422. */
  readonly pageSize: 'clamp-100' | 'clamp-20' | 'refuse-100' | 'refuse-20'
  readonly listOrder: 'name' | 'id' | 'updated-at' | 'random'
  /** The category of configuration variables as sent: a tool's lowercase name, or the interface's word. */
  readonly tool: 'terraform' | 'tool'
  readonly emptyDescription: 'empty' | 'null' | 'missing'
  readonly hclOfEnv: 'stored' | 'false'
  /** `truncated`: lists of sets show two references for each relationship, with the true counts. */
  readonly relationshipLists: 'full' | 'truncated'
  /** `embedded`: inside the relationship, as the interface can be read (docs/service.md 4.11). */
  readonly includeVars: 'included' | 'ignored' | 'embedded'
  /**
   * The lists of variables of a set or a workspace: pages of 20 with links, with `meta.pagination` in addition or instead, or
   * with neither; `pages-20` with links, whatever size is requested; complete; or complete and refusing page parameters.
   */
  readonly listVariables:
    | 'pages'
    | 'pages-meta'
    | 'pages-both'
    | 'pages-bare'
    | 'pages-20'
    | 'whole'
    | 'refuse'
  readonly links: 'absolute' | 'relative' | 'foreign'
  /** Look-ups of workspaces and projects by list, name and id, which the interface does not have. */
  readonly lookUps: 'answered' | 'missing'
  /** When a write appears in lists of sets. */
  readonly lists: 'immediate' | 'lag-reads' | 'lag-time'
  /** How values are stored. */
  readonly text: 'verbatim' | 'trim-newline' | 'unix-newlines'
  /** Whether the real service's limits on lengths and line breaks apply (docs/service.md 11.2). */
  readonly lengths: 'enforced' | 'any'
  /**
   * The hint of a 429. `off` by default: the interface shows no limit, the known real service has 30 requests per second, and
   * an installation may have none.
   */
  readonly rateLimit: 'off' | 'seconds' | 'date' | 'reset' | 'silent'
  /**
   * Undocumented members at random places; `relations`: each set has a count of, and a relationship to, objects of an unknown
   * kind.
   */
  readonly extras: 'none' | 'random' | 'relations'
  /**
   * The service as of this date (docs/service.md 8): no projects before 2023-03, no priority before 2023-10, no `q` before
   * 2024-03.
   */
  readonly service: '2024-03' | '2023-10' | '2023-03' | '2021-11'
}

export const DEFAULT_PROFILE: Profile = {
  setNames: 'unique',
  nameCompare: 'exact',
  sensitiveValue: 'null',
  duplicateVariable: 'refuse',
  setUpdateOmitted: 'priority-off',
  setUpdateKnownVariable: 'refuse',
  variableUpdateOmitted: 'unchanged',
  sensitiveChange: 'refuse',
  repeatedAssignment: 'accept',
  unknownTarget: 'refuse',
  globalAssignments: 'kept',
  outsideProject: 'refuse',
  stacks: 'answered',
  beyond: 'known',
  createStatus: 200,
  deleteStatus: 204,
  missingPermission: 'not-found',
  badToken: 'unauthorized',
  errorBody: 'json-api',
  pageSize: 'clamp-100',
  listOrder: 'name',
  tool: 'terraform',
  emptyDescription: 'empty',
  hclOfEnv: 'stored',
  relationshipLists: 'full',
  includeVars: 'included',
  listVariables: 'pages',
  links: 'absolute',
  lookUps: 'answered',
  lists: 'immediate',
  text: 'verbatim',
  lengths: 'enforced',
  rateLimit: 'off',
  extras: 'none',
  service: '2024-03',
}

export const hasProjects = (profile: Profile) => profile.service !== '2021-11'
export const hasPriority = (profile: Profile) =>
  profile.service === '2024-03' || profile.service === '2023-10'
export const hasSearch = (profile: Profile) => profile.service === '2024-03'
export const hasStacks = (profile: Profile) =>
  profile.stacks === 'answered' && profile.beyond === 'known' && profile.service === '2024-03'
/** Sets of projects, what a token may do with a set, and versions of variables. */
export const hasMore = (profile: Profile) => profile.beyond === 'known'
