import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'

/** Prefix of secrets in the environment, so that files cannot reach other variables of the job. */
export const SECRET_PREFIX = 'SETPOINT_SECRET_'

/** Finds a secret by its name. An empty one counts as missing, because an unset secret of a pipeline is empty, unless `allowEmpty`. */
export type ReadSecret = (name: string, allowEmpty?: boolean) => Secret | undefined

/**
 * A sensitive value in memory, made where it is read from a file or the environment. It cannot be printed, and serialising it is an
 * error. Whatever has to be known of its text is asked here.
 */
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

  /** Registers the text, so that `label` replaces it in all output. */
  tell(redactor: Redactor, label: string): void {
    redactor.know(label, this.#text)
  }

  /** Whitespace alone is no value either: it is what a pipeline passes for nothing. */
  get isEmpty(): boolean {
    return this.#text.trim() === ''
  }

  /** Whether quotes around it are part of it, as in a file of variables for Docker, and JSON that was not read. */
  get isQuoted(): boolean {
    return /^(?:"[^"]*"|'[^']*')$/.test(this.#text)
  }

  /** Whether it ends with its only line break, or has several lines. */
  get lineBreaks(): 'none' | 'final' | 'several' {
    const first = this.#text.indexOf('\n')
    if (first < 0) return 'none'
    return first === this.#text.length - 1 ? 'final' : 'several'
  }

  /** A final line break does not count in a text of several lines, such as a key. */
  get hasSpaceAround(): boolean {
    const lines = this.#text.replace(/\r?\n$/, '')
    const judged = lines.includes('\n') ? lines : this.#text
    return judged.trim() !== judged
  }

  /** Whether the whole text evidently stands for the value: a mask, or a reference that nothing resolved. */
  get isPlaceholder(): boolean {
    const text = this.#text.trim()
    return text.length <= LONGEST_PLACEHOLDER && PLACEHOLDERS.some(form => form.test(text))
  }

  /** Why the text cannot be the intended value, or `undefined`. Quotes nothing. */
  get problem(): ValueProblem | undefined {
    if (this.#text.includes('\0') || HALF_PAIR.test(this.#text))
      return { message: 'A secret cannot contain the character U+0000 or half of a surrogate pair.' }
    if (SEALED.test(this.#text))
      return {
        message: 'The value is still encrypted by SOPS.',
        hint: 'Decrypt it first: `sops -d FILE | setpoint apply --secrets -`.',
      }
    return undefined
  }

  toString(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
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

const HALF_PAIR = /\p{Surrogate}/u
/** Sending it would replace the real value with its encrypted text. */
const SEALED = /^ENC\[[A-Z0-9_]+,data:/

/** A longer text is no reference. */
const LONGEST_PLACEHOLDER = 2000

/** What pipelines, vaults and reports show or write in place of a value. The whole text has one of these forms. */
const PLACEHOLDERS: readonly RegExp[] = [
  // Masks.
  /^([*\u2022\u25cf\u00b7\u2217])\1{2,}$/,
  /^[xX]{4,}$/,
  // As in a hint: `export SETPOINT_SECRET_NAME=…`, pasted as it stands.
  /^(?:\u2026|\.{3})$/,
  /^\*{2,} ?[A-Za-z]{2,30} ?\*{2,}$/,
  /^[[(<{]?(?:masked|redacted|hidden|sensitive|sensitive value|secret|filtered|removed|censored)[\])>}]$/i,
  /^(?:masked|redacted|<sensitive>|\(known after apply\))$/i,
  // Expressions of pipelines, shells and templates.
  /^\$\{\{[^{}]+\}\}$/,
  /^\{\{[^{}]+\}\}$/,
  /^\$\{[A-Za-z_][^{}\s]*\}$/,
  /^\$\([^()]+\)$/,
  // In lower case, it may be a password.
  /^\$[A-Z_][A-Z0-9_]*$/,
  /^%[A-Za-z_][A-Za-z0-9_]*%$/,
  /^<%[^%]+%>$/,
  /^#\{[^{}]+\}#?$/,
  /^__[A-Z][A-Z0-9_]*__$/,
  /^\$env:\w+$/i,
  // What programs print in place of nothing.
  /^(?:null|undefined|None|\[object Object\])$/,
  // As documents write what is to be filled in, and templates what is not there: `<no value>`.
  /^<[A-Za-z][\w .-]{0,60}>$/,
  // References to vaults.
  /^(?:op|bws|awssm|awsssm|gcpsm|azurekv|vault|secretref|keyring|doppler|infisical|akeyless):\/\/\S+$/i,
  /^ref\+[a-z][a-z0-9]*:\/\/\S+$/i,
  /^vault:[\w./-]+#[\w.-]+(?:#\d+)?$/,
  /^!vault\b/,
  /^\$ANSIBLE_VAULT;/,
  /^arn:aws[a-z-]*:(?:secretsmanager|ssm):\S+$/,
  /^projects\/[^/\s]+\/secrets\/[^/\s]+(?:\/versions\/[^/\s]+)?$/,
  /^@Microsoft\.KeyVault\([^)]*\)$/i,
  /^https:\/\/[\w-]+\.vault\.azure\.net\/secrets\/\S+$/i,
  /^ENC\[[\s\S]*\]$/,
  /^\{\{resolve:[^{}]+\}\}$/,
]

/** Shorter secrets occur in other texts by chance: they are hidden only if they are the whole value of a variable. */
const LEAST = 8

/** Members that hold our own words, whatever the secrets are. */
const OURS: ReadonlySet<string> = new Set(['type', 'kind', 'status', 'state', 'code', 'severity'])

/** Members that hold the whole value of a variable. */
const VALUES: ReadonlySet<string> = new Set(['text', 'value'])

/**
 * Removes the secrets of a run, and its token, from all output. The service knows them and may repeat them anywhere: in a name, a
 * description, a readable value, a reason. Apply it where data becomes a report, a diagnostic, an event or a file, and not where
 * data is read: what is compared must not change.
 */
export class Redactor {
  /** The label of each form of each secret. */
  readonly #forms = new Map<string, string>()
  readonly #short = new Map<string, string>()
  /** Finds the first `LEAST` characters of any form: a pattern of whole forms could be megabytes. Made when it is needed. */
  #beginnings: RegExp | undefined
  /** Forms by their first `LEAST` characters, the longest first. */
  readonly #byBeginning = new Map<string, string[]>()
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
    const kept = [...this.#forms].filter(([form]) => !spared.has(form))
    this.#forms.clear()
    this.#byBeginning.clear()
    for (const [form, label] of kept) this.#add(form, label)
    this.#hidden = new WeakMap()
  }

  /** Whether the value of a variable is or contains a secret of this run. */
  hides(text: string): boolean {
    return this.#short.has(text) || this.#next(text, 0) !== undefined
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
    this.#beginnings = undefined
    const beginning = form.slice(0, LEAST)
    const same = [...(this.#byBeginning.get(beginning) ?? []), form]
    this.#byBeginning.set(
      beginning,
      same.sort((a, b) => b.length - a.length),
    )
  }

  /** The first form in the text at or after `from`. */
  #next(text: string, from: number): { readonly form: string; readonly at: number } | undefined {
    if (text.length - from < LEAST || this.#forms.size === 0) return undefined
    this.#beginnings ??= new RegExp([...this.#byBeginning.keys()].map(escaped).join('|'), 'g')
    this.#beginnings.lastIndex = from
    for (let match = this.#beginnings.exec(text); match !== null; match = this.#beginnings.exec(text)) {
      const at = match.index
      const form = this.#byBeginning.get(match[0])?.find(one => text.startsWith(one, at))
      if (form !== undefined) return { form, at }
      this.#beginnings.lastIndex = at + 1
    }
    return undefined
  }

  #without(data: unknown, member: string): unknown {
    if (typeof data === 'string') {
      const short = VALUES.has(member) ? this.#short.get(data) : undefined
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

/** What must not be written to a file, because this run knows it as a secret. */
export type KnownSecrets = Pick<Redactor, 'hides' | 'in'>

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

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
