import { observe } from '../../src/api/observe.ts'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import type { Checked } from '../../src/model/diagnostic.ts'
import { Secret } from '../../src/model/secret.ts'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import type { PlanOptions } from '../../src/plan/create.ts'
import { carryOut } from '../../src/run/apply.ts'
import type { Made } from '../../src/run/plan.ts'
import type { Service } from '../../src/run/service.ts'
import type { Approved } from '../../src/run/writing.ts'
import { OPTIONS } from './plans.ts'
import { planFrom } from './prepare.ts'

export const NEVER = new AbortController().signal

/** An apply without interruption and with all its secrets, whose waits take no time. */
export const UNDISTURBED = {
  secrets: () => new Secret('value'),
  concurrency: 8,
  failFast: false,
  stop: NEVER,
  abandon: NEVER,
  sleep: async () => {},
} as const

/** The plan of these files for the current service, or the reasons why there is none. */
export const plannedIn = async (
  { reader }: Pick<Service, 'reader'>,
  files: ResolvedState,
  options: Partial<PlanOptions> = {},
): Promise<Checked<Made>> => planFrom(files, await observe(reader, 'acme'), { ...OPTIONS, ...options })

export async function preparedIn(...given: Parameters<typeof plannedIn>): Promise<Made> {
  const { value: prepared, diagnostics } = await plannedIn(...given)
  if (prepared === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return prepared
}

/** Plans these files and applies the plan. Throws if there is no plan, or nothing was executed. */
export async function appliedIn(
  service: Service,
  files: ResolvedState,
  options: Partial<PlanOptions> = {},
  run: Partial<Approved> = {},
): Promise<ApplyResult> {
  const prepared = await preparedIn(service, files, options)
  const { result } = await carryOut({ made: prepared, service, ...UNDISTURBED, ...run })
  if (result === undefined) throw new Error('nothing was executed')
  return result
}
