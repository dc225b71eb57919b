import type { DiagnosticCode } from '../../../src/model/codes.ts'
import type { ResolvedState } from '../../../src/model/variable-set.ts'
import type { Profile, SandboxSeed } from '../../../src/sandbox/index.ts'
import type { ApiRequest, ApiResponse } from '../../../src/wire/transport.ts'
import { isList, isWrite } from '../schedules/faults.ts'
import { CASE_KEPT } from '../schedules/profiles.ts'
import { SimulatedService } from '../schedules/service.ts'
import { listsAll, meetsGoal } from './goal.ts'
import { type Ended, runOnce } from './run.ts'

/** Two runs on one organization. */
export interface Pair {
  readonly name: string
  readonly seed: SandboxSeed
  readonly files: readonly [a: ResolvedState, b: ResolvedState]
  /** Set if not both can succeed: the diagnostic of the second one. */
  readonly refusal?: DiagnosticCode
}

interface Waiting {
  readonly request: ApiRequest
  readonly answer: (response: ApiResponse) => void
}

/** One of the two runs, as the race sees it. */
class Runner {
  readonly waiting: Waiting[] = []
  ended: Ended | undefined
  /** Digest of its responses so far, on which all its actions depend. */
  trace = ''
  requests = 0
  wrote = false
  /** Whether the service equalled its files at some moment since its last write, not counting writes of the inventory. */
  reached: boolean
  /** Whether its inventory listed all its sets at some moment since its last write to a set. */
  recorded: boolean
  readonly files: ResolvedState

  constructor(files: ResolvedState, concurrency: number, now: SandboxSeed) {
    this.files = files
    this.reached = meetsGoal(files, now)
    this.recorded = listsAll(files, now)
    const wait = (request: ApiRequest): Promise<ApiResponse> =>
      new Promise(answer => this.waiting.push({ request, answer }))
    runOnce(files, wait, concurrency).then(
      ended => {
        this.ended = ended
      },
      () => {},
    )
  }
}

/** Two runs whose requests arrive one at a time, in the order that the caller chooses. */
export class Race {
  readonly runners: readonly Runner[]
  readonly service: SimulatedService
  /** The state before the first request. */
  readonly start: SandboxSeed
  readonly #lags: boolean
  #events = ''

  constructor({ seed, files }: Pair, profile: Partial<Profile>, concurrency: number) {
    this.service = new SimulatedService(seed, profile, () => NOW, CASE_KEPT)
    this.#lags = profile.lists === 'late'
    this.start = this.service.snapshot()
    this.runners = files.map(one => new Runner(one, concurrency, this.start))
  }

  /** All requests that could arrive next; none if both have ended. */
  async choices(): Promise<readonly (readonly [runner: number, request: number])[]> {
    await settled()
    return this.runners.flatMap((runner, index) => runner.waiting.map((_, place) => [index, place] as const))
  }

  arrive([index, place]: readonly [runner: number, request: number]): void {
    const runner = this.runners[index]
    const [waiting] = runner?.waiting.splice(place, 1) ?? []
    if (runner === undefined || waiting === undefined) throw new RangeError('there is no such request')
    const { request, answer } = waiting
    const before = this.service.committed.length
    const isInventory = isOnInventory(request, this.service.snapshot())
    const response = this.service.handle(request)
    const isChanged = this.service.committed.length > before
    runner.requests += 1
    runner.trace = digest(
      `${runner.trace} ${request.method} ${request.path} ${response.status} ${response.body}`,
    )
    if (isWrite(request)) {
      if (!isInventory) runner.reached = runner.recorded = false
      runner.wrote ||= isChanged
    }
    if (this.#lags && (isChanged || isList(request))) this.#events += isChanged ? 'w' : 'r'
    if (isChanged || isWrite(request)) {
      const now = this.service.snapshot()
      for (const one of this.runners) {
        one.reached ||= meetsGoal(one.files, now)
        one.recorded ||= listsAll(one.files, now)
      }
    }
    answer(response)
  }

  /** Two races with equal states have the same continuations. */
  state(): string {
    const runners = this.runners.map(({ trace, reached, wrote, waiting, ended }) =>
      [trace, reached, wrote, ended?.exitCode, waiting.map(({ request }) => request.path)].join(' '),
    )
    return digest(JSON.stringify([runners, this.#events, this.service.snapshot()]))
  }
}

const INVENTORY = 'setpoint-inventory-'

/** Writes of the inventory change nothing that the files declare, so they do not count. */
function isOnInventory({ path, body = '' }: ApiRequest, { sets = [] }: SandboxSeed): boolean {
  const [, , , kind, id] = path.split('/')
  if (kind === 'organizations') return body.includes(`"name":"${INVENTORY}`)
  return sets.some(set => set.id === id && set.name.startsWith(INVENTORY))
}

const NOW = new Date(1_700_000_000_000)

/** A fast hash in two halves, good enough for a few hundred thousand texts. */
function digest(text: string): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b + unit, 0x85ebca6b) ^ (b >>> 13)
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`
}

/** Resolves when every promise that does not need a response has continued. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
