/** What our files are made of. `flow` is a map on one line. */
export type YamlValue =
  | string
  | true
  | readonly YamlValue[]
  | ReadonlyMap<string, YamlValue>
  | { readonly flow: readonly (readonly [string, string | true])[] }

/**
 * A map as YAML that any parser of YAML 1.1 or 1.2 reads alike: text that could be read as something else is quoted,
 * text of several lines is a literal block where that keeps it whole, what is not visible is escaped.
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

/** What follows `key:` or `-`, with its line end. */
function valueLines(value: YamlValue, indent: string): string {
  if (value === true) return ' true\n'
  if (typeof value === 'string') return isLiteral(value) ? literal(value, indent) : ` ${scalar(value)}\n`
  if ('flow' in value)
    return ` { ${value.flow.map(([key, text]) => `${scalar(key)}: ${text === true ? 'true' : scalar(text)}`).join(', ')} }\n`
  if ('size' in value) return value.size === 0 ? ' {}\n' : `\n${mapLines(value, indent)}`
  if (value.length === 0) return ' []\n'
  return `\n${value.map(item => `${indent}-${valueLines(item, `${indent}  `)}`).join('')}`
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+()-]+)*$/
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i

const scalar = (text: string): string =>
  PLAIN.test(text) && !WORD.test(text) ? text : JSON.stringify(text).replace(INVISIBLE, escaped)

/** Control characters, and what changes the direction or is not seen: a reviewer must see what is there. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/** A block keeps the text as it is, if its first line shows the indentation and every character may stand in it. */
function isLiteral(text: string): boolean {
  return text.includes('\n') && !/^\s/.test(text) && !/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
}

function literal(text: string, indent: string): string {
  const chomp = text.endsWith('\n\n') ? '|+' : text.endsWith('\n') ? '|' : '|-'
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = body.split('\n').map(line => (line === '' ? '' : `${indent}${line}`))
  return ` ${chomp}\n${lines.join('\n')}\n`
}
