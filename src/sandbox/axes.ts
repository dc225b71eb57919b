import type { Profile } from './profile.ts'

/**
 * What a correct client may do under a value. `converges`: it must reach any desired state that the interface permits.
 * Otherwise it may fail in the case `when`, without damage, and with one of these exit codes: 0 with a warning that the service
 * changed something, 1 error before any write, 3 goal not reached, 4 refused.
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

type Table = { readonly [Name in keyof Profile]: { readonly [Value in Profile[Name]]: Expectation } }

const converges = 'converges'
/** An inventory remembers it. Without one, each plan shows the change again. */
const storesOther = (when: string): Expectation => ({ exits: [0], when })
const without = (when: string): Expectation => ({ exits: [1, 3, 4], when })
const differs = (when: string): Expectation => ({ exits: [3, 4], when })

const TABLE: Table = {
  setNames: { unique: converges, any: converges },
  nameCompare: {
    exact: converges,
    'ignore-case': differs('two names differ only in case'),
    trim: differs('a name begins or ends with white space'),
    nfc: differs('a name is not in Unicode form NFC'),
  },
  sensitiveValue: { null: converges, empty: converges, missing: converges, mask: converges },
  duplicateVariable: { refuse: converges, second: converges, replace: converges },
  setUpdateOmitted: { 'priority-off': converges, unchanged: converges },
  setUpdateKnownVariable: { refuse: converges, second: converges, replace: converges },
  variableUpdateOmitted: {
    unchanged: converges,
    defaults: differs('a variable is updated without its value: no client can know that the value is lost'),
  },
  sensitiveChange: { refuse: converges, allow: converges },
  repeatedAssignment: { accept: converges, 'not-found': converges, refuse: converges },
  unknownTarget: { refuse: converges, 'not-found': converges, ignore: converges },
  globalAssignments: {
    kept: converges,
    cleared: differs('a global set has its own assignments'),
    refuse: differs('a global set has its own assignments'),
  },
  outsideProject: {
    refuse: differs('a set of a project is assigned outside of the project'),
    'not-found': differs('a set of a project is assigned outside of the project'),
    ignore: differs('a set of a project is assigned outside of the project'),
    accept: converges,
  },
  stacks: {
    answered: converges,
    refused: without('a set has Stacks'),
    enterprise: without('a set has Stacks'),
  },
  beyond: { known: converges, none: without('a set has Stacks or belongs to a project') },
  createStatus: { 200: converges, 201: converges },
  deleteStatus: { 204: converges, 200: converges },
  missingPermission: { 'not-found': converges, forbidden: converges, unauthorized: converges },
  badToken: { unauthorized: converges, 'not-found': converges },
  errorBody: {
    'json-api': converges,
    'number-status': converges,
    'other-json': converges,
    empty: converges,
    html: converges,
  },
  pageSize: {
    'clamp-100': converges,
    'clamp-20': converges,
    'refuse-100': converges,
    'refuse-20': { exits: [1, 4], when: 'the client requests more than 20 entries per page' },
  },
  listOrder: {
    name: converges,
    id: converges,
    'updated-at': converges,
    random: { exits: [1, 3, 4], when: 'the list has several pages, so nothing proves that it is complete' },
  },
  tool: {
    terraform: converges,
    tool: differs('the client does not know that the category is called "tool"'),
  },
  emptyDescription: { empty: converges, null: converges, missing: converges },
  hclOfEnv: { stored: converges, false: converges },
  relationshipLists: { full: converges, truncated: converges },
  includeVars: { included: converges, ignored: converges, embedded: converges },
  listVariables: {
    pages: converges,
    'pages-meta': converges,
    'pages-both': converges,
    'pages-bare': converges,
    'pages-20': converges,
    whole: converges,
    refuse: converges,
  },
  links: { absolute: converges, relative: converges, foreign: converges },
  lookUps: {
    answered: converges,
    missing: { exits: [1], when: 'the files use the name of a workspace or project without its id' },
  },
  lists: { immediate: converges, 'lag-reads': converges, 'lag-time': converges },
  text: {
    verbatim: converges,
    'trim-newline': storesOther('a value ends with a newline'),
    'unix-newlines': storesOther('a value has Windows line ends'),
  },
  lengths: {
    enforced: differs(
      'a key, value or description is longer than the known real service accepts, or an env value has several lines',
    ),
    any: converges,
  },
  rateLimit: { off: converges, seconds: converges, date: converges, reset: converges, silent: converges },
  extras: {
    none: converges,
    random: converges,
    relations: { exits: [4], when: 'a set is deleted without approval' },
  },
  service: {
    '2024-03': converges,
    '2023-10': converges,
    '2023-03': differs('a set has priority'),
    '2021-11': { exits: [1, 3, 4], when: 'a set has projects or priority' },
  },
}

/** Every switch of a profile with all its values, as data for tests. */
export const AXES: readonly Axis[] = (Object.keys(TABLE) as (keyof Profile)[]).map(name => ({
  name,
  values: Object.entries(TABLE[name]).map(([value, expect]) => ({
    value: name === 'createStatus' || name === 'deleteStatus' ? Number(value) : value,
    expect,
  })),
}))
