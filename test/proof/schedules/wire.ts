import { type Profile, serverOf } from '../../../src/sandbox/profile.ts'
import { tooMany } from '../../../src/sandbox/too-many-requests.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type Transport,
  TransportError,
} from '../../../src/wire/transport.ts'
import {
  ABSENT,
  EMPTY,
  errors,
  failure,
  GARBLED_AFTER,
  GARBLED_BEFORE,
  HTML,
  ODD_AFTER,
  ODD_BEFORE,
  paced,
  shortened,
  UNAUTHORIZED,
  withoutParts,
} from './answers.ts'
import {
  EVERY,
  isList,
  isWrite,
  type Kind,
  type OperationName,
  operationOf,
  type Strike,
  whyNever,
} from './faults.ts'
import { listKey, type SimulatedService } from './service.ts'
import type { VirtualTime } from './time.ts'

/** How many requests of a burst fail after the first one, so that several may be repeated. */
const BURST = 5
/** The time limit of one attempt in `api/http.ts`. */
const DEADLINE = 30_000

/** Faults that refuse what the service did. */
const REFUSING: readonly Kind[] = ['refused-after', 'doubled-after', 'odd-status-after']

export interface Hit {
  readonly operation: OperationName
  readonly kind: Kind
}

interface Travelling {
  readonly request: ApiRequest
  readonly answer: (response: ApiResponse) => void
  readonly fail: (error: TransportError) => void
}

/** Earlier responses, for faults that return an old response or that of another request. Lives as long as a schedule. */
export interface Memory {
  last: ApiResponse | undefined
  readonly lists: Map<string, ApiResponse>
}

/** The network of one run. The seed decides which requests overtake others, and the schedule decides which faults they meet. */
export class Wire {
  readonly hits: Hit[] = []
  readonly operations: OperationName[] = []
  killed = false
  /** Number of requests that the program sent. */
  left = 0
  /** Every write that the program sent, whether it arrived or not. */
  readonly writes: ApiRequest[] = []
  /** Writes that were sent after the user's signal, or after the token was rejected. */
  readonly late: ApiRequest[] = []
  readonly #stop = new AbortController()
  readonly #service: SimulatedService
  readonly #time: VirtualTime
  readonly #strikes: ReadonlyMap<number, Kind>
  readonly #memory: Memory
  readonly #allowsDoubles: boolean
  /** Whether a list may be older than the last write. */
  readonly #lags: boolean
  /** Whether it stores keys in another form. */
  readonly #folds: boolean
  readonly #travelling = new Set<Travelling>()
  #arrived = 0
  #wrote = false
  #liedAboutDelete = false
  #refusedWhatItDid = false
  #absent = false
  #unauthorized = false
  #failing = 0
  #isToStop = false
  /** Of faults with several forms, one for the whole run. */
  #form: number | undefined

  constructor(
    service: SimulatedService,
    time: VirtualTime,
    strikes: readonly Strike[],
    memory: Memory,
    profile: Partial<Profile>,
  ) {
    const { setNames, duplicates, lists, storedKeys } = serverOf(profile)
    this.#folds = storedKeys === 'lower case'
    this.#allowsDoubles = setNames === 'any' || duplicates !== 'refuse'
    this.#lags = lists === 'late'
    this.#service = service
    this.#time = time
    this.#strikes = new Map(strikes.map(({ index, kind }) => [index, kind]))
    this.#memory = memory
    // An earlier run's list, in place of the first one of this run, would be `list-stale`.
    memory.last = undefined
  }

  get stop(): AbortSignal {
    return this.#stop.signal
  }

