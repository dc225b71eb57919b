import { randomBytes } from 'node:crypto'
import { type Transport, TransportError } from '../wire/transport.ts'
import { seededRandom, systemClock } from './clock-and-chance.ts'
import { withDeadlocks } from './deadlocks.ts'
import type { Listening, ListenOptions } from './listen.ts'
import { type Profile, profileOf, serverOf } from './profile.ts'
import {
  type AssignmentKind,
  type Batch,
  byKind,
  type Permission,
  type StoreChange,
  type TokenRecord,
} from './records.ts'
import { respond, type ServiceState } from './respond.ts'
import { DEFAULT_SEED, type SandboxSeed, type SnapshotOptions, seedOf, type TokenSeed } from './seed.ts'
import { changesOfSeed } from './seed-changes.ts'
import type { Traits } from './servers.ts'
import { LIMITS } from './service-limits.ts'
import { StateFile } from './state-file.ts'
import { Store } from './store.ts'

export interface SandboxOptions {
  /** The first state, if `file` does not have one yet. Default: `DEFAULT_SEED`. */
  readonly seed?: SandboxSeed
  readonly profile?: Partial<Profile>
  /**
   * Replaces answers of the server, for tests that need a single one.
   *
   * @internal
   */
  readonly traits?: Partial<Traits>
  readonly now?: () => Date
  /** Saves the state in this file, at most 100 ms late. Default: memory only. */
  readonly file?: string
  readonly tokens?: readonly TokenSeed[]
}

export interface Sandbox {
  /** Responds in this process. Rejects after `close`. */
  readonly transport: Transport
  /** A token that may manage everything. */
  readonly token: string
  /** A token that may also read the snapshot endpoint. */
  readonly adminToken: string
  readonly profile: Profile
  /** Serves it over HTTP; may be called several times. */
  listen(options?: ListenOptions): Promise<Listening>
  snapshot(options?: SnapshotOptions): SandboxSeed
  /** Replaces the whole state. `token` and `adminToken` stay valid. Throws SeedError without changing anything. */
  restore(seed: SandboxSeed): void
  /** Adds what the state lacks of the seed, by name or id, and keeps the rest. Returns the names of what it created. Throws SeedError. */
  ensure(seed: SandboxSeed): MadePlaces
  /** Closes all listeners and releases the file. */
  close(): Promise<void>
}

/**
 * Rejects with SeedError, SandboxFileError (not the file of a sandbox), LockedError (another process has the file), or RangeError
 * (an unknown name or value in the profile).
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const profile = profileOf(options.profile)
  const server = serverOf(profile, options.traits)
  const now = options.now ?? systemClock
  const state = new SandboxState(profile.lists, now, options.file)
  const { store } = state
  const changesOf = (seed: SandboxSeed, target: Store) => changesOfSeed(seed, target, now().toISOString())
  const tokens = firstState(options, state, changesOf)
  const service: ServiceState = {
    store,
    readLists: () => state.readLists(),
    server,
    now,
    random: seededRandom(1),
    commit: batch => state.commit(batch),
  }
  let isOpen = true
  const enter: Transport = async (request, signal) => {
    if (!isOpen) throw new TransportError('the sandbox is closed', { sent: 'no', code: 'ECONNREFUSED' })
    if (signal?.aborted) {
      throw new TransportError('aborted before it was sent', { sent: 'no', code: 'ABORT_ERR' })
    }
    return respond(service, request)
  }
  const transport = server.writesThatMeet === 'deadlock' ? withDeadlocks(enter, server) : enter
  const listening = new Set<Listening>()
  return {
    transport,
    token: tokens.own.token,
    adminToken: tokens.admin.token,
    profile,
    async listen(listenOptions) {
      const { listenTo } = await import('./listen.ts')
      const one = await listenTo(transport, listenOptions)
      listening.add(one)
      return one
    },
    snapshot: snapshotOptions => seedOf(store, snapshotOptions),
    restore: seed => state.replace([...changesOf(seed, new Store()), ...tokens.changes]),
    ensure: seed => {
      const changes = changesOf(seed, store)
      state.add(changes)
      return madeBy(changes)
    },
    async close() {
      isOpen = false
      await Promise.all([...listening].map(one => one.close()))
      state.close()
    },
  }
}

/** The names of new workspaces, projects and Stacks. */
export type MadePlaces = Readonly<Record<AssignmentKind, readonly string[]>>

