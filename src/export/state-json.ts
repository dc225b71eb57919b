import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import { parseJson } from '../model/parse-json.ts'
import { instanceAddress, isModuleAddress } from './state-address.ts'

export type Members = Readonly<Record<string, unknown>>

/** One object of a Terraform state: what a `resource` or `data` block, an instance of it, has. */
export interface StateObject {
  readonly isData: boolean
  readonly type: string
  /** Name of the block. */
  readonly name: string
  /** Address of the module, with instance keys; empty for the root. */
  readonly module: string
  /** With instance keys, as `terraform state list` writes it. */
  readonly address: string
  /** Of an instance by `count`; a name where it is by `for_each`. */
  readonly index?: unknown
  /** Its provider comes from OpenTofu's registry. */
  readonly isOfTofu: boolean
  readonly values: Members
}

/**
 * The objects of types that begin with `tfe_`: of a state file of version 4 (Terraform since 0.12, OpenTofu), or of what
 * `show -json` prints (format version 0 and 1). The text is somebody else's: nothing of it is quoted in a message.
 */
export function readState(text: string): Checked<readonly StateObject[]> {
  const document = parseJson(text.replace(/^\ufeff/, ''))
  if (!isMembers(document)) return refused('The state is no JSON, or it is cut off.', NOT_JSON)
  const { version, format_version: format, values } = document
  if ('encrypted_data' in document || 'encryption_version' in document)
    return refused(
      'The state is encrypted by OpenTofu.',
      `Decrypt it on the way: ${PULL.replace('terraform', 'tofu')}`,
    )
  if ('planned_values' in document || 'resource_changes' in document)
    return refused('This is a plan, not a state.', `Show the state: ${SHOW}`)
  if (typeof format === 'string') {
    if (!/^[01]\.\d+$/.test(format))
      return refused('The form of `show -json` is of a version that is not known.', SUPPORTED)
    return taken(shownObjects(values))
  }
  if (version !== 4)
    return refused(
      typeof version === 'number'
        ? `The state is of version ${version}, and only version 4 is read.`
        : 'This is JSON, but no Terraform state.',
      SUPPORTED,
    )
  return taken(rawObjects(document.resources))
}

const SHOW = 'terraform show -json > state.json'
const PULL = 'terraform state pull > state.json'
const NOT_JSON = `Write it anew, in UTF-8: ${PULL}`
const SUPPORTED = `Write it with Terraform or OpenTofu 1.x: ${PULL}`

const refused = (message: string, hint: string): Checked<never> => ({
  value: undefined,
  diagnostics: [{ severity: 'error', code: 'state-format', message, hint }],
})

interface Found {
  readonly objects: readonly StateObject[]
  readonly unreadable: number
}

function taken({ objects, unreadable }: Found): Checked<readonly StateObject[]> {
  const warning: Diagnostic = {
    severity: 'warning',
    code: 'state-incomplete',
    message: `${unreadable} of the state's tfe_ objects cannot be read, and are left out.`,
    hint: `They have no attributes, or an address that Terraform does not write. ${SUPPORTED}`,
  }
  return { value: objects, diagnostics: unreadable > 0 ? [warning] : [] }
}

/** A state file: resources in one list, each with its instances. A deposed object is what a failed replacement left. */
function rawObjects(resources: unknown): Found {
  const found: (StateObject | undefined)[] = []
  for (const resource of listOf(resources).filter(isOurs)) {
    const module = resource.module ?? ''
    for (const instance of listOf(resource.instances).filter(isMembers))
      if (instance.deposed === undefined)
        found.push(objectOf(resource, module, instance.index_key, instance.attributes))
  }
  return split(found)
}

/** What `show -json` prints: modules inside modules. */
function shownObjects(values: unknown): Found {
  const found: (StateObject | undefined)[] = []
  const open = isMembers(values) ? [values.root_module] : []
  // A list and not a recursion: the depth is the state's to choose.
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (!isMembers(module)) continue
    open.push(...listOf(module.child_modules))
    for (const resource of listOf(module.resources).filter(isOurs))
      if (resource.deposed_key === undefined)
        found.push(objectOf(resource, module.address ?? '', resource.index, resource.values))
  }
  return split(found)
}

function objectOf(
  resource: Members,
  module: unknown,
  index: unknown,
  values: unknown,
): StateObject | undefined {
  const { mode, type, name } = resource
  if (typeof type !== 'string' || typeof name !== 'string' || typeof module !== 'string') return undefined
  if (!isMembers(values) || (mode !== 'managed' && mode !== 'data')) return undefined
  if (!isModuleAddress(module)) return undefined
  const address = instanceAddress({ isData: mode === 'data', module, type, name }, index)
  if (address === undefined) return undefined
  const provider = resource.provider ?? resource.provider_name
  const isOfTofu = typeof provider === 'string' && provider.includes('registry.opentofu.org/')
  return { isData: mode === 'data', type, name, module, address, index, isOfTofu, values }
}

const split = (found: readonly (StateObject | undefined)[]): Found => {
  const objects = found.filter(object => object !== undefined)
  return { objects, unreadable: found.length - objects.length }
}

const isOurs = (value: unknown): value is Members =>
  isMembers(value) && typeof value.type === 'string' && value.type.startsWith('tfe_')

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
