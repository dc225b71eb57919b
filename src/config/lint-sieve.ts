const SIZE = 0x10000

/**
 * A quick test before a slow one: `false` where a text certainly holds none of the signs. It looks at three characters at
 * a time, in a table that has a place for nearly every such three of ASCII.
 */
export function signSieve(signs: readonly string[]): (text: string) => boolean {
  const threes = new Uint8Array(SIZE)
  for (const sign of signs) if (sign.length >= 3) threes[placeOf(sign, 0)] = 1
  const short = signs.filter(sign => sign.length < 3)
  return text => short.some(sign => text.includes(sign)) || holdsThree(text, threes)
}

function holdsThree(text: string, threes: Uint8Array): boolean {
  let place = 0
  for (let at = 0; at < text.length; at++) {
    place = next(place, text.charCodeAt(at))
    if (at >= 2 && threes[place] === 1) return true
  }
  return false
}

const placeOf = (text: string, at: number): number =>
  next(next(next(0, text.charCodeAt(at)), text.charCodeAt(at + 1)), text.charCodeAt(at + 2))

/** Shifts the oldest of three characters out. */
const next = (place: number, unit: number): number => ((place << 6) ^ unit) & (SIZE - 1)
