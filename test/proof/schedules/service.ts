import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import { type Profile, serverOf } from '../../../src/sandbox/profile.ts'
import type { Batch, SetRecord, StoreChange } from '../../../src/sandbox/records.ts'
import { respond, type ServiceState } from '../../../src/sandbox/respond.ts'
import { SandboxState } from '../../../src/sandbox/sandbox.ts'
import type { SandboxSeed, SetSeed } from '../../../src/sandbox/seed.ts'
import { changesOfSeed } from '../../../src/sandbox/seed-changes.ts'
import type { Traits } from '../../../src/sandbox/servers.ts'
import { Store } from '../../../src/sandbox/store.ts'
import type { ApiRequest, ApiResponse } from '../../../src/wire/transport.ts'

const TOKEN = 'simulated'

/** A write that the service executed. */
export interface Committed {
  readonly run: number
  readonly request: ApiRequest
  readonly changes: readonly StoreChange[]
}

const known = new WeakMap<SandboxSeed, readonly StoreChange[]>()

/** Cached, because every schedule needs them. */
function changesOf(seed: SandboxSeed): readonly StoreChange[] {
  const before = known.get(seed)
  if (before !== undefined) return before
  const changes = [
    ...changesOfSeed(seed, new Store(), '2023-01-01T00:00:00.000Z'),
    { type: 'put-token', token: { token: TOKEN, permission: 'manage-workspaces' } } as const,
  ]
  known.set(seed, changes)
  return changes
}

const first = new WeakMap<SandboxSeed, WeakMap<Partial<Profile>, Map<string, ApiResponse>>>()

function firstAnswers(seed: SandboxSeed, profile: Partial<Profile>): Map<string, ApiResponse> {
  const ofSeed = first.get(seed) ?? new WeakMap<Partial<Profile>, Map<string, ApiResponse>>()
  first.set(seed, ofSeed)
  const answers = ofSeed.get(profile) ?? new Map<string, ApiResponse>()
  ofSeed.set(profile, answers)
  return answers
}

const seeds = new WeakMap<SetRecord, SetSeed>()

/** The method, path and query of a read, as one text. */
export const listKey = ({ path, query }: ApiRequest): string => `${path} ${JSON.stringify(query ?? {})}`

/** The sandbox without its entry points, and with a log of its writes. */
export class SimulatedService {
  readonly committed: Committed[] = []
  run = 0
  /** Called after each write that the service executed. */
  onWrite: (() => void) | undefined
  readonly #state: SandboxState
  /** Responses for the current state; undefined if each response is different. */
  #answers: Map<string, ApiResponse> | undefined
  #snapshot: SandboxSeed | undefined
  readonly #service: ServiceState
  #request: ApiRequest | undefined

  constructor(seed: SandboxSeed, profile: Partial<Profile>, now: () => Date, traits: Partial<Traits> = {}) {
    const server = serverOf(profile, traits)
    this.#state = new SandboxState(server.lists, now, undefined)
    this.#state.add(changesOf(seed))
    this.#answers =
      server.extras === 'none' && server.lists === 'immediate' ? firstAnswers(seed, profile) : undefined
    this.#service = {
      store: this.#state.store,
      readLists: () => this.#state.readLists(),
      server,
      now,
      random: seededRandom(1),
      commit: batch => this.#commit(batch),
    }
  }

  handle(request: ApiRequest): ApiResponse {
    if (request.method !== 'GET') return this.#write(request)
    if (this.#answers === undefined) return this.#respond(request)
    const key = listKey(request)
    const response = this.#answers.get(key) ?? this.#respond(request)
    this.#answers.set(key, response)
    return response
  }

  #write(request: ApiRequest): ApiResponse {
    const before = this.committed.length
    const response = this.#respond(request)
    if (this.committed.length > before) this.onWrite?.()
    return response
  }

  #respond(request: ApiRequest): ApiResponse {
    this.#request = request
    const headers = { ...request.headers, authorization: `Bearer ${TOKEN}` }
    return respond(this.#service, { ...request, headers })
  }

  /** From now on, lists show everything, even on a service that lags. */
  catchUp(): void {
    for (let read = 0; read < 5; read++) this.#state.readLists()
  }

  /** All sets, including secrets. Returns the same object as long as nothing changes. */
  snapshot(): SandboxSeed {
    this.#snapshot ??= { sets: [...this.#state.store.sets.values()].map(set => this.#seedOf(set)) }
    return this.#snapshot
  }

  /** A record is replaced whenever its set or one of its variables changes. */
  #seedOf(set: SetRecord): SetSeed {
    const known = seeds.get(set)
    if (known !== undefined) return known
    const { ownerProject: parent } = set
    const variables = [...this.#state.store.variablesOf(set.id).values()]
    const seed = { ...set, ...(parent === undefined ? {} : { parent }), variables }
    seeds.set(set, seed)
    return seed
  }

  #commit(batch: Batch): void {
    this.#state.commit(batch)
    if (this.#answers !== undefined) this.#answers = new Map()
    this.#snapshot = undefined
    if (this.#request !== undefined)
      this.committed.push({ run: this.run, request: this.#request, changes: batch.changes })
  }
}
