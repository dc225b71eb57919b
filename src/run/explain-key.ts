import { type LookUps, settled } from '../api/look-ups.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none } from '../model/diagnostic.ts'
import { isVariableKey, nameOf, type VariableKey } from '../model/ids.ts'
import { didYouMean, flagWith } from '../model/names.ts'
import type { DesiredState } from '../model/variable-set.ts'
import { explainKeys, keysIn, keysMeant } from '../plan/effective/explain-keys.ts'
import type { ExplainedState, KeyExplanation } from '../plan/effective/explanation.ts'
import { matchStates } from '../plan/match-states.ts'
import { resolveNames } from '../plan/resolve-names.ts'
import { observeOrganization, type ReadOnly } from './service.ts'

/**
 * Who receives a key, from which set, and what that set overrides. `asked`: `env/NAME`, or a name in both categories. Workspace
 * variables are not read: that would be a request for each workspace. Without a value, a diagnostic says why.
 */
export async function explainKey(
  desired: DesiredState,
  service: ReadOnly,
  asked: string,
  moment: ExplainedState,
  lookUps: LookUps,
): Promise<Checked<KeyExplanation>> {
  const { organization } = desired
  const [observed] = await Promise.all([
    observeOrganization(service, organization),
    lookUps.ask({ all: ['workspaces'] }),
  ])
  // The names of workspaces are known now, and are not asked for one by one.
  const named = moment === 'live' ? undefined : await settled(lookUps, told => resolveNames(desired, told))
  if (named !== undefined && named.value === undefined) return none(...named.diagnostics)
  const match = named?.value && matchStates(named.value, observed, []).match
  const diagnostics = [...(named?.diagnostics ?? []), ...(match?.diagnostics ?? [])]
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const directory = lookUps.told()
  const state = { observed, match, directory, files: desired, state: moment, looksSecret: looksLikeSecret }
  const known = keysIn(state)
  const keys = keysMeant(asked, known)
  if (keys.size === 0) return none(unknownKey(asked, known, moment))
  const { members, stacks, ...found } = explainKeys(keys, state)
  return {
    value: {
      organization,
      address: service.address,
      moment,
      asked,
      ...found,
      notes: [
        OWN,
        stacks ? STACKS : [],
        members.isWhole ? [] : NOT_TOLD,
        members.withoutProject > 0 ? NO_PROJECTS : [],
      ].flat(),
    },
    diagnostics,
  }
}

const OWN =
  'Workspace variables are not read here, and may override the value. To see them: setpoint explain WORKSPACE'
const STACKS = 'Stacks may read some of these sets. To see those of one Stack: setpoint explain STACK'
const NOT_TOLD =
  'The service does not show this token all workspaces: some that receive the key may be missing here.'
const NO_PROJECTS =
  'The projects of some workspaces are unknown: what they receive through a project may be missing here.'

const WHERE = {
  live: 'in the service',
  files: 'in the files or in sets that they do not manage',
  difference: 'in the files or in the service',
} as const satisfies Record<ExplainedState, string>

function unknownKey(asked: string, known: ReadonlySet<VariableKey>, moment: ExplainedState): Diagnostic {
  const name = isVariableKey(asked) ? nameOf(asked) : asked
  const [other] = keysMeant(name, known)
  const candidates = isVariableKey(asked) ? known : new Set([...known].map(nameOf))
  return mistake(
    'unknown-name',
    `No variable set ${WHERE[moment]} has ${isVariableKey(asked) ? 'the variable' : 'a variable'} ${JSON.stringify(asked)}.`,
    other === undefined
      ? (didYouMean(asked, candidates, near => flagWith('--key', near)) ??
          'Write the name of a variable, or its category and name: env/NAME, terraform/NAME.')
      : `There is ${other}.`,
  )
}
