/** How a server answers where the interface is silent, and where it deviates. `BEHAVIOURS` says what each member is about. */
export interface Traits {
  readonly application: 'HCP Terraform' | 'Terraform Enterprise' | 'none'
  readonly projects: 'yes' | 'no'
  /** `a word`: none, but `include` accepts the word. */
  readonly stacks: 'yes' | 'a word' | 'no'
  /** `not kept`: such a set is made, and the organization owns it. */
  readonly owners: 'yes' | 'not kept' | 'no'
  /** `kept`: an update without it leaves it. `defaults`: such an update makes it false. */
  readonly priority: 'defaults' | 'kept' | 'not kept' | 'no'
  readonly search: 'yes' | 'no'
  readonly lookUps: 'yes' | 'no'
  readonly effective: 'yes' | 'no'
  readonly trailingSlash: 'yes' | 'no'
  readonly updates: 'PATCH, PUT, POST' | 'PATCH'
  /**
   * `whole`: with links, and in pages only if a page is requested. `counted`: pages of 20 with links and `meta`. `linked`: such
   * pages with links. `bare`: whole, without links.
   */
  readonly variableLists: 'whole' | 'counted' | 'linked' | 'bare'
  readonly setLists: 'counted' | 'bare'
  /** `unsized`: pages without links, and `meta` without `page-size`. */
  readonly placeLists: 'counted' | 'unsized'
  readonly listOrder: 'name' | 'updated-at'
  readonly references: 'all' | 'two'
  /** `embedded`: inside the relationship, as the interface can be read (docs/service.md 4.11). */
  readonly include: 'included' | 'embedded' | 'ignored'
  /** `foreign`: they name another host. No client may follow them. */
  readonly links: 'own' | 'foreign'
  readonly counts: 'yes' | 'without times' | 'no'
  readonly versions: 'yes' | 'no'
  readonly sensitiveValue: 'null' | 'empty' | 'left out' | 'mask'
  /** Members that no document mentions, at random places (docs/fault-model.md F-36). */
  readonly extras: 'none' | 'random'
  /** `hyphens`: they have the form of a UUID. */
  readonly ids: 'letters' | 'hyphens'
  /** Of a set, and of a variable. */
  readonly created: readonly [set: 200 | 201, variable: 200 | 201]
  readonly deleted: readonly [set: 200 | 204, variable: 200 | 204]
  /** Whether the body of a create or an update writes the variables and the assignments of a set. */
  readonly setBody: 'written' | 'ignored'
  readonly setNames: 'unique' | 'any'
  readonly storedNames: 'as sent' | 'trimmed' | 'lower case'
  readonly storedKeys: 'as sent' | 'trimmed' | 'lower case'
  readonly storedValues: 'as sent' | 'trimmed' | 'Unix line endings'
  /** `lines allowed`: lengths are limited, and a value under `env` may have line breaks. */
  readonly lengths: 'any' | 'limited' | 'lines allowed'
  /** `identifiers`: other keys are refused, and a set has each key once, whatever its category. */
  readonly keys: 'any' | 'identifiers'
  readonly globalConflicts: 'refused' | 'accepted'
  /** `with its key`: even a request that repeats its key is refused. */
  readonly sensitiveChanges: 'refused' | 'with its key' | 'accepted'
  readonly repeatedAssignments: 'accepted' | 'refused'
  /** `accepted`: a target that does not exist is left out, and one outside of the project that owns the set is assigned. */
  readonly wrongTargets: 422 | 404 | 500 | 'accepted'
  readonly writesThatMeet: 'accepted' | 'deadlock'
  readonly denied: 404 | 403
  readonly wrongToken: 401 | 404
  /** `typed`: a 204 has the media type of JSON:API. */
  readonly emptyBodies: 'plain' | 'typed'
  readonly missingOrganization: '404' | 'empty lists'
  /** `database`: 409 for a name that is taken, and 500 with the reason of the database for a key or a conflict. */
  readonly refusals: '422' | 'database'
  /** `text`: JSON:API, but plain text for 401 and for an unknown path. */
  readonly errorBodies: 'JSON:API' | 'text' | 'other JSON' | 'none'
}

/** Each row of the table, in words. */
export const BEHAVIOURS: Readonly<Record<keyof Traits, string>> = {
  application: 'the header `TFP-AppName`',
  projects: 'projects: their paths, assignments to them, `project-count`',
  stacks: 'Stacks: their paths, assignments to them, `stack-count`',
  owners: 'sets that a project owns (`parent`), and `permissions` of sets',
  priority: 'priority: kept if an update leaves it out, or made false (`defaults`)',
  search: '`q` on lists of sets',
  lookUps: 'workspaces and projects by list, name and id',
  effective: '`all-vars` and `applicable-varsets` of a workspace, and the sets of a project',
  trailingSlash: 'a path that ends with a slash',
  updates: 'methods that update a set',
  variableLists: 'lists of variables',
  setLists: 'lists of sets',
  placeLists: 'lists of workspaces, projects and organizations',
  listOrder: 'order of lists of sets',
  references: 'references of a set in lists',
  include: '`include=vars`',
  links: 'links',
  counts: 'counts, `updated-at` and `created-at`',
  versions: '`version-id` of a variable',
  sensitiveValue: 'the value of a sensitive variable',
  extras: 'members that no document mentions',
  ids: 'new ids',
  created: 'status of creating a set, and a variable',
  deleted: 'status of deleting a set, and a variable',
  setBody: '`vars`, `workspaces`, `projects` in the body of a set',
  setNames: 'names of sets',
  storedNames: 'names of sets are stored',
  storedKeys: 'keys are stored',
  storedValues: 'values are stored',
  lengths: 'lengths, and line breaks under `env`',
  keys: 'keys of variables',
  globalConflicts: 'one key in two global sets',
  sensitiveChanges: 'another key or `hcl` of a sensitive variable, or making it readable',
  repeatedAssignments: 'assigning twice, unassigning what is not assigned',
  wrongTargets: 'assigning an unknown target, or one outside of the owning project',
  writesThatMeet: 'an update of a set while another one is assigned',
  denied: 'without the permission',
  wrongToken: 'with an unknown token',
  emptyBodies: 'answers without a body',
  missingOrganization: 'an organization that does not exist',
  refusals: 'a refused request',
  errorBodies: 'bodies of errors',
}

