/**
 * The assumptions of the sandbox where the interface says "not shown". They are here and in `servers.ts`, and nowhere else.
 * Each line names the source of the number or text.
 */
export const LIMITS = {
  /** docs/service.md 7. */
  defaultPageSize: 20,
  /** The real service's limits (docs/service.md 11.2). */
  keyLength: 128,
  valueBytes: 262_144,
  variableDescriptionLength: 512,
  /** A larger request body is refused with 413. */
  bodyBytes: 10 * 1024 * 1024,
  /** Assumed: smaller HTTP responses are not worth compressing. */
  gzipBytes: 1024,
  /** The real service's rate limit: requests per second and user (docs/service.md 9.3). */
  requestsPerSecond: 30,
  /** Assumed: how many references a truncated relationship list keeps (`references`). */
  truncatedList: 2,
  /** List reads until a write appears in late lists. */
  readsUntilListed: 3,
  /** Assumed: how long a write holds its lock where writes that meet are refused. */
  lockMilliseconds: 20,
} as const

/** Assumed statuses and texts; the interface shows only 200, 204, 404 and 422. */
export const ASSUMED = {
  /** JSON:API's own rule for a body of another media type. */
  wrongMediaType: 415,
  /** The text of a real service is unknown. */
  globalConflict: (key: string, category: string, set: string) =>
    `Variable "${key}" (${category}) is already in the global variable set "${set}"`,
  unknownTarget: (kind: string, id: string) => `No ${kind} with the id "${id}"`,
  /** How a database says it (docs/service.md#servers-that-others-wrote). */
  unknownKey: (kind: string, id: string) => `Key (${kind}_id)=(${id}) is not present in table "${kind}s".`,
  /** The text of the real service is unknown. */
  outsideProject: (kind: string, id: string) =>
    `The ${kind} "${id}" is not in the project that owns the variable set`,
  /** What masks a sensitive value. */
  mask: '(sensitive value)',
} as const

export const MEDIA_TYPE = 'application/vnd.api+json'
