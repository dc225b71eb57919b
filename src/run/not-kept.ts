import type { WriteProof } from '../apply/outcome.ts'
import { FIELD_NAMES, hasEffect, NO_FIELDS, NO_SETTINGS, SETTING_NAMES } from '../model/fields.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { Step } from '../plan/plan-data.ts'

/** Attributes that a request sent with success, and of which the service shows what it had before. */
interface NotKept {
  /** Each attribute, what was sent, what the service shows, and what to write. */
  readonly sentence: string
  /** The response to the request showed it. Otherwise the read may be late. */
  readonly isCertain: boolean
  /** The steps that would send them again. */
  readonly steps: readonly OperationId[]
}

/**
 * `remaining`: what the closing read needs. A value that is neither the one before nor the one in the response may be somebody
 * else's, so it proves nothing.
 */
export function notKept(
  sent: Operation,
  remaining: readonly Step[],
  answer: WriteProof | undefined,
): NotKept | undefined {
  const found = remaining.flatMap(({ id, operation }) => {
    const isSame =
      sent.subject.id === undefined
        ? sent.subject.name === operation.subject.name
        : sent.subject.id === operation.subject.id
    const lost = isSame ? lostIn(sent, operation, answer) : []
    return lost.length === 0 ? [] : [{ id, lost }]
  })
  if (found.length === 0) return undefined
  const all = found.flatMap(({ lost }) => lost)
  return {
    sentence: all.map(sentenceOf).join('; '),
    isCertain: all.every(({ isCertain }) => isCertain),
    steps: found.map(({ id }) => id),
  }
}

interface Lost {
  readonly attribute: string
  readonly sent: string | boolean
  readonly shown: string | boolean
  readonly isCertain: boolean
}

function sentenceOf({ attribute, sent, shown, isCertain }: Lost): string {
  const [was, is] = [sent, shown].map(value => JSON.stringify(value))
  const write = `rite ${attribute}: ${is}`
  return isCertain
    ? `the service does not keep "${attribute}": ${was} was sent, and it shows ${is}. W${write}`
    : `the service reported success and may not keep "${attribute}": ${was} was sent, and it shows ${is}. If the next plan shows the change again, w${write}`
}

function lostIn(sent: Operation, asked: Operation, answer: WriteProof | undefined): Lost[] {
  if (asked.type === 'update-set' && (sent.type === 'create-set' || sent.type === 'update-set')) {
    const was = sent.type === 'create-set' ? NO_SETTINGS : sent.before
    return SETTING_NAMES.flatMap(name => {
      const shown = asked.before[name]
      const isLost = sent.after[name] === asked.after[name] && shown !== asked.after[name]
      const isCertain = answer?.settings?.[name] === shown
      return isLost && (isCertain || shown === was[name])
        ? [{ attribute: name, sent: sent.after[name], shown, isCertain }]
        : []
    })
  }
  if (asked.type !== 'update-variable') return []
  const { key } = asked.after
  const after = variablesIn(sent).find(one => one.key === key)
  if (after === undefined) return []
  const was = sent.type === 'update-variable' ? sent.before : NO_FIELDS
  const answered = answer?.variables.find(one => one.key === key)
  return FIELD_NAMES.flatMap(name => {
    const shown = asked.before[name]
    const isLost = after[name] === asked.after[name] && shown !== asked.after[name] && hasEffect(name, key)
    const isCertain = answered?.[name] === shown
    return isLost && (isCertain || shown === was[name])
      ? [{ attribute: name, sent: after[name], shown, isCertain }]
      : []
  })
}

function variablesIn(sent: Operation) {
  if (sent.type === 'create-set') return sent.after.variables
  return sent.type === 'create-variable' || sent.type === 'update-variable' ? [sent.after] : []
}
