import { inspect } from 'node:util'
import { decodeVariable } from '../../../../src/api/decode-variable.ts'
import { readDocument } from '../../../../src/api/document.ts'
import { resolveSecrets } from '../../../../src/apply/resolve-secrets.ts'
import { Secret } from '../../../../src/model/secret.ts'
import { sealLines, terminalText } from '../../../../src/report/neutralise.ts'
import { applyPrepared } from '../../../../src/run/apply-prepared.ts'
import { secretsFromEnvironment } from '../../../../src/secrets/open.ts'
import { planOf } from '../../../support/plans.ts'
import { plannedIn, UNDISTURBED } from '../../../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../../support/states.ts'
import { aWorld, seedFrom } from '../../../support/world.ts'
import { differing, type Probe } from './probe.ts'

const TEXT = 'correct-horse-battery'
const SHOWN = {
  id: 'var-AAAAAAAAAAAAAAA1',
  type: 'vars',
  attributes: { key: 'A', category: 'env', value: TEXT, sensitive: true },
}

const messageOf = (act: () => unknown): string => {
  try {
    return String(act())
  } catch (error) {
    return String(error)
  }
}

/** All secrets are resolved before the first write. Otherwise a value could be deleted and its secret then be missing. */
async function writesWithoutSecret(): Promise<number> {
  const files = aDesiredState(
    aSet('a', { variables: { 'env/A': '2', 'env/S': { secret: { name: 'S' } }, 'env/T': '3' } }),
  )
  const world = await aWorld([
    seedFrom(anObserved('1', 'a', { variables: { 'env/A': '1', 'env/S': 'clear' } })),
  ])
  const { prepared } = await plannedIn(world, files)
  if (prepared === undefined) return 0
  const secrets = () => undefined
  await applyPrepared({ prepared, ...UNDISTURBED, service: world, secrets }).catch(() => {})
  return world.requests().writes
}

/** The value of a secret appears only in the request that sends it. */
export const secrets: Probe = async () => {
  const secret = new Secret(TEXT)
  const { variable } = decodeVariable(SHOWN, 'data', 'terraform')
  const cut = { status: 200, headers: { 'content-type': 'application/json' }, body: `${TEXT}…` }
  const { steps } = planOf(
    aDesiredState(aSet('a', { variables: { 'env/S': { secret: { name: 'S' } } } })),
    anObservedState(),
  )
  const shown = [
    ['in an observed state', JSON.stringify(variable)],
    ['printed', inspect({ secret }, { depth: 9, showHidden: true })],
    ['as text', `${secret}`],
    ['in JSON', messageOf(() => JSON.stringify({ secret }))],
    ['in an error about a response', messageOf(() => readDocument(cut))],
  ] as const
  return [
    ...shown.flatMap(([where, text]) =>
      text.includes(TEXT.slice(0, 8)) ? [`a secret is shown ${where}`] : [],
    ),
    ...(secret.fingerprint('k'.repeat(32), 'c') === secret.fingerprint('l'.repeat(32), 'c')
      ? ['a fingerprint does not depend on its key']
      : []),
    ...differing(
      'errors for an empty secret',
      1,
      resolveSecrets(steps, secretsFromEnvironment({ SETPOINT_SECRET_S: '' }).secretOf, () => undefined)
        .diagnostics.length,
    ),
    ...differing('writes without a required secret', 0, await writesWithoutSecret()),
  ]
}

/** Untrusted text never becomes a command for a terminal or a runner. */
export const texts: Probe = () => {
  const hostile = 'a\u001b[31m\u202eb\n::set-env name=x::y\r##[error]z'
  const printed = sealLines(`${terminalText(hostile)}\n`)
  return [
    ...(['\u001b', '\u202e', '\r'].some(sign => printed.includes(sign))
      ? ['invisible characters are printed']
      : []),
    ...(/^::|##\[/m.test(printed) ? ['a name contains a command for the runner'] : []),
  ]
}
