import { compareText, type Diagnostic, mistake, shellQuoted, warning } from '../model/diagnostic.ts'
import { byKind, type TargetKind } from '../model/ids.ts'
import { selects } from '../model/names.ts'
import type { KnownSecrets } from '../model/secret.ts'
import { type DesiredSet, type TargetRefs, type WantedSecret, wantedSecrets } from '../model/variable-set.ts'
import { secretRefs, targetNames } from './desired-set.ts'
import { type Exported, exportedSets } from './sets.ts'
import { blockAddress, type StateObject } from './state-json.ts'
import { type StateSet, setsOfState } from './state-sets.ts'

export interface StateExportRequest {
  /** Left out: the one that the sets of the state belong to. */
  readonly organization?: string
  readonly only: readonly string[]
  readonly owns: readonly string[]
  /** `false`: values of sensitive variables stay in the service. */
  readonly references?: boolean
  readonly known: KnownSecrets
}

export interface StateExport extends Exported {
  readonly secrets: readonly WantedSecret[]
  /** The objects that Terraform must forget when files manage the sets. */
  readonly leaving: readonly StateObject[]
  readonly staying: readonly StateObject[]
}

/** A state as set files. Sensitive values become references: their texts never leave `setsOfState`. */
export function exportFromState(objects: readonly StateObject[], wishes: StateExportRequest): StateExport {
  const found = setsOfState(objects)
  const { kept, diagnostics } = ofOrganization(found.sets, wishes.organization)
  const selected = kept.filter(({ set }) => wishes.only.length === 0 || selects(wishes.only, set))
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
    names: targetNames(found.names),
    secretOf: ({ id }) => refs.get(id),
    known: wishes.known,
  })
  const written = kept.filter(({ set }) => exported.ids.has(set.id))
  const knows = new Map(written.map(one => [exported.ids.get(one.set.id), one.knows]))
  const leaving = new Set(written.flatMap(one => one.objects))
  return {
    ...exported,
    sets: exported.sets.map(set => knownPart(set, knows.get(set) ?? [])),
    diagnostics: [...found.diagnostics, ...diagnostics, ...exported.diagnostics],
    secrets: wantedSecrets(exported.sets),
    leaving: [...leaving],
    staying: objects.filter(object => !leaving.has(object)),
  }
}

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

/**
 * How Terraform forgets objects without destroying them. Commands are for a POSIX shell. A part without content is empty.
 */
export interface Leaving {
  readonly tool: 'terraform' | 'tofu'
  /** Resources that keep some of their instances. A `removed` block would remove them all, so the commands in `first` do it. */
  readonly mixed: readonly string[]
  /** Some of those are in a module with `count`, whose numbers change as well. */
  readonly isCounted: boolean
  /** Run these before the configuration changes: an apply would destroy these instances. */
  readonly first: string
  /** One `removed` block for each other resource. */
  readonly removed: string
  /** Commands that do the same as the blocks. */
  readonly instead: string
}

export function leavingTerraform(leaving: readonly StateObject[], staying: readonly StateObject[]): Leaving {
  const tool = leaving.some(({ isOfTofu }) => isOfTofu) ? 'tofu' : 'terraform'
  const kept = new Set(staying.filter(object => !object.isData).map(blockAddress))
  const blocks = [...new Set(leaving.map(blockAddress))].sort(compareText)
  const parts = leaving.filter(object => kept.has(blockAddress(object)))
  const wholes = leaving.filter(object => !kept.has(blockAddress(object)))
  return {
    tool,
    mixed: blocks.filter(block => kept.has(block)),
    isCounted: parts.some(({ module }) => /\[\d+\]/.test(module)),
    first: removals(tool, parts) + renumbering(tool, parts, staying),
    removed: blocks
      .filter(block => !kept.has(block))
      .map(removedBlock)
      .join('\n'),
    instead: removals(tool, wholes),
  }
}

const removedBlock = (address: string): string => `removed {
  from = ${address}

  lifecycle {
    destroy = false
  }
}
`

/** In one command, far below the limit of a command line. */
const MOST_ADDRESSES = 100

function removals(tool: string, objects: readonly StateObject[]): string {
  const sorted = [...new Set(objects.map(({ address }) => address))].sort(compareText)
  const parts: string[] = []
  for (let at = 0; at < sorted.length; at += MOST_ADDRESSES) {
    const lines = sorted.slice(at, at + MOST_ADDRESSES).map(address => `  ${shellQuoted(address)}`)
    parts.push(`${tool} state rm \\\n${lines.join(' \\\n')}\n`)
  }
  return parts.join('')
}

/**
 * With `count`, the instances after a removed one get lower numbers, and an apply would destroy and create them. Lowest first, so
 * that every number is free when it is used.
 */
function renumbering(tool: string, leaving: readonly StateObject[], staying: readonly StateObject[]): string {
  return staying
    .flatMap(object => {
      const { index } = object
      if (typeof index !== 'number' || object.isData) return []
      const resource = resourceOf(object)
      const before = leaving.filter(
        one => typeof one.index === 'number' && one.index < index && resourceOf(one) === resource,
      ).length
      return before === 0 ? [] : [{ resource, index, to: index - before }]
    })
    .toSorted((a, b) => compareText(a.resource, b.resource) || a.index - b.index)
    .map(
      ({ resource, index, to }) =>
        `${tool} state mv ${shellQuoted(`${resource}[${index}]`)} ${shellQuoted(`${resource}[${to}]`)}\n`,
    )
    .join('')
}

/** With the keys of its modules, without its own. */
const resourceOf = ({ address, index }: StateObject): string => address.slice(0, -`[${index}]`.length)
