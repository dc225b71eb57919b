import { compareText, type Diagnostic } from '../model/diagnostic.ts'
import { byKind } from '../model/ids.ts'
import { matchesAny } from '../model/names.ts'
import type { DesiredSet, Directory, TargetRefs } from '../model/variable-set.ts'
import { type NeededSecret, neededSecrets, secretRefs } from './secret-names.ts'
import { type Exported, exportedSets } from './sets.ts'
import type { StateSet } from './state-draft.ts'
import type { StateObject } from './state-json.ts'
import { setsOfState } from './state-sets.ts'
import { targetNames } from './targets.ts'

export interface StateWishes {
  /** None: the one that the state's sets belong to. */
  readonly organization?: string
  readonly only: readonly string[]
  readonly owns: readonly string[]
  readonly directory: Directory
  /** `false`: values of sensitive variables stay in the service. */
  readonly references?: boolean
}

export interface StateExport extends Exported {
  readonly secrets: readonly NeededSecret[]
  /** What Terraform lets go once the sets are managed by files. */
  readonly leaving: readonly StateObject[]
  /** What stays with Terraform. */
  readonly staying: readonly StateObject[]
}

/** A state as set files. Sensitive values become references: none of their texts gets further than `setsOfState`. */
export function exportFromState(objects: readonly StateObject[], wishes: StateWishes): StateExport {
  const found = setsOfState(objects)
  const { kept, diagnostics } = ofOrganization(found.sets, wishes.organization)
  const selected = kept.filter(({ set }) => wishes.only.length === 0 || matchesAny(wishes.only, set.name))
  const sensitive = new Set(
    selected.flatMap(({ objects }) =>
      objects.flatMap(({ values }) => (values.sensitive === true ? [values.id] : [])),
    ),
  )
  const refs = secretRefs(
    selected.map(({ set }) => set),
    ({ id }) => wishes.references !== false && sensitive.has(id),
    found.identities,
  )
  const observed = { organization: wishes.organization ?? '', sets: kept.map(({ set }) => set), pages: 1 }
  const exported = exportedSets(observed, {
    only: wishes.only,
    owns: wishes.owns,
    names: targetNames(wishes.directory, found.names),
    secretOf: ({ id }) => refs.get(id),
  })
  const written = kept.filter(({ set }) => exported.ids.has(set.id))
  const leaving = new Set(written.flatMap(one => one.objects))
  return {
    ...exported,
    sets: exported.sets.map(set => knownPart(set, written)),
    diagnostics: [...found.diagnostics, ...diagnostics, ...exported.diagnostics],
    secrets: neededSecrets(exported.sets),
    leaving: [...leaving],
    staying: objects.filter(object => !leaving.has(object)),
  }
}

/** Sets of one organization only: files have one. */
function ofOrganization(
  sets: readonly StateSet[],
  organization: string | undefined,
): { kept: readonly StateSet[]; diagnostics: readonly Diagnostic[] } {
  const all = [...new Set(sets.flatMap(set => set.organization ?? []))].sort(compareText)
  if (organization === undefined && all.length > 1)
    return {
      kept: [],
      diagnostics: [
        {
          severity: 'error',
          code: 'organization-mismatch',
          message: `The state has sets of ${all.length} organizations: ${all.map(name => `"${name}"`).join(', ')}.`,
          hint: 'Export one at a time: setpoint export ORGANIZATION --terraform-state FILE',
        },
      ],
    }
  const kept = sets.filter(
    set => organization === undefined || set.organization === undefined || set.organization === organization,
  )
  const others = sets.length - kept.length
  return {
    kept,
    diagnostics:
      others === 0
        ? []
        : [
            {
              severity: 'warning',
              code: 'organization-mismatch',
              message: `${others} of the state's sets are of another organization than "${organization}", and left out.`,
              hint: 'Export them on their own: setpoint export ORGANIZATION --terraform-state FILE',
            },
          ],
  }
}

/** What a state does not say is not managed: an empty list would take away what somebody else assigned. */
function knownPart(set: DesiredSet, written: readonly StateSet[]): DesiredSet {
  const knows = written.find(one => one.set.name === set.name && one.set.id === (set.id ?? one.set.id))?.knows
  const { workspaces: _, projects: __, stacks: ___, ...rest } = set
  return { ...rest, ...byKind<TargetRefs>(kind => (knows?.includes(kind) === true ? set[kind] : undefined)) }
}
