import { openClient } from '../../../src/api/client.ts'
import { observe } from '../../../src/api/observe.ts'
import { createReader } from '../../../src/api/reader.ts'
import { createWriter } from '../../../src/api/writer.ts'
import { Secret } from '../../../src/model/secret.ts'
import type { ResolvedState } from '../../../src/model/variable-set.ts'
import { carryOut } from '../../../src/run/apply.ts'
import { failureOf } from '../../../src/run/commands/failure.ts'
import type { Service } from '../../../src/run/service.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { planFrom } from '../../support/prepare.ts'
import { NEVER } from '../../support/round.ts'
import { secretText } from '../schedules/case.ts'

/** The end of one of two runs, as the command line would report it. */
export interface Ended {
  readonly exitCode: number
  /** Diagnostic codes, if there is no plan. */
  readonly codes: readonly string[]
  readonly bug?: string
}

/** Waiting takes no time here, because the scheduler decides which request arrives next. */
const sleep = async (): Promise<void> => {}
const timing = { now: () => 0, sleep, random: () => 0.5 }

/** Plans and applies with consent, with `concurrency` parallel requests. Never rejects. */
export async function runOnce(
  files: ResolvedState,
  transport: Transport,
  concurrency: number,
): Promise<Ended> {
  try {
    return await planAndApply(files, transport, concurrency)
  } catch (error) {
    const bug = failureOf(error) === undefined ? { bug: String(error) } : {}
    return { exitCode: 1, codes: [], ...bug }
  }
}

async function planAndApply(files: ResolvedState, transport: Transport, concurrency: number): Promise<Ended> {
  const line = openClient(transport, { timing, rate: 'unlimited' })
  const service: Service = {
    address: 'https://service.test',
    reader: createReader(line.reading),
    writer: () => createWriter(line.transport),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
  const observed = await observe(service.reader, files.organization)
  const options = { address: service.address, only: [], reads: 1, names: {}, adopt: ['*'] }
  const { value: prepared, diagnostics } = planFrom(files, observed, options)
  const codes = diagnostics.map(({ code }) => code)
  if (prepared === undefined) return { exitCode: 1, codes }
  const { plan } = prepared
  if (plan.steps.length === 0 && plan.facts.inventory.requests === 0) return { exitCode: 0, codes }
  const { result } = await carryOut({
    made: prepared,
    service,
    secrets: name => new Secret(secretText(name)),
    concurrency,
    failFast: false,
    stop: NEVER,
    abandon: NEVER,
    sleep,
  })
  return { exitCode: result?.exitCode ?? 1, codes }
}
