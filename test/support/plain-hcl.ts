import type { HclLiteral } from '../../src/config/hcl-literal.ts'

/** A parsed literal as a value of JavaScript. */
export const plain = (value: HclLiteral): unknown => {
  switch (value.kind) {
    case 'string':
      return value.text
    case 'number':
      return Number(value.text)
    case 'boolean':
      return value.value
    case 'null':
      return null
    case 'list':
      return value.items.map(plain)
    case 'map':
      return Object.fromEntries(value.entries.map(({ key, value }) => [key, plain(value)]))
  }
}
