import { DEFAULT_PROFILE, type Profile } from '../../src/sandbox/profile.ts'
import { seededRandom } from '../../src/sandbox/random.ts'
import type { Batch, Change } from '../../src/sandbox/records.ts'
import { respond, type Service } from '../../src/sandbox/respond.ts'
import type { SandboxSeed } from '../../src/sandbox/seed.ts'
import { changesOfSeed } from '../../src/sandbox/seed-changes.ts'
import { seedOf } from '../../src/sandbox/seed-snapshot.ts'
import { State } from '../../src/sandbox/state.ts'
import { Store } from '../../src/sandbox/store.ts'
import type { ApiRequest, ApiResponse } from '../../src/wire/transport.ts'

const TOKEN = 'simulated'

/** A write that the service carried out. */
export interface Committed {
  readonly run: number
  readonly request: ApiRequest
  readonly changes: readonly Change[]
}

const known = new WeakMap<SandboxSeed, readonly Change[]>()
const knownWithoutHcl = new WeakMap<SandboxSeed, readonly Change[]>()

/** Judged once: a schedule must not pay for it. */
function changesFor(seed: SandboxSeed, { hclOfEnv }: Profile): readonly Change[] {
  if (hclOfEnv === 'stored') return changesOf(seed)
  const changes = knownWithoutHcl.get(seed) ?? changesOf(seed).map(withoutHcl)
  knownWithoutHcl.set(seed, changes)
  return changes
}

/** A service that never stores the flag of an environment variable holds none that has it. */
const withoutHcl = (change: Change): Change =>
  change.type === 'put-variable' && change.variable.category === 'env'
    ? { ...change, variable: { ...change.variable, hcl: false } }
    : change

function changesOf(seed: SandboxSeed): readonly Change[] {
  const before = known.get(seed)
  if (before !== undefined) return before
  const changes = [
    ...changesOfSeed(seed, new Store(name => name), '2023-01-01T00:00:00.000Z'),
    { type: 'put-token', token: { token: TOKEN, permission: 'manage-workspaces' } } as const,
  ]
  known.set(seed, changes)
  return changes
}

/** The real sandbox without its doors, and with a log of what it carried out. */
export class SimulatedService {
  readonly committed: Committed[] = []
  /** Statuses of 400 and above that the service itself gave: in a run without faults there are none. */
  readonly refused: ApiResponse[] = []
  run = 0
  readonly #state: State
  readonly #service: Service
  #request: ApiRequest | undefined

  constructor(seed: SandboxSeed, profile: Partial<Profile>, now: () => Date) {
    const whole = { ...DEFAULT_PROFILE, ...profile }
    this.#state = new State(whole, now, undefined)
    this.#state.add(changesFor(seed, whole))
    this.#service = {
      store: this.#state.store,
      readLists: () => this.#state.readLists(),
      profile: whole,
      now,
      random: seededRandom(1),
      randomIds: undefined,
      commit: batch => this.#commit(batch),
    }
  }

  handle(request: ApiRequest): ApiResponse {
    this.#request = request
    const headers = { ...request.headers, authorization: `Bearer ${TOKEN}` }
    const response = respond(this.#service, { ...request, headers })
    if (response.status >= 400) this.refused.push(response)
    return response
  }

  /** What a lagging list has not shown yet, it shows now. */
  catchUp(): void {
    for (let read = 0; read < 5; read++) this.#state.readLists()
  }

  /** Everything, secrets too. */
  snapshot(): SandboxSeed {
    return seedOf(this.#state.store, { sensitive: true })
  }

  #commit(batch: Batch): void {
    this.#state.commit(batch)
    if (this.#request !== undefined)
      this.committed.push({ run: this.run, request: this.#request, changes: batch.changes })
  }
}
