import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '../wire/transport.ts'
import { seededRandom, systemClock } from './clock-and-chance.ts'
import { type Delivery, deliver, type Fault, type FaultSchedule } from './faults.ts'

/** Chooses the fault for each request in turn. */
export function faultPicker(schedule: FaultSchedule): (request: ApiRequest) => Fault | undefined {
  const random = seededRandom(schedule.seed ?? 1)
  const { probability = 0, faults = [], matches = () => true } = schedule
  let count = 0
  return request => {
    if (!matches(request)) return undefined
    const planned = schedule.at?.[count]
    count += 1
    if (planned !== undefined) return planned
    return random() < probability ? faults[Math.floor(random() * faults.length)] : undefined
  }
}

/**
 * A transport on which requests go wrong as scheduled. A lost connection rejects with a TransportError whose `sent` is
 * `maybe`; a stalled body rejects when the signal aborts, and never without one.
 */
export function withFaults(
  next: Transport,
  schedule: FaultSchedule,
  options: { readonly now?: () => Date } = {},
): Transport {
  const pick = faultPicker(schedule)
  const now = options.now ?? systemClock
  return async (request, signal) =>
    arrivalOf(await deliver(pick(request), () => next(request, signal), now), signal)
}

/** Delays each response by this many milliseconds, or by what the function returns for the request. */
export function withLatency(next: Transport, latency: number | ((request: ApiRequest) => number)): Transport {
  return async (request, signal) => {
    await pause(typeof latency === 'number' ? latency : latency(request), signal)
    return next(request, signal)
  }
}

/** Rejects if the signal aborts first; then nothing was sent. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(new TransportError('aborted before it was sent', { sent: 'no', code: 'ABORT_ERR' }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

async function arrivalOf(delivery: Delivery, signal: AbortSignal | undefined): Promise<ApiResponse> {
  if (delivery.kind === 'whole') return delivery.response
  if (delivery.kind === 'nothing') throw lost('the connection was closed before an answer', 'ECONNRESET')
  switch (delivery.then) {
    case 'end':
      return delivery.response
    case 'close':
      throw lost('the connection was closed in the body', 'UND_ERR_SOCKET')
    case 'silence':
      await aborted(signal)
      throw lost('the answer did not end', 'ABORT_ERR')
  }
}

const lost = (message: string, code: string) => new TransportError(message, { sent: 'maybe', code })

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<void>(resolve => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
