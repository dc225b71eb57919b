import { isEffect } from '../../../src/plan/effective/received.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import type { Seen } from '../../support/reference.ts'

/** Every effect with each of its members, apart from Stacks. */
export const effectsOf = ({ facts: { received } }: Plan) =>
  received.groups.flatMap(({ members, changes }) =>
    changes.flatMap(at => {
      const effect = received.changes[at]
      return effect !== undefined && isEffect(effect)
        ? members.flatMap(member => (member.startsWith('st-') ? [] : { member, effect }))
        : []
    }),
  )

/** One line for each effect: `ws-1 env/A winner a -> b`. Values of two secrets in one set are never compared. */
export const effectLines = (plan: Plan, prefix = ''): string[] =>
  effectsOf(plan)
    .filter(({ member }) => member.startsWith(prefix))
    .map(
      ({ member, effect: { kind, key, before, after } }) =>
        `${member} ${key} ${kind} ${before?.set ?? ''} -> ${after?.set ?? ''}`,
    )
    .toSorted()

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
  effectsOf(plan).some(
    ({ effect: { key, kind, before, after } }) =>
      kind === 'value' &&
      before?.secret === true &&
      after?.secret === true &&
      line.includes(` ${key} value ${before.set} -> ${after.set}`),
  )
