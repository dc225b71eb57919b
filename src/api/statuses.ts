/**
 * What a status means for a request that got it. A status after which a request is sent again has no cause: whatever the files say, the
 * next attempt may succeed.
 *
 * `throttled`: not carried out, and sent again. `transient`: a write may have been carried out, so only reading or a repeatable request is
 * sent again. Otherwise the refusal is final, and `cause` is what has to change: the files, the token, or neither (something is missing, or
 * somebody else made it at the same time).
 */
export type StatusMeaning =
  | { readonly retry: 'throttled' | 'transient' }
  | { readonly cause: 'files' | 'token' | 'neither' }

const MEANINGS: Readonly<Record<number, StatusMeaning>> = {
  401: { cause: 'token' },
  403: { cause: 'token' },
  404: { cause: 'neither' },
  408: { retry: 'transient' },
  409: { cause: 'neither' },
  429: { retry: 'throttled' },
  501: { cause: 'neither' },
  505: { cause: 'neither' },
}

/** The one table of statuses: what is repeated (`retry.ts`), what may have happened, and what an outcome is told to be caused by. */
export function meaningOf(status: number): StatusMeaning {
  const listed = MEANINGS[status]
  if (listed !== undefined) return listed
  if (status >= 500) return { retry: 'transient' }
  return { cause: status >= 400 ? 'files' : 'neither' }
}

/** How a request is sent again after this status; `undefined` if it is not. */
export function retryAfter(status: number): 'throttled' | 'transient' | undefined {
  const meaning = meaningOf(status)
  return 'retry' in meaning ? meaning.retry : undefined
}

/** Failures of the service after which a request may have been carried out. A 501 or 505 is final. */
export const isServerFailure = (status: number): boolean => retryAfter(status) === 'transient'
