import { resolve } from 'node:path'
import { createLookUps, settled } from '../api/look-ups.ts'
import { looksLikeSecret } from '../config/lint.ts'
import {
  type Checked,
  type Diagnostic,
  hasErrors,
  mistake,
  type SourceRange,
  warning,
} from '../model/diagnostic.ts'
import { parseJson } from '../model/json.ts'
import { plural } from '../model/lists.ts'
import { quotedPath } from '../model/names.ts'
import type { KnownSecrets } from '../model/secret.ts'
import type {
  DesiredState,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  ResolvedState,
} from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import { matchStates } from '../plan/match-states.ts'
import { resolveNames } from '../plan/resolve-names.ts'
import { type Snapshot, snapshotOf } from '../plan/snapshot.ts'
import { LARGEST, readUpTo } from './read-file.ts'
import type { World } from './run.ts'
import { observeOrganization, type ReadOnly } from './service.ts'

/** Reads what a plan of these files, or of a change to them, needs. It contains no secret: `known` are those of this run. */
export async function takeSnapshot(
  desired: DesiredState,
  service: ReadOnly,
  takenAt: string,
  known: KnownSecrets,
): Promise<Checked<Snapshot>> {
  const { organization } = desired
  const lookUps = createLookUps(service.reader, organization)
  // A change to the files may name any other.
  const [observed] = await Promise.all([
    observeOrganization(service, organization),
    lookUps.ask({ all: ['workspaces', 'projects'] }),
  ])
  const named = await settled(lookUps, told => resolveNames(desired, told))
  if (named.value === undefined || hasErrors(named.diagnostics))
    return { value: undefined, diagnostics: named.diagnostics }
  const { match } = matchStates(named.value, observed, [])
  const hasStacks = [...desired.sets, ...observed.sets].some(({ stacks }) => stacks !== undefined)
  if (hasStacks) await lookUps.ask({ all: ['stacks'] })
  const { failed: _, ...directory } = lookUps.told()
  const snapshot = snapshotOf(named.value, withoutDoubtful(named.value, observed, match, known), match, {
    address: service.address,
    takenAt,
    directory,
  })
  return {
    value: known.in(snapshot),
    diagnostics: [...named.diagnostics, ...hiddenIn(snapshot, observed, match, known)],
  }
}

/** Where the service shows a secret of this run in clear: each value that is omitted, and each set with another such text. */
function hiddenIn(
  { sets, others }: Snapshot,
  observed: ObservedState,
  { pairs }: Match,
  known: KnownSecrets,
): Diagnostic[] {
  const sources = new Map<string, SourceRange>(
    pairs.flatMap(({ desired, observed }) => (observed === undefined ? [] : [[observed.id, desired.source]])),
  )
  const ours = new Set<string>(sets.map(({ id }) => id))
  const values = observed.sets.flatMap(({ id, name, variables }) =>
    (ours.has(id) ? variables : []).flatMap(({ key, value }) =>
      'text' in value && known.hides(value.text)
        ? warning(
            'looks-like-a-secret',
            `The snapshot omits ${key} of "${name}". It contains a secret that this run knows.`,
            'Everybody can read it in the service. Replace it and write `{ secret: NAME }` as its value.',
            sources.get(id),
          )
        : [],
    ),
  )
  const parts = [...sets, ...others].flatMap(set =>
    known.in(set) === set
      ? []
      : warning(
          'looks-like-a-secret',
          `The snapshot hides a part of "${set.name}" (${set.id}): its name, its description or a key contains a secret that this run knows.`,
          'Everybody can read it in the service. Replace it. A plan from this snapshot shows a difference that does not exist.',
          sources.get(set.id),
        ),
  )
  return [...values, ...parts]
}

/**
 * Without readable values that may be secrets: those of variables that the files declare as external or secret, here or in
 * another set, those that the check for secrets finds, and those with a secret of this run. A value that the files have in clear
 * stays.
 */
function withoutDoubtful(
  desired: ResolvedState,
  observed: ObservedState,
  { pairs }: Match,
  known: KnownSecrets,
): ObservedState {
  const written = new Map(pairs.map(pair => [pair.observed?.id, pair.desired.variables]))
  const all = desired.sets.flatMap(({ variables }) => variables)
  const secret = new Set(all.filter(({ value }) => 'secret' in value).map(({ key }) => key))
  const seen = (variable: ObservedVariable, set: ObservedSet): ObservedVariable => {
    const { key, value } = variable
    const wanted = written.get(set.id)?.find(one => one.key === key)?.value ?? { text: '' }
    if (!('text' in value) || ('text' in wanted && wanted.text === value.text)) return variable
    const isDoubtful =
      !('text' in wanted) || secret.has(key) || looksLikeSecret(key, value.text) || known.hides(value.text)
    return isDoubtful ? { ...variable, value: { withheld: true } } : variable
  }
  return {
    ...observed,
    sets: observed.sets.map(set => ({ ...set, variables: set.variables.map(one => seen(one, set)) })),
  }
}

/** Reads a snapshot and reports its age, or says why it is not accepted. */
export async function readSnapshot(
  world: World,
  file: string,
  organization: string,
): Promise<Checked<Snapshot>> {
  const refused = (reason: string): Checked<Snapshot> => ({
    value: undefined,
    diagnostics: [
      mistake(
        'bad-snapshot',
        `${quotedPath(file)} is not accepted. ${reason}`,
        'Create a new one: setpoint snapshot --out FILE',
      ),
    ],
  })
  const { text, isLarge } = await readUpTo(LARGEST, resolve(world.cwd, file))
  if (text === undefined)
    return refused(isLarge ? 'It is larger than any snapshot.' : 'There is no such file.')
  const value = parseJson(text)
  if (value === undefined)
    return refused('It is not JSON, or larger than any snapshot: it was truncated, or is something else.')
  const { isSnapshot } = await import('../config/snapshot-valid.gen.ts')
  const isWhole = (one: unknown): one is Snapshot => isSnapshot(one)
  if (!isWhole(value)) return refused('It does not have the format of a snapshot.')
  if (value.organization !== organization)
    return refused(
      `It is for ${JSON.stringify(value.organization)}, but the files are for ${JSON.stringify(organization)}.`,
    )
  return { value, diagnostics: [age(world, value)] }
}

const age = (world: World, { takenAt }: Snapshot): Diagnostic =>
  warning(
    'snapshot-age',
    `Planned from a snapshot of ${takenAt}, ${ageText(world.now().getTime() - Date.parse(takenAt))}. Later changes are not in this plan.`,
    'The apply reads the service again, and refuses if something changed.',
  )

/** `14 hours old`, in whole units of the largest that fits. */
function ageText(milliseconds: number): string {
  if (!(milliseconds >= 0)) return 'from the future by the clock of this machine'
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  for (const [unit, length] of units) {
    const count = Math.floor(milliseconds / length)
    if (count > 0) return `${plural(count, unit)} old`
  }
  return 'less than a minute old'
}
