import { compareText, type Diagnostic, hasErrors, mistake, warning } from '../model/diagnostic.ts'
import { byKind, type TargetKind, type VariableKey } from '../model/ids.ts'
import { grouped, shortList } from '../model/lists.ts'
import { selects } from '../model/names.ts'
import type { KnownSecrets } from '../model/secret.ts'
import { type DesiredSet, type TargetRefs, type WantedSecret, wantedSecrets } from '../model/variable-set.ts'
import { secretRefs, targetNames } from './desired-set.ts'
import { type Exported, exportedSets } from './exported-sets.ts'
import { blockAddress, type StateObject } from './state-json.ts'
import { type StateSet, type StateSets, setsOfState } from './state-sets.ts'

export interface StateExportRequest {
  /** Left out: the one that the sets of the state belong to. */
  readonly organization?: string
  readonly only: readonly string[]
  readonly owns: readonly string[]
  /** `false`: values of sensitive variables stay in the service. */
  readonly references?: boolean
  readonly known: KnownSecrets
  /**
   * Names of secrets in other files of the place where the sets are written, such as those of another state: their values may differ from
   * those of this one. Takes the names of the sets that are exported.
   */
  readonly used?: (exported: ReadonlySet<string>) => readonly string[]
}

export interface StateExport extends Exported {
  readonly secrets: readonly WantedSecret[]
  /** The objects that Terraform must forget when files manage the sets. */
  readonly leaving: readonly StateObject[]
  readonly staying: readonly StateObject[]
  /** Names of the state's sets that stay with Terraform, sorted. */
  readonly stayingSets: readonly string[]
  /** Variables that leave and may be made of other resources. */
  readonly computed: readonly ComputedVariable[]
  /** Objects that Terraform replaced and did not destroy, of resources that leave. */
  readonly deposed: readonly StateObject[]
}

/** Whatever changes the resources that its value is made of does not change the value in a file. */
export interface ComputedVariable {
  readonly set: string
  readonly key: VariableKey
  readonly address: string
  /** Addresses of blocks. */
  readonly from: readonly string[]
}

/**
 * A state as set files. Sensitive values become references: their texts never leave `setsOfState`. A set of which the state has
 * only parts, and sets of two provider configurations, are errors: Terraform and Setpoint would both manage something, or the wrong host's set.
 */
export function exportFromState(all: readonly StateObject[], wishes: StateExportRequest): StateExport {
  const objects = all.filter(({ deposed }) => deposed === undefined)
  const found = setsOfState(objects)
  const { kept, diagnostics } = ofOrganization(found.sets, wishes.organization)
  const selected = kept.filter(({ set }) => wishes.only.length === 0 || selects(wishes.only, set))
  const providers = grouped(selected, providerOf)
  const refused = [...partsOnly(found, wishes.only), ...severalProviders(providers)]
  if (hasErrors(refused)) return { ...NOTHING, diagnostics: [...refused, ...diagnostics] }
  const sensitive = new Set(
    selected.flatMap(({ objects }) =>
      objects.flatMap(({ values }) => (values.sensitive === true ? [values.id] : [])),
    ),
  )
  const refs = secretRefs(
    selected.map(({ set }) => set),
    ({ id }) => wishes.references !== false && sensitive.has(id),
    found.identities,
    wishes.used?.(new Set(selected.map(({ set }) => set.name))) ?? [],
  )
  // A set of another host is none of this service.
  const there = selected.length === 0 ? kept : kept.filter(set => providers.has(providerOf(set)))
  const observed = { organization: wishes.organization ?? '', sets: there.map(({ set }) => set), pages: 1 }
  const exported = exportedSets(observed, {
    only: wishes.only,
    owns: wishes.owns,
    names: targetNames(found.names),
    secretOf: ({ id }) => refs.get(id),
    known: wishes.known,
    isState: true,
  })
  const written = there.filter(({ set }) => exported.ids.has(set.id))
  const knows = new Map(written.map(one => [exported.ids.get(one.set.id), one.knows]))
  const leaving = new Set(written.flatMap(one => one.objects))
  return {
    ...exported,
    sets: exported.sets.map(set => knownPart(set, knows.get(set) ?? [])),
    diagnostics: [...found.diagnostics, ...refused, ...diagnostics, ...exported.diagnostics],
    secrets: wantedSecrets(exported.sets),
    leaving: [...leaving],
    staying: objects.filter(object => !leaving.has(object)),
    stayingSets: found.sets.filter(one => !written.includes(one)).map(({ set }) => set.name),
    computed: written
      .flatMap(computedIn)
      .sort((a, b) => compareText(a.set, b.set) || compareText(a.key, b.key)),
    deposed: deposedAmong(all, leaving),
  }
}

/**
 * The variables of a set that depend on more than the set. What the set itself depends on is left out: a variable depends on it by way of
 * the set.
 */
