import type { AssignmentKind } from './records.ts'
import { SERVERS, type ServerName, type Traits } from './servers.ts'

/** Which server the sandbox imitates, and three behaviours that vary by themselves. The first value is the default. */
const CHOICES = {
  server: Object.keys(SERVERS) as ServerName[],
  /**
   * The name of a set, or the key of a variable, that exists already. `second`: both are made a second time. `replace`: a
   * variable replaces the earlier one, and a set is made a second time.
   */
  duplicates: ['refuse', 'second', 'replace'],
  /** A larger page is reduced to it. */
  largestPage: [100, 20],
  /** When a write appears in lists of sets. `late`: three reads of a list do not show it. */
  lists: ['immediate', 'late'],
} as const

export type Profile = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] }

/** A server with all its answers. */
export interface Server extends Traits, Omit<Profile, 'server'> {}

const OTHERS = 'the other behaviours belong to a whole server'

/** What to write in place of the switches and values of 0.2. */
const INSTEAD = new Map(
  Object.entries({
    'server=published': 'write server=interface',
    'server=2023-10': 'write server=interface',
    'server=2023-03': 'write server=interface, or server=2021-11',
    'lists=lag-reads': 'write lists=late',
    'lists=lag-time': 'write lists=late',
    setNames: 'write duplicates=second',
    duplicateVariable: 'write duplicates=second or duplicates=replace',
    pageSize: 'write largestPage=20',
    sensitiveValue: 'write server=otf (empty), server=terse (left out) or server=loose (a mask)',
    setMembers: 'write server=otf or server=terrence',
    repeatedAssignment: 'write server=terse or server=otf',
    wrongTarget: 'write server=terse (404) or server=loose (accepted)',
    globalAssignments: `remove it: no known server refuses them`,
    successStatus: 'write server=loose or server=otf',
    missingPermission: 'write server=otf or server=loose (403)',
    errorBody: 'write server=loose (other JSON) or server=terse (none); --faults has the page',
    pageData: 'write server=otf',
    listVariables: 'write server=hcp (links and meta), server=terse (links) or server=otf (whole)',
    listOrder: 'write server=loose',
    relationshipLists: 'write server=terse',
    includeVars: 'write server=loose (embedded) or server=terse (ignored)',
    links: 'write server=loose',
    lookUps: 'write server=2021-11',
    parallelWrites: 'write server=otf',
    text: 'write server=otf (trimmed) or server=loose (Unix line endings)',
    lengths: 'write server=hcp, which limits them',
    extras: 'write server=loose',
  }),
)

/** The choices, completed by the defaults. Throws a RangeError for an unknown name or value, which says what there is. */
export function profileOf(given: Partial<Profile> = {}): Profile {
  for (const [name, value] of Object.entries(given)) {
    const known: readonly unknown[] | undefined = Object.hasOwn(CHOICES, name)
      ? CHOICES[name as keyof Profile]
      : undefined
    const instead = INSTEAD.get(`${name}=${value}`) ?? (known === undefined ? INSTEAD.get(name) : undefined)
    if (instead !== undefined)
      throw new RangeError(`${known === undefined ? `"${name}"` : `"${name}=${value}"`} is gone: ${instead}.`)
    if (known === undefined)
      throw new RangeError(`Unknown: "${name}". There are ${Object.keys(CHOICES).join(', ')}; ${OTHERS}.`)
    if (!known.includes(value)) throw new RangeError(`"${name}" must be one of ${known.join(', ')}.`)
  }
  return { server: 'interface', duplicates: 'refuse', largestPage: 100, lists: 'immediate', ...given }
}

export function serverOf(given: Partial<Profile> = {}, traits: Partial<Traits> = {}): Server {
  const { server, ...rest } = profileOf(given)
  return { ...SERVERS[server], ...rest, ...traits }
}

export const hasKind = (kind: AssignmentKind, server: Server) =>
  kind === 'workspaces' || server[kind] === 'yes'
