import { compareText } from '../../model/diagnostic.ts'
import type { Exposed, Member } from './effect.ts'
import type { Receivers } from './receivers.ts'
import type { Reception } from './reception.ts'
import type { SetState, SetStates } from './set-state.ts'

/** The variables that newly reach somebody, even if other sets override them there. By set. */
export const exposureOf = ({ changing }: Pick<Reception, 'changing'>, receivers: Receivers): Exposed[] =>
  changing
    .toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
    .flatMap(({ before, after }) => (after === undefined ? [] : exposedBy(before, after, receivers)))

const nameOf = ({ before, after }: SetStates): string => (after ?? before)?.name ?? ''

function exposedBy(before: SetState | undefined, after: SetState, receivers: Receivers): Exposed[] {
  const all = receivers.of(after)
  const had = before && receivers.of(before)
  const fresh =
    had === undefined ? all : had === all ? new Set<Member>() : new Set([...all].filter(one => !had.has(one)))
  const exposed = (kind: Exposed['kind'], keys: Exposed['keys'], to: ReadonlySet<Member>): Exposed => ({
    kind,
    set: after.name,
    keys,
    global: after.global || undefined,
    priority: after.priority || undefined,
    audience: receivers.audienceOf(after, to),
  })
  const secret = (keys: Exposed['keys'], to: ReadonlySet<Member>): Exposed[] =>
    keys.length === 0 || to.size === 0 ? [] : [exposed('secret', keys, to)]
  const keys = [...after.held.keys()]
  const added = keys.filter(key => !before?.held.has(key))
  const secrets = keys.filter(key => after.held.get(key)?.secret)
  const isOverall = before && ((before.global && after.global) || (before.priority && after.priority))
  return [
    ...newSecrets(),
    ...(after.global && !before?.global ? [exposed('global', keys, all)] : []),
    ...(isOverall && added.length > 0 ? [exposed('added', added, all)] : []),
  ]

  /** New members receive every secret of the set, the others those that are new in it. A readable variable that becomes a secret reaches nobody new. */
  function newSecrets(): Exposed[] {
    if (fresh.size === all.size) return secret(secrets, fresh)
    const isAdded = new Set(added)
    return [
      ...secret(
        secrets.filter(key => !isAdded.has(key)),
        fresh,
      ),
      ...secret(
        secrets.filter(key => isAdded.has(key)),
        all,
      ),
    ]
  }
}
