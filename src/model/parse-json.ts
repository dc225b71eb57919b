/** JSON:API needs about ten levels. */
const DEEPEST = 64
/** The largest sensible page, 100 sets of 1,000 variables, has about two million values. */
const MOST_VALUES = 4_000_000

/** Shorter texts take some hundred megabytes at most, even if they are only brackets. Most responses are shorter. */
const HARMLESS_LENGTH = 2_097_152

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * The value of a JSON text; `undefined` if it is malformed. So is a long text that is too deep or has too many values: parsing some
 * megabytes of brackets takes gigabytes of memory (docs/fault-model.md F-06).
 */
export function parseJson(text: string): unknown {
  if (text.length > HARMLESS_LENGTH && isMonstrous(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isMonstrous(text: string): boolean {
  let depth = 0
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth++
        values++
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case 0x2c: // ,
        values++
        break
    }
    if (depth > DEEPEST || values > MOST_VALUES) return true
  }
  return false
}

/** The index of the closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
