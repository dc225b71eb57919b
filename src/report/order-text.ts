import { nameOf } from '../model/ids.ts'
import type { Plan } from '../plan/plan-data.ts'
import type { KeyDeed, ReceivedReason, StepWait } from '../plan/step-wait.ts'
import { figure, name, type Phrase, say } from './phrase.ts'
import { whoPhrase } from './who.ts'

/** Steps that wait, of which `--verbose` says why. JSON has all. */
const MOST_WAITS = 100

/** `delete-variable base env/REGION waits for create-variable net env/REGION: it brings REGION to shop-prod before base takes it away`. */
export function orderPhrases(plan: Plan): Phrase[] {
  const sets = new Map(plan.steps.map(({ id, operation }) => [id, operation.subject.name]))
  const waits = plan.steps.flatMap(({ id, after }) => after.map(wait => ({ id, wait })))
  const shown = waits.slice(0, MOST_WAITS).map(({ id, wait }) => {
    const reason = reasonPhrase(wait, sets.get(id) ?? '', plan)
    return say`${name(id)} waits for ${name(wait.step)}: ${reason}`
  })
  const more = waits.length - shown.length
  return more === 0 ? shown : [...shown, [`${figure(more)} more: "after" in --format json`]]
}

function reasonPhrase({ why }: StepWait, set: string, plan: Plan): Phrase {
  switch (why.kind) {
    case 'name':
      return say`then the name ${name(why.name)} is free`
    case 'global-key':
      return say`a key may be in one global set only, and then ${name(nameOf(why.key))} is free`
    case 'replaced':
      return say`then the old ${name(nameOf(why.key))} is gone`
    case 'global-set':
      return say`${name(why.set)} is not global while its other changes are made`
    case 'taken-over':
      return say`${name(why.set)} takes over`
    case 'received':
      return receivedPhrase(why, set, plan)
  }
}

const WHERE = { brings: 'to', takes: 'from', changes: 'in' } as const satisfies Record<KeyDeed, string>
const NEXT = {
  brings: 'brings it',
  takes: 'takes it away',
  changes: 'changes it',
} as const satisfies Record<KeyDeed, string>

function receivedPhrase(
  { key, first, next, audience, instead }: ReceivedReason,
  set: string,
  plan: Plan,
): Phrase {
  const who = whoPhrase(audience, plan)
  const otherwise =
    instead !== undefined &&
    (instead.set === undefined
      ? ', which would leave no value'
      : say`, which would show the value of ${name(instead.set)}`)
  return say`it ${first} ${name(nameOf(key))} ${WHERE[first]} ${who} before ${name(set)} ${NEXT[next]}${otherwise}`
}