const madeBy = (changes: readonly StoreChange[]): MadePlaces =>
  byKind(kind =>
    changes.flatMap(change => (change.type === 'put-place' && change.kind === kind ? change.place.name : [])),
  )

/** Adds the state of the file or the seed, the given tokens, and those that every sandbox has. */
function firstState(
  options: SandboxOptions,
  state: SandboxState,
  changesOf: (seed: SandboxSeed, store: Store) => StoreChange[],
) {
  try {
    const putToken = (token: TokenRecord) => ({ type: 'put-token', token }) as const
    const seeded = changesOf(state.stored ?? options.seed ?? DEFAULT_SEED, state.store)
    const given = options.tokens ?? []
    const inSeed = seeded.flatMap(change => (change.type === 'put-token' ? change.token : []))
    const known = [...given, ...inSeed]
    const own = tokenFor('manage-workspaces', known)
    const admin = tokenFor('admin', known)
    const changes = [own, admin].map(putToken)
    state.add([...seeded, ...given.map(putToken), ...changes])
    return { own, admin, changes }
  } catch (error) {
    state.close()
    throw error
  }
}

/** The token with this permission for every organization, or a new one that nobody can guess. */
const tokenFor = (permission: Permission, known: readonly TokenRecord[]): TokenRecord =>
  known.find(token => token.permission === permission && token.organizations === undefined) ?? {
    token: `sandbox-${randomBytes(18).toString('base64url')}`,
    permission,
  }

/** Everything that a sandbox remembers: the store, what lists show of it, and its file. */
export class SandboxState {
  readonly store: Store
  readonly #lists: LateLists | undefined
  readonly #file: StateFile | undefined
  /** What the file had; `undefined` if it is new. */
  readonly stored: SandboxSeed | undefined
  readonly #now: () => Date

  /** Reads the file. Throws SandboxFileError or LockedError. */
  constructor(lists: Profile['lists'], now: () => Date, file: string | undefined) {
    this.store = new Store()
    this.#lists = lists === 'immediate' ? undefined : new LateLists(new Store())
    this.#now = now
    this.#file = file === undefined ? undefined : StateFile.open(file)
    try {
      const { state, sequence = 0 } = this.#file?.read() ?? {}
      this.stored = state
      this.store.sequence = sequence
    } catch (error) {
      this.#file?.close()
      throw error
    }
  }

  /** What lists show now. Each call counts as one read. */
  readLists(): Store {
    return this.#lists?.read() ?? this.store
  }

  /** A write through the interface: applied, then shown in lists, perhaps later. */
  commit(batch: Batch): void {
    this.#file?.changed(this.store)
    this.store.apply(batch)
    this.#lists?.add(batch)
  }

  /** Adds to the state from outside of the interface. Lists show it at once. */
  add(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return
    this.#file?.changed(this.store)
    this.#applyAtOnce(this.#batchOf(changes))
  }

  /** Replaces the whole state. */
  replace(changes: readonly StoreChange[]): void {
    this.#file?.changed(this.store)
    this.#applyAtOnce(this.#batchOf([{ type: 'clear' }, ...changes]))
  }

  close(): void {
    this.#file?.close()
  }

  #batchOf(changes: readonly StoreChange[]): Batch {
    return { at: this.#now().toISOString(), sequence: this.store.sequence, changes }
  }

  #applyAtOnce(batch: Batch): void {
    this.store.apply(batch)
    this.#lists?.addAtOnce(batch)
  }
}

/** A second store that gets each write later: what lists show where they are late. */
class LateLists {
  readonly #behind: Store
  #pending: { readonly batch: Batch; reads: number }[] = []

  /** `behind` must equal the real store now, and change only through this object. */
  constructor(behind: Store) {
    this.#behind = behind
  }

  add(batch: Batch): void {
    this.#pending.push({ batch, reads: 0 })
  }

  /** Everything at once: seeds and restores are not late. */
  addAtOnce(batch: Batch): void {
    for (const pending of this.#pending.splice(0)) this.#behind.apply(pending.batch)
    this.#behind.apply(batch)
  }

  /** The state that this read shows. The first three reads after a write do not show it. */
  read(): Store {
    const due = this.#pending.filter(({ reads }) => reads >= LIMITS.readsUntilListed)
    for (const { batch } of due) this.#behind.apply(batch)
    this.#pending.splice(0, due.length)
    for (const pending of this.#pending) pending.reads += 1
    return this.#behind
  }
}
