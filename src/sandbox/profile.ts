import type { AssignmentKind } from './records.ts'

/**
 * The behaviours that the interface leaves open, as switches with their values. The first value is the default: it follows the
 * interface, and where that is silent, the known real service.
 */
const SWITCHES = {
  /**
   * Which server it imitates, and of which time: what that has (`FEATURES`), and how OTF deviates from the interface
   * (docs/service.md#servers-that-others-wrote). `published`: nothing beyond the interface. Dates: the interface as of then
   * (docs/service.md 8).
   */
  server: ['hcp', 'enterprise', 'published', '2023-10', '2023-03', '2021-11', 'otf'],
  setNames: ['unique', 'any'],
  /** A variable whose key the set has, or the request lists twice. */
  duplicateVariable: ['refuse', 'second', 'replace'],
  sensitiveValue: ['null', 'empty', 'missing', 'mask'],
  /**
   * Whether the body of a create or an update writes the variables and the assignments of a set. `ignored`: only requests about
   * one of them do, and the responses show what the set has.
   */
  setMembers: ['written', 'ignored'],
  /** Assigning what is already assigned, and unassigning what is not. `refuse`: with 409 and 404. */
  repeatedAssignment: ['accept', 'refuse'],
  /**
   * A target that does not exist, or that is outside of the project that owns the set (docs/service.md 10.3). `accept`: the
   * first is left out, the second assigned.
   */
  wrongTarget: ['refuse', 'not-found', 'accept'],
  globalAssignments: ['kept', 'refuse'],
  /** `published`: creates get 200, deletes 204. `other`: 201 and 200. */
  successStatus: ['published', 'other'],
  missingPermission: ['not-found', 'forbidden', 'unauthorized'],
  errorBody: ['json-api', 'other-json', 'empty', 'html'],
  /** The largest page, and whether a larger one is reduced to it or refused with 422. */
  pageSize: ['clamp-100', 'clamp-20', 'refuse-20'],
  /**
   * Links and `meta.pagination` of lists, except of variables. `none`: pages without them. `unpaged`: lists of sets are always
   * complete and have neither, and other lists have no links and no `page-size`.
   */
  pageData: ['complete', 'none', 'unpaged'],
  /**
   * The lists of variables of a set or a workspace: pages of 20 with links, with `meta.pagination` instead, or with neither;
   * complete without either; or complete and refusing page parameters.
   */
  listVariables: ['pages', 'pages-meta', 'pages-bare', 'whole-bare', 'refuse'],
  listOrder: ['name', 'updated-at', 'random'],
  /** `truncated`: lists of sets show two references for each relationship, with the true counts. */
  relationshipLists: ['full', 'truncated'],
  /** `embedded`: inside the relationship, as the interface can be read (docs/service.md 4.11). */
  includeVars: ['included', 'ignored', 'embedded'],
  links: ['absolute', 'foreign'],
  /** Look-ups of workspaces and projects by list, name and id, which the interface does not have. */
  lookUps: ['answered', 'missing'],
  /** When a write appears in lists of sets. */
  lists: ['immediate', 'lag-reads', 'lag-time'],
  /** `deadlock`: an update of a set gets 500 while another set is assigned to workspaces, and the reverse. */
  parallelWrites: ['accept', 'deadlock'],
  /** How values are stored. `trim`: without white space at both ends, as keys. */
  text: ['verbatim', 'unix-newlines', 'trim'],
  /** Whether the real service's limits on lengths and line breaks apply (docs/service.md 11.2). */
  lengths: ['enforced', 'any'],
  /**
   * Undocumented members at random places; `relations`: each set has a count of, and a relationship to, objects of an unknown
   * kind.
   */
  extras: ['none', 'random', 'relations'],
} as const

export type Profile = { readonly [Name in keyof typeof SWITCHES]: (typeof SWITCHES)[Name][number] }

const NAMES = Object.keys(SWITCHES) as (keyof Profile)[]

export const DEFAULT_PROFILE = Object.fromEntries(NAMES.map(name => [name, SWITCHES[name][0]])) as Profile

/** The values of OTF that other servers may have, too (docs/service.md#servers-that-others-wrote). */
const OTF: Partial<Profile> = {
  sensitiveValue: 'empty',
  setMembers: 'ignored',
  repeatedAssignment: 'refuse',
  successStatus: 'other',
  missingPermission: 'forbidden',
  pageData: 'unpaged',
  listVariables: 'whole-bare',
  includeVars: 'ignored',
  text: 'trim',
}

