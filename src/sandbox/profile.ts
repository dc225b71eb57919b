import type { AssignmentKind } from './records.ts'

/**
 * The behaviours that the interface leaves open, as switches with their values. The first value is the default: it follows the
 * interface, and where that is silent, the known real service.
 */
const SWITCHES = {
  setNames: ['unique', 'any'],
  sensitiveValue: ['null', 'empty', 'missing', 'mask'],
  /** A variable whose key the set has, or the request lists twice. */
  duplicateVariable: ['refuse', 'second', 'replace'],
  /** The interface gives `priority` the default false on an update (docs/service.md 4.2). */
  setUpdateOmitted: ['priority-off', 'unchanged'],
  /**
   * Whether the body of a create or an update writes the variables and the assignments of a set. `ignored`: only requests about
   * one of them do, and the responses show what the set has.
   */
  setMembers: ['written', 'on-create', 'ignored'],
  /** The methods that update a set. */
  setUpdateMethods: ['all', 'patch'],
  /** `lost`: never stored. The response to an update repeats it, the next read says false. */
  priority: ['kept', 'lost'],
  /**
   * Changes from sensitive to readable, and of the key or `hcl` of a sensitive variable. `refuse-key`: refused with 500, also if
   * the request repeats the key that the variable has.
   */
  sensitiveChange: ['refuse', 'allow', 'refuse-key'],
  /** Assigning what is already assigned, and unassigning what is not. */
  repeatedAssignment: ['accept', 'not-found', 'refuse', 'conflict'],
  /** An unknown id in an assignment. */
  unknownTarget: ['refuse', 'not-found', 'ignore'],
  globalAssignments: ['kept', 'cleared', 'refuse'],
  /** A project's set is assigned outside its project (docs/service.md 10.3). `ignore`: accepted without effect. */
  outsideProject: ['refuse', 'not-found', 'ignore', 'accept'],
  /** `refused`: an older service. `enterprise`: calls itself Terraform Enterprise, ignores `include=stacks` and has no Stacks. */
  stacks: ['answered', 'refused', 'enterprise'],
  /**
   * What the real service has beyond the interface in responses about sets. `none`: no `parent`, `permissions`, `version-id`
   * and no Stacks; a `parent` in a request is ignored.
   */
  beyond: ['known', 'none'],
  createStatus: [200, 201],
  deleteStatus: [204, 200],
  missingPermission: ['not-found', 'forbidden', 'unauthorized'],
  /** `empty`: an organization that does not exist has empty lists of sets and workspaces, and a create there gets 500. */
  missingOrganization: ['not-found', 'empty'],
  /** `partly-text`: 401, and 404 for a path that the service does not have, as plain text. */
  errorBody: ['json-api', 'number-status', 'other-json', 'empty', 'html', 'partly-text'],
  /** 500: 409 for a name that is taken; 500 for a key that is taken, a conflict of global sets, and an unknown workspace. */
  problemStatus: [422, 500],
  /** The largest page, and whether a larger one is reduced to it or refused with 422. */
  pageSize: ['clamp-100', 'clamp-20', 'refuse-100', 'refuse-20'],
  listOrder: ['name', 'id', 'updated-at', 'random'],
  emptyDescription: ['empty', 'null', 'missing'],
  /** `truncated`: lists of sets show two references for each relationship, with the true counts. */
  relationshipLists: ['full', 'truncated'],
  /** `embedded`: inside the relationship, as the interface can be read (docs/service.md 4.11). */
  includeVars: ['included', 'ignored', 'embedded'],
  /**
   * The lists of variables of a set or a workspace: pages of 20 with links, with `meta.pagination` in addition or instead, or
   * with neither; `pages-20` with links, whatever size is requested; complete, with links or without; or complete and refusing page
   * parameters.
   */
  listVariables: [
    'pages',
    'pages-meta',
    'pages-both',
    'pages-bare',
    'pages-20',
    'whole',
    'whole-bare',
    'refuse',
  ],
  /**
   * Lists of sets: pages with links and `meta.pagination`, pages with neither, or always complete with neither, whatever page,
   * `q` or `include` is requested.
   */
  setLists: ['pages', 'pages-bare', 'whole-bare'],
  /** The page data of other lists. `no-size`: without links and without `page-size`. */
  pageData: ['complete', 'no-size'],
  /** Counts, `updated-at` and `created-at` of sets and variables. */
  counts: ['shown', 'missing'],
  links: ['absolute', 'relative', 'foreign'],
  /** Look-ups of workspaces and projects by list, name and id, which the interface does not have. */
  lookUps: ['answered', 'missing'],
  /** `missing`: no requests about projects, no relationships to them. */
  projects: ['answered', 'missing'],
  /** When a write appears in lists of sets. */
  lists: ['immediate', 'lag-reads', 'lag-time'],
  /** `deadlock`: an update of a set gets 500 while another set is assigned to workspaces, and the reverse. */
  parallelWrites: ['accept', 'deadlock'],
  /** How values are stored. `trim`: without white space at both ends, as keys. */
  text: ['verbatim', 'trim-newline', 'unix-newlines', 'trim'],
  /** Whether the real service's limits on lengths and line breaks apply (docs/service.md 11.2). */
  lengths: ['enforced', 'any'],
  /**
   * The hint of a 429. `off` by default: the interface shows no limit, the known real service has 30 requests per second, and
   * an installation may have none.
   */
  rateLimit: ['off', 'seconds', 'date', 'reset', 'silent'],
  /**
   * Undocumented members at random places; `relations`: each set has a count of, and a relationship to, objects of an unknown
   * kind.
   */
  extras: ['none', 'random', 'relations'],
  /**
   * The service as of this date (docs/service.md 8): no projects before 2023-03, no priority before 2023-10, no `q` before
   * 2024-03.
   */
  service: ['2024-03', '2023-10', '2023-03', '2021-11'],
} as const

