import type { Plan } from '../../../src/plan/plan-data.ts'
import type { Seen } from '../../support/reference.ts'

/** One line for each effect: `ws-1 env/A winner a -> b`. Values of two secrets in one set are never compared. */
export function effectLines(
  plan: Plan,
  at: (group: Plan['facts']['effective']['groups'][number]) => readonly string[],
): string[] {
  return plan.facts.effective.groups
    .flatMap(group =>
      at(group).flatMap(place =>
        group.effects.map(
          ({ kind, key, before, after }) =>
            `${place} ${key} ${kind} ${before?.set ?? ''} -> ${after?.set ?? ''}`,
        ),
      ),
    )
    .toSorted()
}

/** The same lines, from what a workspace saw before and sees after. A deleted set has the name that its operation has. */
export function differences(
  place: string,
  before: ReadonlyMap<string, Seen>,
  after: ReadonlyMap<string, Seen>,
  { steps }: Pick<Plan, 'steps'>,
): string[] {
  const deleted = new Map<string, string>(
    steps.flatMap(({ operation: { type, subject } }) =>
      type === 'delete-set' ? [[subject.id, subject.name]] : [],
    ),
  )
  const nameBefore = (seen: Seen | undefined): string => deleted.get(seen?.set ?? '') ?? seen?.name ?? ''
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.flatMap(key => {
    const was = before.get(key)
    const is = after.get(key)
    const kind = kindOf(key, was, is)
    return kind === undefined ? [] : [`${place} ${key} ${kind} ${nameBefore(was)} -> ${is?.name ?? ''}`]
  })
}

function kindOf(key: string, was: Seen | undefined, is: Seen | undefined): string | undefined {
  if (was === undefined || is === undefined) return was === undefined ? 'gained' : 'lost'
  const readable = !was.secret && !is.secret
  const same = readable && was.text === is.text && (key.startsWith('env/') || was.hcl === is.hcl)
  if (was.set !== is.set) return same ? 'source' : 'winner'
  if (was.secret && is.secret) return undefined
  return same ? undefined : 'value'
}

/** An observer cannot see whether two secrets of one set are equal, so a plan may report more. */
export const isSecretValue = (plan: Plan, line: string): boolean =>
  / value /.test(line) &&
  plan.facts.effective.groups.some(({ effects }) =>
    effects.some(
      ({ key, kind, before, after }) =>
        kind === 'value' &&
        before?.secret === true &&
        after?.secret === true &&
        line.includes(` ${key} value ${before.set} -> ${after.set}`),
    ),
  )
