/** What a service may do to a text while it stores it. */
interface Loss {
  /** After "The service has it". */
  readonly said: string
  /** Nothing of the meaning is lost, so it needs no other proof that a text was sent. */
  readonly isSmall?: true
  readonly lose: (text: string) => string
}

/** Unicode whitespace. A regular expression for both ends would take quadratic time. */
const isSpace = (character: string): boolean => /\p{White_Space}/u.test(character)

function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && isSpace(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function withoutStart(text: string): string {
  let start = 0
  while (start < text.length && isSpace(text.charAt(start))) start++
  return text.slice(start)
}

export const LINES: Loss = {
  said: 'with other line endings',
  isSmall: true,
  lose: text => text.replaceAll('\r\n', '\n'),
}
export const NEWLINE: Loss = {
  said: 'without its final newline',
  isSmall: true,
  lose: text => text.replace(/\r?\n$/, ''),
}
export const END: Loss = { said: 'without the whitespace at its end', isSmall: true, lose: withoutEnd }
export const START: Loss = { said: 'without the whitespace at its start', isSmall: true, lose: withoutStart }
const COMPOSED: Loss = {
  said: 'in the composed form of Unicode (NFC)',
  isSmall: true,
  lose: text => text.normalize('NFC'),
}
export const CUT_SAID = 'cut'

const UPPER = 'in upper case'

/** In the order in which they are tried: what is less is tried first. */
const LOSSES: readonly Loss[] = [
  LINES,
  NEWLINE,
  END,
  START,
  COMPOSED,
  { said: 'with single spaces', lose: text => text.replace(/\p{White_Space}+/gu, ' ') },
  { said: 'in lower case', lose: text => text.toLowerCase() },
  { said: UPPER, lose: text => text.toUpperCase() },
  { said: 'without its quotes', lose: text => /^"(.*)"$/su.exec(text)?.[1] ?? text },
]

/** No service cuts texts shorter than this. */
const CUT_FROM = 64

/** What all forms of a text have in common, unless one is cut. */
const commonOf = (text: string): string =>
  LOSSES.filter(({ said }) => said !== UPPER).reduce((rest, { lose }) => lose(rest), text)

/**
 * Texts of which one may be a stored form of another, without comparing each with each. A cut text is among all that are long enough.
 */
export function formIndex<T>(all: readonly T[], textOf: (one: T) => string): (sent: string) => readonly T[] {
  const known = new Map<string, T[]>()
  const long: T[] = []
  for (const one of all) {
    const text = textOf(one)
    if (text.length >= CUT_FROM) long.push(one)
    else {
      const common = commonOf(text)
      const others = known.get(common)
      if (others === undefined) known.set(common, [one])
      else others.push(one)
    }
  }
  return sent => [...(known.get(commonOf(sent)) ?? []), ...(sent.length >= CUT_FROM ? long : [])]
}

/** HCL without its layout: whitespace and commas outside of strings only separate. */
const withoutLayout = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|[\s,]+/g, (_, quoted) => quoted ?? ' ').replace(/ ?([[\]{}=:]) ?/g, '$1')

/**
 * All names, keys or values that a service shows. What it shows tells what it may do to a text: a loss is one only if nothing that is
 * shown would lose anything by it.
 */
export class ShownTexts {
  readonly #texts: () => Iterable<string>
  readonly #known = new Map<Loss, boolean>()
  #longest: number | undefined

  constructor(texts: () => Iterable<string>) {
    this.#texts = texts
  }

  mayLose(loss: Loss): boolean {
    const known = this.#known.get(loss)
    if (known !== undefined) return known
    let may = true
    for (const text of this.#texts())
      if (loss.lose(text) !== text) {
        may = false
        break
      }
    this.#known.set(loss, may)
    return may
  }

  get longest(): number {
    if (this.#longest === undefined) {
      this.#longest = 0
      for (const text of this.#texts()) this.#longest = Math.max(this.#longest, text.length)
    }
    return this.#longest
  }
}

interface FormOptions {
  /** Everything of this kind that the service shows. Without it, `held` alone tells what may be lost. */
  readonly shown?: ShownTexts | undefined
  /** The text is HCL code, which a service may lay out. */
  readonly hcl?: boolean
  /** Only what keeps the meaning. */
  readonly small?: boolean
}

/**
 * Whether a service may have stored one text as another: with less whitespace, other line endings, another case, composed, without quotes,
 * cut, or HCL laid out otherwise. For names, keys and values alike.
 */
export const isStoredFormOf = (sent: string, held: string, options: FormOptions = {}): boolean =>
  sent !== held && lossesOf(sent, held, options) !== undefined

/** Which of all names may be a stored form of one; `undefined` if no service stores this one in another form. */
export function storedForms(
  sent: string,
): ((names: readonly string[]) => (name: string) => boolean) | undefined {
  const isPlain =
    sent.length <= CUT_FROM &&
    LOSSES.every(({ lose }) => lose(sent) === sent || lose(sent) === sent.toUpperCase())
  if (isPlain) return undefined
  return names => {
    const shown = new ShownTexts(() => names)
    return name => isStoredFormOf(sent, name, { shown })
  }
}

/** How a text was stored, in the fewest words; `undefined` if it cannot be a stored form of what was sent. */
export function lossesOf(
  sent: string,
  held: string,
  { shown, hcl = false, small = false }: FormOptions,
): readonly string[] | undefined {
  const possible = LOSSES.filter(
    loss => (!small || loss.isSmall === true) && loss.lose(held) === held && (shown?.mayLose(loss) ?? true),
  )
  // Few texts differ, and few losses are possible for them.
  const found = (isReached: (text: string) => boolean): readonly string[] | undefined => {
    for (let size = 0; size <= possible.length; size++)
      for (const chosen of choices(possible, size))
        if (isReached(chosen.reduce((text, { lose }) => lose(text), sent)))
          return chosen.map(({ said }) => said)
    return undefined
  }
  const whole = commonOf(sent) === commonOf(held) ? found(text => text === held) : undefined
  if (whole !== undefined) return whole
  const mayCut = !small && held.length >= CUT_FROM && held.length >= (shown?.longest ?? 0)
  const cut = mayCut ? found(text => text.startsWith(held)) : undefined
  if (cut !== undefined) return [...cut, CUT_SAID]
  return hcl && withoutLayout(sent) === withoutLayout(held) ? ['in another layout'] : undefined
}

/** All ways to choose so many, in order. */
function* choices<T>(all: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let at = from; at <= all.length - size; at++)
    for (const rest of choices(all, size - 1, at + 1)) yield [all[at] as T, ...rest]
}