function computedIn({ set: { name }, objects: [block, ...parts] }: StateSet): ComputedVariable[] {
  const ofSet = new Set(block?.dependencies)
  return parts.flatMap(({ type, address, values, dependencies }) => {
    const { category, key } = values
    const isCategory = category === 'env' || category === 'terraform'
    if (type !== 'tfe_variable' || !isCategory || typeof key !== 'string') return []
    const from = dependencies.filter(one => !ofSet.has(one) && !/(?:^|\.)tfe_variable_set\.[^.]+$/.test(one))
    return from.length === 0 ? [] : { set: name, key: `${category}/${key}`, address, from }
  })
}

/** Those of the blocks that leave, and the parts of their sets. */
function deposedAmong(all: readonly StateObject[], leaving: ReadonlySet<StateObject>): StateObject[] {
  const blocks = new Set([...leaving].map(blockAddress))
  const sets = new Set(
    [...leaving].flatMap(({ type, values }) => (type === 'tfe_variable_set' ? values.id : [])),
  )
  return all.filter(
    object =>
      object.deposed !== undefined &&
      (blocks.has(blockAddress(object)) || sets.has(object.values.variable_set_id)),
  )
}

const NOTHING = {
  sets: [],
  ids: new Map(),
  secrets: [],
  leaving: [],
  staying: [],
  stayingSets: [],
  computed: [],
  deposed: [],
} as const

const addressesIn = (objects: readonly StateObject[]): string =>
  shortList(objects.map(({ address }) => address))

/** Parts of sets that the state does not manage. With a selection, they are among what stays. */
const partsOnly = ({ parts }: StateSets, only: readonly string[]): Diagnostic[] =>
  [...parts].map(([id, objects]) => {
    const one = `the set ${id === '' ? 'without an id' : id}`
    if (only.length > 0 && !only.includes(id))
      return warning(
        'state-incomplete',
        `${addressesIn(objects)}: left out, because this state does not manage ${one}.`,
        'If Setpoint is to manage that set, first remove these from the Terraform state.',
      )
    return mistake(
      'half-owned-set',
      `This state has only parts of ${one}: ${addressesIn(objects)}. Another state, or nobody, manages the set.`,
      `Terraform and Setpoint would both change it. Export the state that manages it, write these parts into its file with setpoint export --update SET, and then remove them here: terraform state rm ADDRESS, and delete their resources. To export other sets first, select each of them: --only NAME`,
    )
  })

/** The provider configuration of a set: each may be another host. */
const providerOf = ({ objects: [block] }: StateSet): string => block?.provider ?? ''

function severalProviders(providers: ReadonlyMap<string, readonly StateSet[]>): Diagnostic[] {
  if (providers.size < 2) return []
  const each = [...providers].map(([provider, sets]) => `${provider} (${addressesIn(blocksOf(sets))})`)
  return [
    mistake(
      'several-hosts',
      `The sets of this state have ${providers.size} provider configurations, and each may be another host: ${each.join(', ')}.`,
      'Files are for one host. Export the sets of each configuration on their own: --only NAME or ID, once for each set. Those of another host go into a directory of their own.',
    ),
  ]
}

const blocksOf = (sets: readonly StateSet[]): StateObject[] =>
  sets.flatMap(({ objects: [block] }) => block ?? [])

/** Only the sets of one organization, because files have one. */
function ofOrganization(
  sets: readonly StateSet[],
  organization: string | undefined,
): { kept: readonly StateSet[]; diagnostics: readonly Diagnostic[] } {
  const all = [...new Set(sets.flatMap(set => set.organization ?? []))].sort(compareText)
  if (organization === undefined && all.length > 1) {
    const message = `The state has sets of ${all.length} organizations: ${all.map(name => `"${name}"`).join(', ')}.`
    return {
      kept: [],
      diagnostics: [mistake('organization-mismatch', message, `Export one at a time: ${EXPORT}`)],
    }
  }
  const kept = sets.filter(
    one => organization === undefined || [undefined, organization].includes(one.organization),
  )
  const others = sets.length - kept.length
  const left = warning(
    'organization-mismatch',
    `${others} of the state's sets belong to another organization than "${organization}" and are left out.`,
    `Export them on their own: ${EXPORT}`,
  )
  return { kept, diagnostics: others === 0 ? [] : [left] }
}

const EXPORT = 'setpoint export ORGANIZATION --terraform-state FILE'

/** Assignments that the state does not have stay unmanaged: an empty list would remove what somebody else assigned. */
function knownPart(set: DesiredSet, knows: readonly TargetKind[]): DesiredSet {
  const { workspaces: _, projects: __, stacks: ___, ...rest } = set
  return { ...rest, ...byKind<TargetRefs>(kind => (knows.includes(kind) ? set[kind] : undefined)) }
}