export type Profile = { readonly [Name in keyof typeof SWITCHES]: (typeof SWITCHES)[Name][number] }

export const DEFAULT_PROFILE = Object.fromEntries(
  Object.entries(SWITCHES).map(([name, [first]]) => [name, first]),
) as Profile

/** Profiles with a name: servers that others wrote (docs/service.md#servers-that-others-wrote). */
export const PROFILES = {
  otf: {
    setUpdateOmitted: 'unchanged',
    setMembers: 'ignored',
    setUpdateMethods: 'patch',
    priority: 'lost',
    sensitiveValue: 'empty',
    sensitiveChange: 'refuse-key',
    repeatedAssignment: 'conflict',
    stacks: 'refused',
    beyond: 'none',
    createStatus: 201,
    deleteStatus: 200,
    missingPermission: 'forbidden',
    missingOrganization: 'empty',
    errorBody: 'partly-text',
    problemStatus: 500,
    listVariables: 'whole-bare',
    setLists: 'whole-bare',
    pageData: 'no-size',
    counts: 'missing',
    projects: 'missing',
    text: 'trim',
  },
} as const satisfies Readonly<Record<string, Partial<Profile>>>

/**
 * What a correct client may do under a value. `converges`: it must reach any desired state that the interface permits.
 * Otherwise it may fail in the case `when`, without damage, and with one of these exit codes: 0 with a warning that the service
 * changed something (an inventory remembers it; without one, each plan shows the change again), 1 error before any write, 3 goal
 * not reached, 4 refused.
 */
export type Expectation = 'converges' | { readonly exits: readonly (0 | 1 | 3 | 4)[]; readonly when: string }

export interface AxisValue {
  readonly value: string | number
  readonly expect: Expectation
}

export interface Axis {
  readonly name: keyof Profile
  readonly values: readonly AxisValue[]
}

const without = (when: string): Expectation => ({ exits: [1, 3, 4], when })
const differs = (when: string): Expectation => ({ exits: [3, 4], when })
const OUTSIDE = differs('a set of a project is assigned outside of the project')
const GLOBAL = differs('a global set has its own assignments')

/** The values under which a client need not converge. */
const EXPECTED: { readonly [Name in keyof Profile]?: { readonly [Value in Profile[Name]]?: Expectation } } = {
  globalAssignments: { cleared: GLOBAL, refuse: GLOBAL },
  outsideProject: { refuse: OUTSIDE, 'not-found': OUTSIDE, ignore: OUTSIDE },
  stacks: { refused: without('a set has Stacks'), enterprise: without('a set has Stacks') },
  beyond: { none: without('a set has Stacks or belongs to a project') },
  pageSize: { 'refuse-20': { exits: [1, 4], when: 'the client requests more than 20 entries per page' } },
  setLists: {
    'pages-bare': { exits: [1], when: 'a set exists, so nothing proves that the list is complete' },
  },
  priority: { lost: differs('a set has priority') },
  projects: { missing: without('a set has projects') },
  listOrder: { random: without('the list has several pages, so nothing proves that it is complete') },
  lookUps: {
    missing: { exits: [1], when: 'the files use the name of a workspace or project without its id' },
  },
  text: {
    'trim-newline': { exits: [0], when: 'a value ends with a newline' },
    'unix-newlines': { exits: [0], when: 'a value has Windows line ends' },
    trim: { exits: [0, 3, 4], when: 'a key or a value begins or ends with white space' },
  },
  lengths: {
    enforced: differs(
      'a key, value or description is longer than the known real service accepts, or an env value has several lines',
    ),
  },
  extras: { relations: { exits: [4], when: 'a set is deleted without approval' } },
  service: {
    '2023-03': differs('a set has priority'),
    '2021-11': without('a set has projects or priority'),
  },
}

/** Every switch of a profile with all its values, as data for tests. */
export const AXES: readonly Axis[] = (Object.keys(SWITCHES) as (keyof Profile)[]).map(name => {
  const expected: Readonly<Record<string, Expectation>> = EXPECTED[name] ?? {}
  return { name, values: SWITCHES[name].map(value => ({ value, expect: expected[value] ?? 'converges' })) }
})

const hasProjects = (profile: Profile) => profile.service !== '2021-11' && profile.projects === 'answered'
export const hasPriority = (profile: Profile) =>
  profile.service === '2024-03' || profile.service === '2023-10'
export const hasSearch = (profile: Profile) => profile.service === '2024-03'
export const hasStacks = (profile: Profile) =>
  profile.stacks === 'answered' && profile.beyond === 'known' && profile.service === '2024-03'
/** Old services had no projects, and some today have no Stacks. */
export const hasKind = (kind: AssignmentKind, profile: Profile) =>
  kind === 'workspaces' || (kind === 'projects' ? hasProjects(profile) : hasStacks(profile))
/** Sets of projects, what a token may do with a set, and versions of variables. */
export const hasMore = (profile: Profile) => profile.beyond === 'known'
