import { INVISIBLE_CHARACTERS, RUNNER_COMMAND } from '../model/json.ts'

/** The values of generated files. `flow` is a map on one line. */
export type YamlValue =
  | string
  | boolean
  | readonly YamlValue[]
  | ReadonlyMap<string, YamlValue>
  | { readonly flow: Readonly<Record<string, string | true | undefined>> }

/**
 * A map as YAML that every parser of YAML 1.1 and 1.2 reads alike: ambiguous strings are quoted, strings of several lines are
 * literal blocks if that preserves them, and invisible characters are escaped.
 */
export function yamlText(map: ReadonlyMap<string, YamlValue>): string {
  return map.size === 0 ? '{}\n' : mapLines(map, '')
}

function mapLines(map: ReadonlyMap<string, YamlValue>, indent: string): string {
  let lines = ''
  for (const [key, value] of map) {
    const name = scalar(key)
    // A longer key is not allowed on one line with its value.
    lines += name.length > 1000 ? `${indent}? ${name}\n${indent}:` : `${indent}${name}:`
    lines += valueLines(value, `${indent}  `)
  }
  return lines
}

/** One entry of a map, indented, with its line end. */
export const yamlEntry = (key: string, value: YamlValue, indent: string): string =>
  mapLines(new Map([[key, value]]), indent)

/** A string on one line, for any place in a file. */
export const yamlScalar = (text: string): string => scalar(text)

/** A string as a literal block after `key: `, with its line end; `undefined` if a block would not preserve it. */
export const yamlBlock = (text: string, indent: string): string | undefined =>
  isLiteral(text) ? literal(text, indent).slice(1) : undefined

/** A value on one line, for `{ }` and `[ ]`. */
export function yamlInline(value: YamlValue): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return scalar(value)
  if (Array.isArray(value)) return `[${value.map(yamlInline).join(', ')}]`
  const members = value instanceof Map ? [...value] : Object.entries('flow' in value ? value.flow : {})
  const entries = members.flatMap(([key, one]) =>
    one === undefined ? [] : `${scalar(key)}: ${yamlInline(one)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** The text after `key:` or `-`, with its line end. */
function valueLines(value: YamlValue, indent: string): string {
  if (typeof value === 'boolean') return ` ${value}\n`
  if (typeof value === 'string') return isLiteral(value) ? literal(value, indent) : ` ${scalar(value)}\n`
  if ('flow' in value) return ` ${yamlInline(value)}\n`
  if ('size' in value) return value.size === 0 ? ' {}\n' : `\n${mapLines(value, indent)}`
  if (value.length === 0) return ' []\n'
  return `\n${value.map(item => `${indent}-${valueLines(item, `${indent}  `)}`).join('')}`
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+()-]+)*$/
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i

function scalar(text: string): string {
  if (PLAIN.test(text) && !WORD.test(text)) return text
  const isVisible = text.search(INVISIBLE) < 0
  // Code with quotes is easier to read without escapes.
  return isVisible && /["\\]/.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : JSON.stringify(text).replace(INVISIBLE, escapedCharacter)
}

/** A reviewer must see every character, and a log must not give commands to a CI runner. */
const INVISIBLE = new RegExp(`${INVISIBLE_CHARACTERS.source}|${RUNNER_COMMAND.source}`, 'gu')
export const escapedCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * A block preserves a string if its first line shows the indentation, every character is allowed, and no line is a command to a
 * CI runner, which obeys indented lines too.
 */
function isLiteral(text: string): boolean {
  return text.includes('\n') && !/^\s/.test(text) && !NOT_IN_A_BLOCK.test(text)
}

const NOT_IN_A_BLOCK =
  /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}|##[\w-]*\[|^[ \t]*::/mu

function literal(text: string, indent: string): string {
  const chomp = text.endsWith('\n\n') ? '|+' : text.endsWith('\n') ? '|' : '|-'
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = body.split('\n').map(line => (line === '' ? '' : `${indent}${line}`))
  return ` ${chomp}\n${lines.join('\n')}\n`
}