/** The given switches, and the values that the server has for the others. Throws a RangeError for an unknown switch or value. */
export function profileOf(given: Partial<Profile> = {}): Profile {
  for (const [name, value] of Object.entries(given)) {
    const known: readonly string[] | undefined = AXES.find(axis => axis.name === name)?.values.map(
      one => one.value,
    )
    if (known === undefined)
      throw new RangeError(`Unknown switch "${name}". Known switches: ${NAMES.join(', ')}.`)
    if (!known.includes(value)) throw new RangeError(`"${name}" must be one of ${known.join(', ')}.`)
  }
  return { ...DEFAULT_PROFILE, ...(given.server === 'otf' ? OTF : {}), ...given }
}

/** What a server has beyond the first published interface. `more`: projects own sets, tokens have permissions, variables versions. */
type Feature = 'projects' | 'priority' | 'search' | 'more' | 'stacks'

const FEATURES: Readonly<Record<Profile['server'], readonly Feature[]>> = {
  hcp: ['projects', 'priority', 'search', 'more', 'stacks'],
  enterprise: ['projects', 'priority', 'search', 'more'],
  published: ['projects', 'priority', 'search'],
  '2023-10': ['projects', 'priority'],
  '2023-03': ['projects'],
  '2021-11': [],
  otf: ['priority'],
}

export const has = (feature: Feature, { server }: Profile) => FEATURES[server].includes(feature)

export const hasKind = (kind: AssignmentKind, profile: Profile) => kind === 'workspaces' || has(kind, profile)

/** Asked where OTF deviates in a way that no other server is known to have. */
export const isOtf = ({ server }: Profile) => server === 'otf'

/**
 * What a correct client may do under a value. `converges`: it must reach any desired state that the interface permits.
 * Otherwise it may fail in the case `when`, without damage, and with one of these exit codes: 0 with a warning that the service
 * changed something (an inventory remembers it; without one, each plan shows the change again), 1 error before any write, 3 goal
 * not reached, 4 refused.
 */
export type Expectation = 'converges' | { readonly exits: readonly (0 | 1 | 3 | 4)[]; readonly when: string }

export interface AxisValue {
  readonly value: string
  readonly expect: Expectation
}

export interface Axis {
  readonly name: keyof Profile
  readonly values: readonly AxisValue[]
}

const without = (when: string): Expectation => ({ exits: [1, 3, 4], when })
const differs = (when: string): Expectation => ({ exits: [3, 4], when })
const OUTSIDE = differs('a set of a project is assigned outside of the project')
const PUBLISHED = 'a set has Stacks or belongs to a project'

/** The values under which a client need not converge. */
const EXPECTED: { readonly [Name in keyof Profile]?: { readonly [Value in Profile[Name]]?: Expectation } } = {
  server: {
    enterprise: without('a set has Stacks'),
    published: without(PUBLISHED),
    '2023-10': without(PUBLISHED),
    '2023-03': without(`${PUBLISHED} or has priority`),
    '2021-11': without('a set has Stacks, projects or priority, or belongs to a project'),
    otf: {
      exits: [0, 1, 3, 4],
      when: 'a set has Stacks, projects or priority, or belongs to a project, or a key or a value begins or ends with white space',
    },
  },
  wrongTarget: { refuse: OUTSIDE, 'not-found': OUTSIDE },
  globalAssignments: { refuse: differs('a global set has its own assignments') },
  pageSize: { 'refuse-20': { exits: [1, 4], when: 'the client requests more than 20 entries per page' } },
  pageData: { none: { exits: [1], when: 'a set exists, so nothing proves that the list is complete' } },
  listOrder: { random: without('the list has several pages, so nothing proves that it is complete') },
  lookUps: {
    missing: { exits: [1], when: 'the files use the name of a workspace or project without its id' },
  },
  text: {
    'unix-newlines': { exits: [0], when: 'a value has Windows line ends' },
    trim: { exits: [0, 3, 4], when: 'a key or a value begins or ends with white space' },
  },
  lengths: {
    enforced: differs(
      'a key, value or description is longer than the known real service accepts, or an env value has several lines',
    ),
  },
  extras: { relations: { exits: [4], when: 'a set is deleted without approval' } },
}

/** Every switch of a profile with all its values, as data for tests. */
export const AXES: readonly Axis[] = NAMES.map(name => {
  const expected: Readonly<Record<string, Expectation>> = EXPECTED[name] ?? {}
  return { name, values: SWITCHES[name].map(value => ({ value, expect: expected[value] ?? 'converges' })) }
})
