import { escapedCharacter } from '../config/write.ts'
import { type Checked, compareText, mistake, warning } from '../model/diagnostic.ts'
import { isObject, listOf, parseJson } from '../model/json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** One object of a Terraform state: an instance of a `resource` or `data` block. */
export interface StateObject {
  readonly isData: boolean
  readonly type: string
  /** Name of the block. */
  readonly name: string
  /** Address of the module, with instance keys; empty for the root. */
  readonly module: string
  /** With instance keys, as `terraform state list` writes it. */
  readonly address: string
  /** A number for an instance of `count`, a name for one of `for_each`. */
  readonly index?: unknown
  /** Address of its provider, in a state file with the alias: each alias may be another host. Untrusted text. */
  readonly provider: string
  /** Addresses of the blocks that it refers to, also by way of others, sorted. Terraform does not record by which attribute. */
  readonly dependencies: readonly string[]
  /** Terraform replaces it with the next apply. */
  readonly isTainted: boolean
  /** Its key among the objects that Terraform replaced and did not destroy. Without one, it is the object of its address. */
  readonly deposed?: string
  readonly values: JsonObject
}

/**
 * The objects whose type begins with `tfe_`, from a state file of version 4 (Terraform since 0.12, OpenTofu) or from the output of
 * `show -json` (format versions 0 and 1). The text is untrusted: no message quotes it.
 */
export function readState(text: string): Checked<readonly StateObject[]> {
  const document = parseJson(text.replace(/^\ufeff/, ''))
  if (!isObject(document)) return refused('The state is not JSON, or it is truncated.', NOT_JSON)
  const { version, format_version: format, values } = document
  if ('encrypted_data' in document || 'encryption_version' in document)
    return refused('The state is encrypted by OpenTofu.', `Decrypt it: ${PULL.replace('terraform', 'tofu')}`)
  if ('planned_values' in document || 'resource_changes' in document)
    return refused('This is a plan, not a state.', `Show the state: ${SHOW}`)
  if (typeof format === 'string') {
    if (!/^[01]\.\d+$/.test(format))
      return refused('The output of `show -json` has an unknown version.', SUPPORTED)
    return taken(shownObjects(values))
  }
  if (version !== 4)
    return refused(
      typeof version === 'number'
        ? `The state has version ${version}, and Setpoint reads version 4 only.`
        : 'This is JSON, but not a Terraform state.',
      SUPPORTED,
    )
  return taken(rawObjects(document.resources))
}

const SHOW = 'terraform show -json > state.json'
const PULL = 'terraform state pull > state.json'
const NOT_JSON = `Write it again, in UTF-8: ${PULL}`
const SUPPORTED = `Write it with Terraform or OpenTofu 1.x: ${PULL}`

const refused = (message: string, hint: string): Checked<never> => ({
  value: undefined,
  diagnostics: [mistake('state-format', message, hint)],
})

function taken(found: readonly (StateObject | undefined)[]): Checked<readonly StateObject[]> {
  const objects = found.filter(object => object !== undefined)
  const incomplete = warning(
    'state-incomplete',
    `${found.length - objects.length} of the state's tfe_ objects cannot be read and are left out.`,
    `They have no attributes, or an address that Terraform does not write. ${SUPPORTED}`,
  )
  return { value: objects, diagnostics: objects.length < found.length ? [incomplete] : [] }
}

/** A state file: one list of resources, each with its instances. */
const rawObjects = (resources: unknown): (StateObject | undefined)[] =>
  listOf(resources)
    .filter(isOurs)
    .flatMap(resource =>
      listOf(resource.instances)
        .filter(isObject)
        .map(one => objectOf({ ...resource, ...one }, resource.module ?? '', one.index_key, one.attributes)),
    )

/** The output of `show -json`: nested modules. */
function shownObjects(values: unknown): (StateObject | undefined)[] {
  const found: (StateObject | undefined)[] = []
  const open = isObject(values) ? [values.root_module] : []
  // A list and not a recursion, because the state chooses the depth.
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (!isObject(module)) continue
    open.push(...listOf(module.child_modules))
    for (const resource of listOf(module.resources).filter(isOurs))
      found.push(objectOf(resource, module.address ?? '', resource.index, resource.values))
  }
  return found
}

