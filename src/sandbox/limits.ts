/**
 * What the sandbox assumes where the interface says "not shown": decided here and in `profile.ts`, nowhere else.
 * Each line names where the number or the word comes from.
 */
export const LIMITS = {
  /** Interface 8. */
  defaultPageSize: 20,
  /** The most of the real service (docs/service.md 9.4); only the `pageSize` axis reads it. */
  maximumPageSize: 100,
  /** The value of the `pageSize` axis that stands for a service with smaller pages. */
  smallPageSize: 20,
  /** What the real service takes (docs/service.md 11.2); the `lengths` axis turns them off. */
  keyLength: 128,
  valueBytes: 262_144,
  variableDescriptionLength: 512,
  /** A larger request body is refused with 413. */
  bodyBytes: 10 * 1024 * 1024,
  /** Our own choice: each answer on a connection is held in memory until those before it were read. */
  requestsPerConnection: 32,
  /** Assumed: HTTP answers below it are not worth compressing. */
  gzipBytes: 1024,
  /** The real service's rate: requests a second for one user (docs/service.md 9.3). */
  requestsPerSecond: 30,
  /** Assumed: references that a truncated relationship list keeps (the `relationshipLists` axis). */
  truncatedList: 2,
  /** The `lists` axis: list reads, or milliseconds, after which a write shows in lists. */
  lagReads: 3,
  lagMilliseconds: 500,
} as const

/** Assumed statuses and words; the interface shows only 200, 204, 404 and 422. */
export const ASSUMED = {
  /** JSON:API's own rule for a body of another media type. */
  wrongMediaType: 415,
  /** The text of the global conflict is known of no service. */
  globalConflict: (key: string, category: string, set: string) =>
    `Variable "${key}" (${category}) is already in the global variable set "${set}"`,
  unknownTarget: (kind: string, id: string) => `No ${kind} with the id "${id}"`,
  /** What the real service says of it is not known. */
  outsideProject: (kind: string, id: string) =>
    `The ${kind} "${id}" is not in the project that owns the variable set`,
  /** The text that stands for a sensitive value under the `mask` profile. */
  mask: '(sensitive value)',
} as const

export const MEDIA_TYPE = 'application/vnd.api+json'

/** Headers that clients read from the ping (docs/service.md 9.5); sent with every answer of the interface. */
export const SERVICE_HEADERS = { 'tfp-api-version': '2.6', 'tfp-appname': 'HCP Terraform' } as const
export const ENTERPRISE_HEADERS = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Terraform Enterprise',
  'x-tfe-version': '1.0.0',
} as const

/** Only scheme and host of the first are used by the provider (docs/service.md 14.2). */
export const DISCOVERY = {
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
  'state.v2': '/api/v2/',
} as const

/** Links of in-process answers, where no request names a host. `.invalid` never resolves. */
export const IN_PROCESS_BASE = 'http://sandbox.invalid'
/** The `links` axis: nobody must follow them. */
export const FOREIGN_BASE = 'https://elsewhere.invalid'
