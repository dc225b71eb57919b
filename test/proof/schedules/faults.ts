import type { ApiRequest } from '../../../src/wire/transport.ts'

/** What can happen to one request. `before`, `after`: before or after the service acts. */
export const KINDS = [
  'not-sent',
  'lost-before',
  'lost-after',
  'throttled-seconds',
  'throttled-date',
  'throttled-reset',
  'throttled-silent',
  'failure-before',
  'failure-after',
  'failure-burst',
  'refused-echo',
  'refused-after',
  'truncated-after',
  'cut-after',
  'html-before',
  'html-after',
  'empty-before',
  'empty-after',
  'wrong-before',
  'wrong-after',
  'absent-once',
  'absent-from-here',
  'unauthorized-from-here',
  'unauthorized-after',
  'late-before',
  'late-after',
  'kill-before',
  'kill-after',
  'doubled-after',
  'garbled-before',
  'garbled-after',
  'odd-status-before',
  'odd-status-after',
  'paced-after',
] as const

/** Faults of lists only: an entry is missing, or the response is an old one. */
export const LIST_KINDS = ['list-short', 'list-stale'] as const

/** The service leaves out a part of what it is told to write, and reports success. */
export const WRITE_KINDS = ['left-out'] as const

/** A signal of the user that arrives together with this request. */
export const SIGNAL_KINDS = ['signal-before', 'signal-after'] as const

export type Kind =
  | (typeof KINDS)[number]
  | (typeof LIST_KINDS)[number]
  | (typeof WRITE_KINDS)[number]
  | (typeof SIGNAL_KINDS)[number]

export const ALL_KINDS: readonly Kind[] = [...KINDS, ...LIST_KINDS, ...WRITE_KINDS, ...SIGNAL_KINDS]

export const isKind = (text: string): text is Kind => ALL_KINDS.some(kind => kind === text)

/**
 * Faults from which a run must recover by itself, by repeating or reading back. Not among them: a service that hides or
 * refuses, responses of a proxy that cannot be detected, and the end of the process.
 */
export const HARMLESS: readonly Kind[] = [
  'not-sent',
  'lost-before',
  'lost-after',
  'throttled-seconds',
  'throttled-date',
  'throttled-reset',
  'throttled-silent',
  'failure-before',
  'failure-after',
  'truncated-after',
  'cut-after',
  'html-after',
  'empty-after',
  'wrong-after',
  'late-before',
  'late-after',
  'paced-after',
]

/** The request of a run that a fault hits, by order of arrival, from 0, or `EVERY` one. */
export interface Strike {
  readonly index: number
  readonly kind: Kind
}

export const EVERY = -1

/** What a request does, as a row of the table of cells. */
export const OPERATIONS = [
  'list-sets',
  'search-sets',
  'show-set',
  'list-variables',
  'create-set',
  'update-set',
  'delete-set',
  'create-variable',
  'update-variable',
  'delete-variable',
  'assign',
  'unassign',
] as const

export type OperationName = (typeof OPERATIONS)[number]

export function operationOf(request: ApiRequest): OperationName {
  const [, , , kind, owner = '', , target] = request.path.split('/')
  if (kind === 'organizations') {
    if (request.method === 'POST') return 'create-set'
    return request.query?.q === undefined ? 'list-sets' : 'search-sets'
  }
  if (owner === '') throw new TypeError(`unexpected request ${request.method} ${request.path}`)
  if (target === undefined) return onSet(request)
  if (target !== 'vars') return request.method === 'POST' ? 'assign' : 'unassign'
  const onVariable = { GET: 'list-variables', POST: 'create-variable', DELETE: 'delete-variable' } as const
  return request.method === 'PATCH' || request.method === 'PUT'
    ? 'update-variable'
    : onVariable[request.method]
}

function onSet(request: ApiRequest): OperationName {
  if (request.method === 'GET') return 'show-set'
  if (request.method === 'DELETE') return 'delete-set'
  return 'update-set'
}

const LISTS: readonly OperationName[] = ['list-sets', 'search-sets', 'list-variables']
const BARE: readonly OperationName[] = ['delete-set', 'delete-variable', 'assign', 'unassign']

/** Why a fault can never hit an operation; `undefined` if it can. */
export function whyNever(operation: OperationName, kind: Kind): string | undefined {
  if (LIST_KINDS.some(one => one === kind) && !LISTS.includes(operation)) return 'only lists have entries'
  if (kind === 'left-out' && operation !== 'create-set' && operation !== 'update-set')
    return 'only sets are written with several parts'
  if (kind === 'cut-after' && BARE.includes(operation))
    return 'the response is only a status, which cannot be truncated'
  return undefined
}

export const isWriteOperation = (operation: OperationName): boolean =>
  !operation.startsWith('list-') && operation !== 'search-sets' && operation !== 'show-set'
export const isWrite = (request: ApiRequest): boolean => request.method !== 'GET'
export const isList = (request: ApiRequest): boolean =>
  request.method === 'GET' && request.path.startsWith('/api/v2/organizations/')
