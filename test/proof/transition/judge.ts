import type { Plan } from '../../../src/plan/plan-data.ts'
import { isNamed } from './named.ts'
import type { History, Seen, SeenValue } from './sight.ts'

/** One run: the values when it read the service, its plan, and the values after each write. */
export interface Watched {
  readonly old: Seen
  plan: Pick<Plan, 'facts'> | undefined
  readonly seen: Seen[]
}

export interface Judged {
  /** Values of workspaces that are neither old nor new, and that the plan did not name. */
  readonly broken: readonly string[]
  /** Number of checked values. */
  readonly looks: number
  /** Values that were neither old nor new, and that the plan named. */
  readonly named: number
}

/** `end`: the values after a run that made the service equal to the files. */
export function judge(runs: readonly Watched[], end: Seen, history: History): Judged {
  const broken = new Set<string>()
  let [looks, named] = [0, 0]
  for (const [number, { old, plan, seen }] of runs.entries())
    for (const sight of seen)
      for (const place of new Set([...old.keys(), ...end.keys(), ...sight.keys()])) {
        looks++
        const [was, is, value] = [old.get(place), end.get(place), sight.get(place)]
        if (value?.text === was?.text || value?.text === is?.text) continue
        if (plan !== undefined && isNamed(plan, place, value, history)) named++
        else
          broken.add(`${place} in run ${number + 1}: ${shown(value)}, between ${shown(was)} and ${shown(is)}`)
      }
  return { broken: [...broken], looks, named }
}

const shown = (value: SeenValue | undefined): string =>
  value === undefined ? 'nothing' : `${JSON.stringify(value.text)} of ${value.set}`
