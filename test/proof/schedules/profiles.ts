import { PROFILES as OTHERS, type Profile } from '../../../src/sandbox/index.ts'

/**
 * Services on which a correct client must converge: every value here is `converges` in the sandbox's AXES, or changes the
 * text of values (`text`), which no case notices, because its values have no line endings.
 */
export const PROFILES: Readonly<Record<string, Partial<Profile>>> = {
  default: {},
  lenient: {
    setNames: 'any',
    duplicateVariable: 'second',
    createStatus: 201,
    deleteStatus: 200,
  },
  upsert: {
    setNames: 'any',
    duplicateVariable: 'replace',
    sensitiveValue: 'mask',
    setUpdateOmitted: 'unchanged',
  },
  strict: {
    repeatedAssignment: 'refuse',
    unknownTarget: 'not-found',
    sensitiveValue: 'missing',
    errorBody: 'empty',
    emptyDescription: 'missing',
  },
  absent: {
    repeatedAssignment: 'not-found',
    errorBody: 'html',
    sensitiveValue: 'empty',
    missingPermission: 'forbidden',
    listOrder: 'updated-at',
    stacks: 'enterprise',
  },
  bare: {
    includeVars: 'ignored',
    relationshipLists: 'truncated',
    setNames: 'any',
    emptyDescription: 'null',
    errorBody: 'number-status',
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
  'lag-time': { lists: 'lag-time', setNames: 'any', deleteStatus: 200, text: 'trim-newline' },
  old: {
    service: '2023-10',
    pageSize: 'refuse-100',
    extras: 'random',
    sensitiveChange: 'allow',
    listOrder: 'id',
    beyond: 'none',
  },
  unpaged: {
    setLists: 'whole-bare',
    pageData: 'no-size',
    counts: 'missing',
    includeVars: 'ignored',
    listVariables: 'whole-bare',
    sensitiveValue: 'empty',
    createStatus: 201,
  },
  /** It creates sets without their variables and assignments. */
  partial: { setMembers: 'ignored', duplicateVariable: 'second' },
  otf: OTHERS.otf,
  pages: { pageSize: 'clamp-20', duplicateVariable: 'second' },
  'pages-lenient': { pageSize: 'clamp-20', setNames: 'any', includeVars: 'embedded', sensitiveValue: 'mask' },
  'pages-variables': { includeVars: 'ignored', listVariables: 'pages-meta', pageSize: 'clamp-20' },
}

/** Services with small pages. Only a case with many sets or many variables has several pages on them. */
export const PAGED: readonly string[] = ['pages', 'pages-lenient', 'pages-variables']
