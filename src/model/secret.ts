import { createHmac } from 'node:crypto'

/** `inspect.custom`, by the name that Node documents: loading `node:util` for it costs every start. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** A sensitive value in memory. It cannot be printed, and serialising it is an error. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The only way out. Called at one place in `src/`, the encoder of requests; a test counts. */
  reveal(): string {
    return this.#text
  }

  /** HMAC-SHA-256 over `context` and the text, the first 128 bits in hex. Says nothing to whoever lacks the key. */
  fingerprint(key: string, context: string): string {
    return createHmac('sha256', key).update(`${context}\0${this.#text}`).digest('hex').slice(0, 32)
  }

  toString(): string {
    return '[secret]'
  }

  [INSPECT](): string {
    return '[secret]'
  }

  toJSON(): never {
    throw new TypeError('a Secret cannot be serialised')
  }
}

export interface ValueProblem {
  readonly message: string
  readonly hint?: string
}

/** Why a text cannot be the intended value of a secret, or `undefined`. Quotes nothing. */
export function valueProblem(text: string): ValueProblem | undefined {
  if (text.includes('\0') || HALF_PAIR.test(text))
    return { message: 'A secret cannot contain the character U+0000 or half of a surrogate pair.' }
  if (SEALED.test(text))
    return {
      message: 'The value is still encrypted by SOPS.',
      hint: 'Decrypt it first: `sops -d FILE | setpoint apply --secrets -`.',
    }
  return undefined
}

