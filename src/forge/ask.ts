import type { ApiRequest, ApiResponse, Transport } from '../wire/transport.ts'
import { malformed, refusal } from './error.ts'
import type { ForgeName } from './place.ts'

/** Comments a page; both forges allow no more. */
export const PAGE = 100

/** More pages than any conversation has. A forge that never comes to an end is wrong. */
const MOST_PAGES = 200

export type Asking = Omit<ApiRequest, 'headers' | 'body'> & { readonly body?: object }

/** Asks a forge: JSON in, an answer with a good status out, everything else as a `ForgeError`. */
export function askOf(forge: ForgeName, transport: Transport, accept: string) {
  return async ({
    body,
    ...rest
  }: Asking): Promise<{ readonly request: ApiRequest; readonly response: ApiResponse }> => {
    const request: ApiRequest = {
      ...rest,
      headers: {
        accept,
        // GitHub answers nobody who does not say who they are.
        'user-agent': 'setpoint',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const response = await transport(request)
    if (response.status < 200 || response.status >= 300) throw refusal(forge, request, response)
    return { request, response }
  }
}

export type Ask = ReturnType<typeof askOf>

/** The answer's document, where it has the form that `read` finds in it. */
export async function documentOf<T>(
  forge: ForgeName,
  asked: ReturnType<Ask>,
  expected: string,
  read: (document: unknown) => T | undefined,
): Promise<{ readonly value: T; readonly headers: ApiResponse['headers'] }> {
  const { request, response } = await asked
  const value = read(jsonOf(response.body))
  if (value === undefined) throw malformed(forge, request, expected)
  return { value, headers: response.headers }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The entries of every page. A page may be shorter than the others although more follow, where entries are left out that
 * the token may not see: so `hasNext` asks the headers, and only where they say nothing the length counts.
 */
export async function everyPage<T>(
  read: (page: number) => Promise<{ readonly value: readonly T[]; readonly headers: ApiResponse['headers'] }>,
  hasNext: (headers: ApiResponse['headers']) => boolean | undefined,
  tooMany: () => Error,
): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { value, headers } = await read(page)
    found.push(...value)
    if (!(hasNext(headers) ?? value.length === PAGE)) return found
  }
  throw tooMany()
}