function objectOf(
  resource: JsonObject,
  module: unknown,
  index: unknown,
  values: unknown,
): StateObject | undefined {
  const { mode, type, name } = resource
  if (typeof type !== 'string' || typeof name !== 'string' || typeof module !== 'string') return undefined
  if (!isObject(values) || (mode !== 'managed' && mode !== 'data')) return undefined
  if (!isModuleAddress(module)) return undefined
  const address = instanceAddress({ isData: mode === 'data', module, type, name }, index)
  if (address === undefined) return undefined
  const provider = resource.provider ?? resource.provider_name
  const deposed = resource.deposed ?? resource.deposed_key
  return {
    isData: mode === 'data',
    type,
    name,
    module,
    address,
    index,
    provider: typeof provider === 'string' ? provider : '',
    dependencies: listOf(resource.dependencies ?? resource.depends_on)
      .filter(isBlock)
      .sort(compareText),
    isTainted: resource.status === 'tainted' || resource.tainted === true,
    ...(deposed !== undefined && { deposed: isKey(deposed) ? deposed : '' }),
    values,
  }
}

const isOurs = (value: unknown): value is JsonObject =>
  isObject(value) && typeof value.type === 'string' && value.type.startsWith('tfe_')

interface ResourcePlace {
  readonly isData: boolean
  /** Address of the module, perhaps with instance keys; empty for the root. */
  readonly module: string
  readonly type: string
  readonly name: string
}

const IDENTIFIER = '[\\p{L}_][\\p{L}\\p{M}\\p{N}_-]*'
const KEY = '\\[(?:[0-9]+|"(?:[^"\\\\\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]|\\\\.)*")\\]'
const MODULE = new RegExp(`^module\\.${IDENTIFIER}(?:${KEY})?(?:\\.module\\.${IDENTIFIER}(?:${KEY})?)*$`, 'u')
const NAME = new RegExp(`^${IDENTIFIER}$`, 'u')

const BLOCK = new RegExp(
  `^(?:module\\.${IDENTIFIER}(?:${KEY})?\\.)*(?:data\\.)?${IDENTIFIER}\\.${IDENTIFIER}$`,
  'u',
)
const isBlock = (value: unknown): value is string => typeof value === 'string' && BLOCK.test(value)
const isKey = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{1,64}$/.test(value)

/** Only what Terraform writes, and nothing that is code in a file or a word in a shell. */
const isModuleAddress = (text: string): boolean => text === '' || MODULE.test(text)

/** `module.a["x"].tfe_variable.b[0]`; `undefined` where the parts make no address. */
function instanceAddress(place: ResourcePlace, index: unknown): string | undefined {
  if (!NAME.test(place.type) || !NAME.test(place.name)) return undefined
  const resource = placeText(place)
  if (index === undefined || index === null) return resource
  if (typeof index === 'number') return Number.isSafeInteger(index) ? `${resource}[${index}]` : undefined
  return typeof index === 'string' ? `${resource}[${hclQuoted(index)}]` : undefined
}

function placeText({ isData, module, type, name }: ResourcePlace): string {
  return `${module === '' ? '' : `${module}.`}${isData ? 'data.' : ''}${type}.${name}`
}

/** The address of the block: without the instance keys of the resource and of its modules. */
export const blockAddress = (place: ResourcePlace): string =>
  placeText({ ...place, module: moduleCall(place.module) })

/** The address of a module without instance keys. */
export const moduleCall = (module: string): string => module.replace(new RegExp(KEY, 'gu'), '')

/** A string of HCL: escapes, doubled template signs, and the numbers of invisible characters. */
export function hclQuoted(text: string): string {
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replace(/[$%](?=\{)/g, '$&$&')
    // A CI runner obeys `##[name` anywhere in a log.
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|#(?=#)/gu, escapedCharacter)
  return `"${escaped}"`
}
