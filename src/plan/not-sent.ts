import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { NO_FIELDS } from '../model/fields.ts'
import { nameOf } from '../model/ids.ts'
import { shortList } from '../model/lists.ts'
import { flagWith } from '../model/names.ts'
import type { DesiredVariable, SecretRef } from '../model/variable-set.ts'
import { type BasePlan, otherSourceIn } from './base.ts'
import { declaredIn, type Match } from './match.ts'
import type { SecretStates } from './secret-states.ts'

/**
 * A warning for each set with secrets whose value in the service nobody recorded, and that this plan does not send: the file takes charge
 * of them, and only a person knows whether the service has the right value. Without an owner nothing is ever recorded; there, only those
 * that the base declares otherwise: as external, with another name of a secret, or not at all.
 */
export function notSentWarnings(
  { pairs }: Match,
  secrets: SecretStates,
  base: BasePlan | undefined,
  owner: string | undefined,
): Diagnostic[] {
  const hasOtherSource = otherSourceIn(base)
  return pairs.flatMap(pair => {
    const { observed } = pair
    const { name: set, variables } = declaredIn(pair)
    const unsent = variables.flatMap(variable => {
      const { key, value, accept = [] } = variable
      const state = secrets.of(set, key)
      if (observed === undefined || !('secret' in value) || state?.state !== 'not-compared') return []
      const isTaken =
        state.why === 'not-recorded' ||
        (state.why === 'no-inventory' && hasOtherSource(observed.id, key, value.secret.name))
      return isTaken && !accept.includes('not-sent') ? [{ ...variable, ref: value.secret }] : []
    })
    const [first] = unsent
    if (first === undefined) return []
    const shown = unsent.slice(0, MOST_LINES)
    return warning(
      'not-sent',
      `"${set}" has secrets whose values are not sent: ${shortList(unsent.map(({ key }) => key))}. No write of them is recorded, so it is unknown what the service has.`,
      [
        owner === undefined
          ? `To send them: setpoint apply ${shown.map(({ key }) => flagWith('--rewrite', `${set}/${key}`)).join(' ')}`
          : `To send them, write a version:\n${shown.map(lineWithVersion).join('\n')}`,
        'If the service has the right value: `accept: [not-sent]` at the variable.',
      ].join('\n'),
      first.source,
    )
  })
}

const MOST_LINES = 5

type Unsent = DesiredVariable & { readonly ref: SecretRef }

/** The line of the variable in its file, with a version. */
function lineWithVersion({ key, description, hcl, accept, ref }: Unsent): string {
  const name = nameOf(key)
  const members = [
    ...(description === NO_FIELDS.description ? [] : [`description: ${JSON.stringify(description)}`]),
    ...(hcl ? ['hcl: true'] : []),
    `secret: { name: ${ref.name}, version: "1"${ref.allowEmpty === true ? ', allowEmpty: true' : ''} }`,
    ...(accept === undefined ? [] : [`accept: [${accept.join(', ')}]`]),
  ]
  return `  ${/^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)}: { ${members.join(', ')} }`
}
