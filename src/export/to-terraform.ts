import { compareText, type Diagnostic, mistake } from '../model/diagnostic.ts'
import {
  categoryOf,
  nameOf,
  TARGET_KINDS,
  type TargetKind,
  type VariableId,
  type VariableSetId,
} from '../model/ids.ts'
import { freeName } from '../model/names.ts'
import type { DesiredSet, ObservedSet, ObservedVariable } from '../model/variable-set.ts'
import type { TargetNames } from './desired-set.ts'
import { hclQuoted } from './state-json.ts'

/** Sets of one organization, each as the service shows it and as a file would say it. */
interface TerraformRequest {
  readonly organization: string
  readonly sets: readonly { readonly observed: ObservedSet; readonly desired: DesiredSet }[]
  /** All sets of the organization: an import by name must mean one of them only. */
  readonly all: readonly ObservedSet[]
  readonly names: TargetNames
}

/** A configuration for the provider `hashicorp/tfe`, in the layout of `terraform fmt`. */
interface TerraformExport {
  readonly text: string
  /** What `terraform plan` imports. */
  readonly imports: number
  /**
   * What it changes besides: each sensitive variable, whose value the provider takes for empty. It sends the other attributes, which
   * are equal, and no value.
   */
  readonly changes: number
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Resources and `import` blocks for sets that exist. Hidden values, and readable ones that no file may contain, are not written:
 * `ignore_changes` keeps them. An assignment that cannot be imported is an error.
 */
export function terraformExport(request: TerraformRequest): TerraformExport {
  const written = new Configuration(request)
  for (const { observed, desired } of request.sets) written.add(observed, desired)
  const { blocks, imports, changes, diagnostics } = written
  return { text: blocks.join('\n'), imports, changes, diagnostics }
}

const RESOURCES = {
  workspaces: { type: 'tfe_workspace_variable_set', id: 'workspace_id' },
  projects: { type: 'tfe_project_variable_set', id: 'project_id' },
  stacks: { type: 'tfe_stack_variable_set', id: 'stack_id' },
} as const satisfies Record<TargetKind, unknown>

type Attribute = readonly [name: string, expression: string]

class Configuration {
  readonly blocks: string[] = []
  imports = 0
  changes = 0
  readonly diagnostics: Diagnostic[] = []
  readonly #request: TerraformRequest
  readonly #addresses = new Set<string>()

  constructor(request: TerraformRequest) {
    this.#request = request
  }

  add(set: ObservedSet, desired: DesiredSet): void {
    const { organization } = this.#request
    const label = labelOf(desired.name)
    const address = this.#resource('tfe_variable_set', label, set.id, [
      ['name', hclQuoted(set.name)],
      ...textual('description', set.description),
      ['organization', hclQuoted(organization)],
      ...(set.parent === undefined ? [] : [['parent_project_id', hclQuoted(set.parent)] as const]),
      ...flags(set, 'global', 'priority'),
    ])
    const values = new Map(desired.variables.map(({ key, value }) => [key, value]))
    for (const variable of set.variables.toSorted((a, b) => compareText(a.key, b.key))) {
      const value = values.get(variable.key)
      this.#variable(set.id, address, `${label}_${labelOf(nameOf(variable.key))}`, {
        variable,
        text: value !== undefined && 'text' in value ? value.text : undefined,
      })
    }
    for (const kind of TARGET_KINDS)
      for (const id of set[kind] ?? []) {
        const place = this.#importOf(set, kind, id)
        if (place === undefined) continue
        const { type, id: attribute } = RESOURCES[kind]
        this.#resource(type, `${label}_${labelOf(place.name ?? id)}`, place.id, [
          ['variable_set_id', `${address}.id`],
          [attribute, hclQuoted(id)],
        ])
      }
  }

  #variable(
    set: VariableSetId,
    address: string,
    label: string,
    { variable, text }: { readonly variable: ObservedVariable; readonly text: string | undefined },
  ): void {
    const isSensitive = !('text' in variable.value)
    if (isSensitive) this.changes++
    this.#resource(
      'tfe_variable',
      label,
      `${this.#request.organization}/${set}/${variable.id satisfies VariableId}`,
      [
        ['key', hclQuoted(nameOf(variable.key))],
        ...(text === undefined ? [] : [['value', hclQuoted(text)] as const]),
        ['category', hclQuoted(categoryOf(variable.key))],
        ...textual('description', variable.description),
        ...flags(variable, 'hcl'),
        ...(isSensitive ? [['sensitive', 'true'] as const] : []),
        ['variable_set_id', `${address}.id`],
      ],
      text === undefined ? '\n  lifecycle {\n    ignore_changes = [value]\n  }\n' : '',
    )
  }

  /** The id of an assignment for an import, as the provider reads it: some have the name of the set. */
  #importOf(
    set: ObservedSet,
    kind: TargetKind,
    id: string,
  ): { readonly id: string; readonly name?: string } | undefined {
    const { organization, all, names } = this.#request
    if (kind === 'stacks') return { id: `${id}/${set.id}` }
    const twin = all.find(
      one => one !== set && one.name === set.name && one[kind].some(assigned => assigned === id),
    )
    if (twin !== undefined) {
      this.diagnostics.push(
        mistake(
          'not-written',
          `${id} cannot be imported: "${set.name}" (${set.id}) and "${twin.name}" (${twin.id}) are both assigned to it, and the provider finds them by name.`,
          'Rename one of the two sets first.',
        ),
      )
      return undefined
    }
    if (kind === 'projects') return { id: `${organization}/${id}/${set.name}` }
    const found = set.workspaces.find(one => one === id)
    const ref = found && names.workspaces(found)
    if (ref !== undefined && 'name' in ref)
      return { id: `${organization}/${ref.name}/${set.name}`, name: ref.name }
    this.diagnostics.push(
      mistake(
        'no-look-up',
        `${id} of "${set.name}" cannot be imported: the service does not show the name of this workspace.`,
        'The provider imports it by name. Use a token that may read the workspaces.',
      ),
    )
    return undefined
  }

  /** Adds a resource with its import, and returns its address. */
  #resource(type: string, wanted: string, id: string, attributes: readonly Attribute[], more = ''): string {
    const address = freeName(`${type}.${wanted}`, this.#addresses, n => `${type}.${wanted}_${n}`)
    this.imports++
    this.blocks.push(
      `resource "${type}" "${address.slice(type.length + 1)}" {\n${aligned(attributes)}${more}}\n`,
      `import {\n${aligned([
        ['to', address],
        ['id', hclQuoted(id)],
      ])}}\n`,
    )
    return address
  }
}

function aligned(attributes: readonly Attribute[]): string {
  const width = Math.max(...attributes.map(([name]) => name.length))
  return attributes.map(([name, expression]) => `  ${name.padEnd(width)} = ${expression}\n`).join('')
}

const textual = (name: string, text: string): Attribute[] => (text === '' ? [] : [[name, hclQuoted(text)]])

/** Without those that have the provider's default. */
const flags = <N extends string>(of: Readonly<Record<N, boolean>>, ...names: readonly N[]): Attribute[] =>
  names.flatMap(name => (of[name] ? [[name, 'true'] as const] : []))

/** A name in the form of an identifier. */
function labelOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 100)
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
}