  readonly transport: Transport = request =>
    new Promise((answer, fail) => {
      const travelling = { request, answer, fail }
      this.left += 1
      if (isWrite(request)) this.writes.push(request)
      if (isWrite(request) && this.#isToStop) this.late.push(request)
      this.#travelling.add(travelling)
      this.#time.after(1 + this.#time.pick(20), () => this.#arrive(travelling))
    })

  #arrive(travelling: Travelling): void {
    this.#travelling.delete(travelling)
    const { request } = travelling
    const operation = operationOf(request)
    const kind = this.#strikes.get(this.#arrived++) ?? this.#strikes.get(EVERY)
    this.operations.push(operation)
    this.#wrote ||= isWrite(request)
    if (kind !== undefined && this.#applies(kind, operation, request)) {
      this.hits.push({ operation, kind })
      this.#refusedWhatItDid ||= REFUSING.includes(kind) && isWrite(request)
      this.#liedAboutDelete ||=
        operation === 'delete-set' && /^(?:empty|html|wrong|garbled)-before$/.test(kind)
      this.#strike(kind, travelling)
    } else if (this.#failing-- > 0) this.#answer(travelling, failure(503))
    else if (this.#absent) this.#answer(travelling, ABSENT)
    else if (this.#unauthorized) this.#answer(travelling, UNAUTHORIZED)
    else this.#answer(travelling, this.#carryOut(request))
  }

  /**
   * Two false responses that agree cannot be detected, and a consistent listing is accepted for a plan. A list that hides a set
   * has its own test (docs/reliability.md).
   */
  #applies(kind: Kind, operation: OperationName, request: ApiRequest): boolean {
    if (whyNever(operation, kind) !== undefined) return false
    // If every response is that of another request, they agree.
    if (kind.startsWith('wrong-') && this.#strikes.has(EVERY)) return false
    if (REFUSING.includes(kind) && isWrite(request) && this.#lags) return false
    // What is there under another key is not known to be what was sent.
    if (REFUSING.includes(kind) && operation.startsWith('create-') && this.#folds) return false
    // Nobody can tell which of two sets with one name is meant.
    if (kind === 'doubled-after' && operation.startsWith('create-') && this.#allowsDoubles) return false
    if (!isList(request)) return kind !== 'list-stale' || this.#wrote || !this.#allowsDoubles
    if (this.#liedAboutDelete && kind === 'list-short') return false
    const isOld = kind === 'list-stale' || kind.startsWith('wrong-')
    if (this.#refusedWhatItDid && (isOld || kind === 'list-short')) return false
    if (this.#wrote) return true
    return kind !== 'list-short' && !(isOld && this.#allowsDoubles)
  }

  #formOf<Form>(forms: readonly Form[]): Form {
    this.#form ??= this.#time.pick(1_000)
    return forms[this.#form % forms.length] as Form
  }

  #carryOut(request: ApiRequest): ApiResponse {
    const response = this.#service.handle(request)
    if (request.method === 'GET' && response.status === 200)
      this.#memory.lists.set(listKey(request), response)
    return response
  }

  #answer({ answer }: Travelling, response: ApiResponse): void {
    if (response.body !== '' && response.status === 200) this.#memory.last = response
    this.#time.after(this.#time.pick(10), () => {
      if (response === UNAUTHORIZED) this.#isToStop = true
      answer(response)
    })
  }

  #fail({ fail, request }: Travelling, sent: 'no' | 'maybe', code: string, delay = 1): void {
    const error = new TransportError(`${request.method} ${request.path} on service.test: ${code}`, {
      sent,
      code,
    })
    this.#time.after(delay, () => fail(error))
  }

  #strike(kind: Kind, travelling: Travelling): void {
    const { request } = travelling
    const { last } = this.#memory
    const acted = kind.endsWith('-after') ? this.#carryOut(request) : undefined
    switch (kind) {
      case 'not-sent':
        return this.#fail(travelling, 'no', 'ECONNREFUSED')
      case 'lost-before':
      case 'lost-after':
        return this.#fail(travelling, 'maybe', 'ECONNRESET')
      case 'throttled-seconds':
      case 'throttled-date':
      case 'throttled-reset':
      case 'throttled-silent':
        return this.#answer(travelling, this.#throttled(kind))
      case 'failure-before':
      case 'failure-after':
        return this.#answer(travelling, failure([500, 502, 503, 504][this.#time.pick(4)] ?? 500))
      case 'failure-burst':
        this.#failing = BURST
        return this.#answer(travelling, failure(503))
      case 'refused-echo':
        return this.#answer(travelling, errors(422, request.body ?? 'no'))
      case 'refused-after':
        return this.#answer(travelling, errors([422, 501][this.#time.pick(2)] ?? 422, 'no'))
      case 'truncated-after':
        return this.#fail(travelling, 'maybe', 'UND_ERR_SOCKET')
      case 'cut-after':
        return acted === undefined
          ? undefined
          : this.#answer(travelling, { ...acted, body: acted.body.slice(0, acted.body.length / 2) })
      case 'html-before':
      case 'html-after':
        return this.#answer(travelling, HTML)
      case 'empty-before':
      case 'empty-after':
        return this.#answer(travelling, EMPTY)
      case 'wrong-before':
      case 'wrong-after':
        return this.#answer(travelling, last ?? EMPTY)
      case 'absent-once':
        return this.#answer(travelling, ABSENT)
      case 'absent-from-here':
        this.#absent = true
        return this.#answer(travelling, ABSENT)
      case 'unauthorized-from-here':
      case 'unauthorized-after':
        this.#unauthorized = true
        return this.#answer(travelling, UNAUTHORIZED)
      case 'late-before':
      case 'late-after':
        return this.#fail(travelling, 'maybe', 'DEADLINE', DEADLINE)
      case 'kill-before':
      case 'kill-after':
        return this.#kill()
      case 'doubled-after':
        return this.#answer(travelling, this.#carryOut(request))
      case 'garbled-before':
        return this.#answer(travelling, this.#formOf(GARBLED_BEFORE)(request))
      case 'garbled-after':
        return acted === undefined
          ? undefined
          : this.#answer(travelling, {
              ...acted,
              body: acted.body && this.#formOf(GARBLED_AFTER)(acted.body),
            })
      case 'odd-status-before':
        return this.#answer(travelling, this.#formOf(ODD_BEFORE))
      case 'odd-status-after':
        return acted === undefined ? undefined : this.#answer(travelling, this.#formOf(ODD_AFTER)(acted))
      case 'paced-after':
        return acted === undefined ? undefined : this.#answer(travelling, paced(acted))
      case 'left-out':
        return this.#answer(travelling, this.#carryOut(withoutParts(request)))
      case 'list-short':
        return this.#answer(travelling, shortened(this.#carryOut(request), this.#time))
      case 'list-stale':
        return this.#answer(travelling, this.#memory.lists.get(listKey(request)) ?? this.#carryOut(request))
      case 'signal-before':
      case 'signal-after':
        this.#stop.abort()
        this.#isToStop = true
        return this.#answer(travelling, acted ?? this.#carryOut(request))
    }
  }

  /** The process is killed. Each request that it had sent may arrive or not. */
  #kill(): void {
    this.killed = true
    for (const { request } of this.#travelling) if (this.#time.random() < 0.5) this.#service.handle(request)
  }

  #throttled(kind: string): ApiResponse {
    const hint = (
      { 'throttled-seconds': 'seconds', 'throttled-date': 'date', 'throttled-reset': 'reset' } as const
    )[kind]
    const now = this.#time.date()
    const response = tooMany(hint ?? 'silent', 1 + this.#time.random(), now)
    return { ...response, headers: { ...response.headers, date: now.toUTCString() } }
  }
}
