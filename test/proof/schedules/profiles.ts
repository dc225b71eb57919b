import type { Profile } from '../../../src/sandbox/index.ts'

/**
 * Services on which a correct client must converge: every value here is `converges` in the sandbox's AXES, or is about what no
 * case has: `text` about values with white space at their ends, `server` about what `onService` leaves out.
 */
export const PROFILES: Readonly<Record<string, Partial<Profile>>> = {
  default: {},
  lenient: {
    setNames: 'any',
    duplicateVariable: 'second',
    successStatus: 'other',
  },
  upsert: {
    setNames: 'any',
    duplicateVariable: 'replace',
    sensitiveValue: 'mask',
  },
  strict: {
    repeatedAssignment: 'refuse',
    wrongTarget: 'not-found',
    sensitiveValue: 'missing',
    errorBody: 'empty',
  },
  absent: {
    repeatedAssignment: 'refuse',
    errorBody: 'html',
    sensitiveValue: 'empty',
    missingPermission: 'forbidden',
    listOrder: 'updated-at',
    server: 'enterprise',
  },
  bare: {
    includeVars: 'ignored',
    relationshipLists: 'truncated',
    setNames: 'any',
    errorBody: 'other-json',
    listVariables: 'pages-bare',
  },
  embedded: {
    includeVars: 'embedded',
    relationshipLists: 'truncated',
    duplicateVariable: 'second',
    links: 'foreign',
  },
  'lag-reads': { lists: 'lag-reads', duplicateVariable: 'second', errorBody: 'other-json' },
  'lag-reads-lenient': {
    lists: 'lag-reads',
    setNames: 'any',
    duplicateVariable: 'second',
  },
  'lag-time': { lists: 'lag-time', setNames: 'any', successStatus: 'other', text: 'trim' },
  old: {
    server: '2023-10',
    pageSize: 'refuse-20',
    extras: 'random',
  },
  unpaged: {
    pageData: 'unpaged',
    includeVars: 'ignored',
    listVariables: 'whole-bare',
    sensitiveValue: 'empty',
    successStatus: 'other',
  },
  /** It creates sets without their variables and assignments. */
  partial: { setMembers: 'ignored', duplicateVariable: 'second' },
  otf: { server: 'otf' },
  pages: { pageSize: 'clamp-20', duplicateVariable: 'second' },
  'pages-lenient': { pageSize: 'clamp-20', setNames: 'any', includeVars: 'embedded', sensitiveValue: 'mask' },
  'pages-variables': { includeVars: 'ignored', listVariables: 'pages-meta', pageSize: 'clamp-20' },
}

/** Services with small pages. Only a case with many sets or many variables has several pages on them. */
export const PAGED: readonly string[] = ['pages', 'pages-lenient', 'pages-variables']
