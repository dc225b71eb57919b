import type { Plan } from '../../src/plan/plan.ts'
import { isNamed } from './named.ts'
import type { History, SeenValue, Sight } from './sight.ts'

/** One run: what was in force when it read the service, what it said before it wrote, and what was seen since. */
export interface Watched {
  readonly old: Sight
  plan: Pick<Plan, 'facts'> | undefined
  readonly seen: Sight[]
}

export interface Judged {
  /** What a workspace saw that was neither the old value nor the new one, and that the plan did not name. */
  readonly broken: readonly string[]
  /** How often a value was looked at. */
  readonly looks: number
  /** Values that were neither the old nor the new one, and that the plan named. */
  readonly named: number
}

/** `end`: what is seen once a run has ended as the files say. */
export function judge(runs: readonly Watched[], end: Sight, history: History): Judged {
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
