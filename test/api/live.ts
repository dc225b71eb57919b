import { Token, withToken } from '../../src/api/client.ts'
import { observe, proveStable } from '../../src/api/observe.ts'
import type { Reader } from '../../src/api/reader.ts'
import type { Timing } from '../../src/api/timing.ts'
import type { ObservedState } from '../../src/model/variable-set.ts'
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxSeed,
} from '../../src/sandbox/index.ts'
import type { ApiRequest, Transport } from '../../src/wire/transport.ts'

export interface LiveSandbox {
  readonly sandbox: Sandbox
  /** With a token. Records every request. */
  readonly transport: Transport
  readonly requests: ApiRequest[]
}

/** A sandbox in this process, as a client sees it. */
export async function liveSandbox(
  seed: SandboxSeed,
  server: Pick<SandboxOptions, 'profile' | 'traits'> = {},
): Promise<LiveSandbox> {
  const sandbox = await createSandbox({ seed, ...server })
  const requests: ApiRequest[] = []
  const recorded: Transport = (request, signal) => {
    requests.push(request)
    return sandbox.transport(request, signal)
  }
  return { sandbox, requests, transport: withToken(recorded, new Token(sandbox.token)) }
}

export const printed = (requests: readonly ApiRequest[]): string[] =>
  requests.map(({ method, path, query }) => {
    const text = new URLSearchParams(query).toString()
    return `${method} ${path.replace('/api/v2/', '')}${text === '' ? '' : `?${decodeURIComponent(text)}`}`
  })

export interface VirtualTime extends Timing {
  /** Every requested wait, in milliseconds. */
  readonly waits: number[]
}

/** Time that passes only when everything waits, and random numbers that are always `chance`. */
export function virtualTime(chance = 0.5): VirtualTime {
  let now = 0
  const waits: number[] = []
  const timers: { readonly at: number; readonly ring: () => void }[] = []
  const pass = (): void => {
    const next = timers.sort((a, b) => a.at - b.at).shift()
    if (next === undefined) return
    now = Math.max(now, next.at)
    next.ring()
  }
  return {
    waits,
    now: () => now,
    random: () => chance,
    sleep: async (milliseconds, signal) => {
      if (signal?.aborted === true) return
      waits.push(milliseconds)
      await new Promise<void>(ring => {
        timers.push({ at: now + milliseconds, ring })
        setImmediate(pass)
      })
    },
  }
}

/** A listing, read until two consecutive passes are equal. */
export const settled = async (reader: Reader): Promise<ObservedState> =>
  await proveStable(reader, await observe(reader, 'acme'))
