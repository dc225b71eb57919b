/** Where a resource stands in a configuration. */
export interface ResourcePlace {
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

/** What Terraform writes, and nothing that could be read as code in a file or as a word in a shell. */
export const isModuleAddress = (text: string): boolean => text === '' || MODULE.test(text)

/** `module.a["x"].tfe_variable.b[0]`; `undefined` where the parts make no address. */
export function instanceAddress(place: ResourcePlace, index: unknown): string | undefined {
  if (!NAME.test(place.type) || !NAME.test(place.name)) return undefined
  const resource = placeText(place)
  if (index === undefined || index === null) return resource
  if (typeof index === 'number') return Number.isSafeInteger(index) ? `${resource}[${index}]` : undefined
  return typeof index === 'string' ? `${resource}[${quotedKey(index)}]` : undefined
}

function placeText({ isData, module, type, name }: ResourcePlace): string {
  return `${module === '' ? '' : `${module}.`}${isData ? 'data.' : ''}${type}.${name}`
}

/** The address of the block itself: no instance keys, neither of the resource nor of its modules. */
export const blockAddress = (place: ResourcePlace): string =>
  placeText({ ...place, module: place.module.replace(new RegExp(KEY, 'gu'), '') })

/** As HCL quotes: escapes, template signs doubled, and what cannot be seen by its number. */
function quotedKey(text: string): string {
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replace(/[$%](?=\{)/g, '$&$&')
    // A runner of CI obeys `##[name` wherever it stands in a log.
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|#(?=#)/gu, byNumber)
  return `"${escaped}"`
}

function byNumber(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