/** The interface to the letter, with the paths beyond it that clients need (docs/service.md 1 to 14). */
const letter: Traits = {
  application: 'HCP Terraform',
  projects: 'yes',
  stacks: 'yes',
  owners: 'yes',
  priority: 'defaults',
  search: 'yes',
  lookUps: 'yes',
  effective: 'yes',
  trailingSlash: 'yes',
  updates: 'PATCH, PUT, POST',
  variableLists: 'whole',
  setLists: 'counted',
  placeLists: 'counted',
  listOrder: 'name',
  references: 'all',
  include: 'included',
  links: 'own',
  counts: 'yes',
  versions: 'yes',
  sensitiveValue: 'null',
  extras: 'none',
  ids: 'letters',
  created: [200, 200],
  deleted: [204, 204],
  setBody: 'written',
  setNames: 'unique',
  storedNames: 'as sent',
  storedKeys: 'as sent',
  storedValues: 'as sent',
  lengths: 'any',
  keys: 'any',
  globalConflicts: 'refused',
  sensitiveChanges: 'refused',
  repeatedAssignments: 'accepted',
  wrongTargets: 422,
  writesThatMeet: 'accepted',
  denied: 404,
  wrongToken: 401,
  emptyBodies: 'plain',
  missingOrganization: '404',
  refusals: '422',
  errorBodies: 'JSON:API',
}

/** The known real service (docs/service.md 9 to 12). */
const hcp: Traits = {
  ...letter,
  priority: 'kept',
  variableLists: 'counted',
  created: [201, 201],
  lengths: 'limited',
}

/**
 * Whole servers: known ones, and three that a client has to survive. `loose` changes and adds what it can, `terse` leaves out
 * what it can, `2021-11` is the first published interface (docs/service.md 8).
 */
export const SERVERS = {
  interface: letter,
  hcp,
  enterprise: { ...hcp, application: 'Terraform Enterprise', stacks: 'a word' },
  '2021-11': {
    ...letter,
    projects: 'no',
    stacks: 'no',
    owners: 'no',
    priority: 'no',
    search: 'no',
    lookUps: 'no',
    effective: 'no',
    trailingSlash: 'no',
    versions: 'no',
  },
  /** docs/service.md#how-otf-deviates. */
  otf: {
    ...letter,
    application: 'none',
    projects: 'no',
    stacks: 'no',
    owners: 'no',
    priority: 'not kept',
    search: 'no',
    effective: 'no',
    trailingSlash: 'no',
    updates: 'PATCH',
    variableLists: 'bare',
    setLists: 'bare',
    placeLists: 'unsized',
    include: 'ignored',
    counts: 'no',
    sensitiveValue: 'empty',
    created: [201, 201],
    deleted: [204, 200],
    setBody: 'ignored',
    storedKeys: 'trimmed',
    storedValues: 'trimmed',
    lengths: 'lines allowed',
    sensitiveChanges: 'with its key',
    repeatedAssignments: 'refused',
    wrongTargets: 500,
    writesThatMeet: 'deadlock',
    denied: 403,
    missingOrganization: 'empty lists',
    refusals: 'database',
    errorBodies: 'text',
  },
  /** docs/service.md#how-terrence-deviates. */
  terrence: {
    ...hcp,
    application: 'none',
    owners: 'not kept',
    effective: 'no',
    updates: 'PATCH',
    include: 'ignored',
    counts: 'without times',
    versions: 'no',
    ids: 'hyphens',
    created: [201, 200],
    setBody: 'ignored',
    setNames: 'any',
    storedNames: 'trimmed',
    lengths: 'any',
    keys: 'identifiers',
    globalConflicts: 'accepted',
    sensitiveChanges: 'accepted',
    wrongToken: 404,
    emptyBodies: 'typed',
  },
  loose: {
    ...letter,
    priority: 'kept',
    variableLists: 'counted',
    listOrder: 'updated-at',
    include: 'embedded',
    links: 'foreign',
    sensitiveValue: 'mask',
    extras: 'random',
    ids: 'hyphens',
    created: [201, 201],
    deleted: [200, 200],
    storedNames: 'lower case',
    storedKeys: 'lower case',
    storedValues: 'Unix line endings',
    wrongTargets: 'accepted',
    denied: 403,
    errorBodies: 'other JSON',
  },
  terse: {
    ...letter,
    variableLists: 'linked',
    references: 'two',
    include: 'ignored',
    sensitiveValue: 'left out',
    repeatedAssignments: 'refused',
    wrongTargets: 404,
    errorBodies: 'none',
  },
} as const satisfies Readonly<Record<string, Traits>>

export type ServerName = keyof typeof SERVERS