const HALF_PAIR = /\p{Surrogate}/u
/** Sending it would replace the real value with its encrypted text. */
const SEALED = /^ENC\[[A-Z0-9_]+,data:/

/** Shorter secrets occur in other texts by chance: they are hidden only if they are the whole value of a variable. */
const LEAST = 8

/** Number of characters that are looked up at once. No form of a secret that is searched for is shorter. */
const GRAM = 4
const BUCKETS = 1 << 16

/** Members that hold our own words, whatever the secrets are. */
const OURS: ReadonlySet<string> = new Set(['type', 'kind', 'status', 'state', 'code', 'severity', 'event'])

/**
 * Removes the secrets of a run, and its token, from all output. The service knows them and may repeat them anywhere: in a name, a
 * description, a readable value, a reason. Apply it where data becomes a report, a diagnostic, an event or a file, and not where
 * data is read: what is compared must not change.
 */
export class Redactor {
  /** The label of each form of each secret. */
  readonly #forms = new Map<string, string>()
  readonly #short = new Map<string, string>()
  /** Forms by their first characters, the longest first. */
  readonly #byGram = new Map<string, string[]>()
  /** Hashes of four characters that may begin a form. Rules out nearly every place of a text in one step. */
  readonly #sieve = new Uint8Array(BUCKETS)
  #hidden = new WeakMap<object, object>()

  /** `label` replaces the text, such as `[token]`. */
  know(label: string, text: string): void {
    if (text === '') return
    this.#hidden = new WeakMap()
    if (text.length < LEAST) this.#short.set(text, label)
    else for (const form of formsOf(text)) this.#add(form, label)
  }

  /** Text that files contain in clear is no secret, and a report that hides it is unreadable. */
  spare(files: unknown): void {
    if (this.#forms.size === 0 && this.#short.size === 0) return
    const spared = new Set<string>()
    this.#each(files, text => {
      this.#short.delete(text)
      for (let found = this.#next(text, 0); found !== undefined; found = this.#next(text, found.at + 1))
        spared.add(found.form)
    })
    for (const form of spared) this.#forms.delete(form)
    for (const [gram, forms] of this.#byGram)
      this.#byGram.set(
        gram,
        forms.filter(form => !spared.has(form)),
      )
    this.#hidden = new WeakMap()
  }

  text(text: string): string {
    let shown = ''
    let from = 0
    for (let found = this.#next(text, 0); found !== undefined; found = this.#next(text, from)) {
      const { form, at } = found
      shown += `${text.slice(from, at)}${this.#forms.get(form) ?? ''}`
      from = at + form.length
    }
    return from === 0 ? text : shown + text.slice(from)
  }

  /** The same data without secrets; the same object if it had none. Looks into plain objects and lists only. */
  in<T>(data: T): T
  in(data: unknown): unknown {
    if (this.#forms.size === 0 && this.#short.size === 0) return data
    const shown = this.#without(data, '')
    if (isPlain(data) && isPlain(shown)) this.#hidden.set(data, shown)
    return shown
  }

  #add(form: string, label: string): void {
    if (form.length < LEAST || this.#forms.has(form)) return
    this.#forms.set(form, label)
    let hash = 0
    for (let at = 0; at < GRAM; at++) hash = rolled(hash, form.charCodeAt(at))
    this.#sieve[hash] = 1
    const gram = form.slice(0, GRAM)
    const same = [...(this.#byGram.get(gram) ?? []), form]
    this.#byGram.set(
      gram,
      same.sort((a, b) => b.length - a.length),
    )
  }

  /** The first form in the text at or after `from`. */
  #next(text: string, from: number): { readonly form: string; readonly at: number } | undefined {
    if (text.length - from < LEAST || this.#forms.size === 0) return undefined
    const sieve = this.#sieve
    let hash = 0
    for (let end = from; end < text.length; end++) {
      hash = rolled(hash, text.charCodeAt(end))
      const at = end - GRAM + 1
      if (sieve[hash] === 0 || at < from) continue
      const form = this.#byGram.get(text.slice(at, end + 1))?.find(one => text.startsWith(one, at))
      if (form !== undefined) return { form, at }
    }
    return undefined
  }

  #without(data: unknown, member: string): unknown {
    if (typeof data === 'string') {
      const short = member === 'text' ? this.#short.get(data) : undefined
      return short ?? (OURS.has(member) ? data : this.text(data))
    }
    if (!isPlain(data)) return data
    const known = this.#hidden.get(data)
    if (known !== undefined) return known
    let hidden = data
    for (const name of Object.keys(data)) {
      const shown = this.#without(data[name], Array.isArray(data) ? member : name)
      if (shown === data[name]) continue
      if (hidden === data) hidden = Array.isArray(data) ? Object.assign([], data) : { ...data }
      Object.assign(hidden, { [name]: shown })
    }
    if (hidden !== data) this.#hidden.set(data, hidden)
    return hidden
  }

  #each(data: unknown, tell: (text: string) => void): void {
    if (typeof data === 'string') tell(data)
    else if (isPlain(data)) for (const value of Object.values(data)) this.#each(value, tell)
  }
}

/** A hash of the last four characters: earlier ones have left the sixteen bits. */
const rolled = (hash: number, character: number): number => ((hash << 4) ^ character) & (BUCKETS - 1)

const isPlain = (data: unknown): data is Readonly<Record<string, unknown>> =>
  typeof data === 'object' &&
  data !== null &&
  (Array.isArray(data) || Object.getPrototypeOf(data) === Object.prototype)

/** The forms in which services, proxies and libraries write a text. */
function formsOf(text: string): ReadonlySet<string> {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const percent = hex.replace(/../g, '%$&')
  const forms = [
    text,
    text.trim(),
    text.toLowerCase(),
    inJson(text),
    inJson(inJson(text)),
    inHtml(text),
    inHtml(text).replaceAll('&gt;', '>'),
    encodeURIComponent(bytes.toString()),
    new URLSearchParams({ '': text }).toString().slice(1),
    hex,
    hex.toUpperCase(),
    percent,
    percent.toUpperCase(),
    ...[0, 1, 2].flatMap(before => base64At(bytes, before)),
    ...text.split(/\r?\n/),
  ]
  return new Set(forms)
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const inHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The digits that depend only on these bytes, with `before` other bytes in front of them, in both alphabets. */
function base64At(bytes: Buffer, before: number): readonly string[] {
  const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const own = digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
}
