import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** An organization of its own on a server with this interface. */
export interface Where {
  readonly address: string
  readonly token: string
  readonly organization: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; `undefined` for none, and for anything but JSON. */
  readonly body: unknown
}

export interface LiveVariable {
  readonly id: string
  readonly slot: string
  /** A sensitive value is not shown. */
  readonly value: string
  readonly sensitive: boolean
}

export interface LiveSet {
  readonly id: string
  readonly name: string
  readonly isGlobal: boolean
  readonly variables: readonly LiveVariable[]
  /** Ids of workspaces and projects. */
  readonly targets: readonly string[]
}

const MEDIA_TYPE = 'application/vnd.api+json'

/** A member of something whose form is not known. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inside, name) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, name) : undefined),
    value,
  )

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const idOf = (value: unknown): string => String(at(value, 'id'))

/** No answer, several times in a row: the server is gone, or nobody reaches it. */
export class Lost extends Error {
  override readonly name = 'Lost'
}

/** Somebody stopped the play. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

export interface Pace {
  /** Requests per second; the known real service allows 30. */
  readonly rate?: number
  readonly stop?: AbortSignal | undefined
  /** Waits this many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

const RATE = 20
/** Milliseconds between two attempts after a lost answer. */
const PAUSES = [250, 500, 1_000, 2_000, 4_000, 8_000]
/** How often a request is sent again after a 429. */
const MOST_REFUSALS = 60

/** Reads and changes a server by hand. It shares no code with the client that is tested. */
export class Server {
  readonly where: Where
  readonly #rate: number
  readonly #wait: (milliseconds: number) => Promise<unknown>
  #stop: AbortSignal | undefined
  #next = 0
  /** What it made besides sets, by path, with a name for people. */
  readonly #made = new Map<string, string>()

  constructor(where: Where, { rate = RATE, stop, wait = sleep }: Pace = {}) {
    this.where = where
    this.#rate = rate
    this.#stop = stop
    this.#wait = wait
  }

  /** The answer to a request, which is sent again after 429 and after a lost answer. Throws `Lost` or `Stopped`. */
  async ask(method: string, path: string, data?: unknown): Promise<Answer> {
    for (const pause of PAUSES) {
      const answer = await this.#once(method, path, data)
      if (!(answer instanceof Error)) return answer
      await this.#wait(pause)
    }
    const answer = await this.#once(method, path, data)
    if (answer instanceof Error) throw new Lost(`${method} ${path}: no answer (${answer.message})`)
    return answer
  }

  /** One answer other than 429, or why there is none. */
  async #once(method: string, path: string, data: unknown): Promise<Answer | Error> {
    for (let refusals = 0; ; refusals += 1) {
      if (this.#stop?.aborted) throw new Stopped('stopped')
      await this.#paced()
      const answer = await this.#send(method, path, data)
      if (answer instanceof Error || answer.status !== 429 || refusals === MOST_REFUSALS) return answer
      await this.#wait(secondsToWait(answer.headers) * 1_000)
    }
  }

  async #send(method: string, path: string, data: unknown): Promise<Answer | Error> {
    try {
      const response = await fetch(`${this.where.address}/api/v2/${path}`, {
        method,
        headers: { authorization: `Bearer ${this.where.token}`, 'content-type': MEDIA_TYPE },
        redirect: 'manual',
        signal: AbortSignal.timeout(60_000),
        ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parsed(text) }
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      return cause instanceof Error ? cause : new Error('unknown')
    }
  }

  async #paced(): Promise<void> {
    const now = performance.now()
    const turn = Math.max(now, this.#next)
    this.#next = turn + 1_000 / this.#rate
    if (turn > now) await this.#wait(turn - now)
  }

  /** Like `ask`, but throws unless the server does it. Returns what it answers as `data`. */
  async do(method: string, path: string, data?: unknown): Promise<unknown> {
    const { status, text, body } = await this.ask(method, path, data)
    if (status >= 300) throw refused(method, path, status, text)
    return at(body, 'data')
  }

  /**
   * Makes a resource, and returns its id. After a lost answer it looks for it by this attribute, so that it is not made twice.
   */
  async make(path: string, data: object, by = 'name'): Promise<string> {
    const name = at(data, 'attributes', by)
    for (const pause of [...PAUSES, 0]) {
      const answer = await this.#once('POST', path, data)
      if (!(answer instanceof Error)) {
        if (answer.status >= 300) throw refused('POST', path, answer.status, answer.text)
        return idOf(at(answer.body, 'data'))
      }
      await this.#wait(pause)
      const found = (await this.list(path)).find(one => at(one, 'attributes', by) === name)
      if (found !== undefined) return idOf(found)
    }
    throw new Lost(`POST ${path}: no answer`)
  }

  /** Like `make`, and remembers what it made until `remove` or `cleanUp`. */
  async keep(path: string, data: object, place: string, name: string): Promise<string> {
    const id = await this.make(path, data)
    this.#made.set(`${place}/${id}`, name)
    return id
  }

  /** Deletes it. After a lost answer it may be gone already. */
  async remove(path: string): Promise<void> {
    const { status, text } = await this.ask('DELETE', path)
    if (status >= 300 && status !== 404) throw refused('DELETE', path, status, text)
    this.#made.delete(path)
  }

  /** A path below the organization. */
  in(path: string): string {
    return `organizations/${this.where.organization}/${path}`
  }

  /** Every entry of a list, whether the server has pages or not. */
  async list(path: string): Promise<readonly unknown[]> {
    const all: unknown[] = []
    for (let number = 1; ; number += 1) {
      const answer = await this.ask('GET', `${path}?page%5Bsize%5D=100&page%5Bnumber%5D=${number}`)
      if (answer.status !== 200) throw refused('GET', path, answer.status, answer.text)
      const known = new Set(all.map(idOf))
      const more = listOf(at(answer.body, 'data')).filter(one => !known.has(idOf(one)))
      if (more.length === 0) return all
      all.push(...more)
    }
  }

  /** Every set with its variables, by name. */
  async sets(): Promise<readonly LiveSet[]> {
    const sets = await this.list(this.in('varsets'))
    const live: LiveSet[] = []
    for (const set of sets) {
      const variables = await this.list(`varsets/${idOf(set)}/relationships/vars`)
      // A server may shorten the references of a list.
      const whole = await this.do('GET', `varsets/${idOf(set)}`)
      const related = (kind: string) => listOf(at(whole, 'relationships', kind, 'data')).map(idOf)
      live.push({
        id: idOf(set),
        name: String(at(set, 'attributes', 'name')),
        isGlobal: at(set, 'attributes', 'global') === true,
        variables: variables.map(liveVariable).sort((one, other) => (one.slot < other.slot ? -1 : 1)),
        targets: [...related('workspaces'), ...related('projects')].sort(),
      })
    }
    return live.sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** The set with this name. */
  async set(name: string): Promise<LiveSet> {
    const found = (await this.sets()).find(set => set.name === name)
    if (found === undefined) throw new Error(`the server has no set "${name}"`)
    return found
  }

  async createSet(name: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return await this.make(this.in('varsets'), { type: 'varsets', attributes: { name, ...attributes } })
  }

  async addVariable(set: string, key: string, value: string, sensitive = false): Promise<string> {
    const attributes = { key, value, category: 'env', sensitive }
    return await this.make(`varsets/${set}/relationships/vars`, { type: 'vars', attributes }, 'key')
  }

  async setValue(set: LiveSet, slot: string, value: string): Promise<void> {
    const id = set.variables.find(variable => variable.slot === slot)?.id ?? ''
    const attributes = { value }
    await this.do('PATCH', `varsets/${set.id}/relationships/vars/${id}`, { type: 'vars', id, attributes })
  }

  /** Deletes every set, which is why the organization has to be its own. */
  async deleteSets(): Promise<void> {
    for (const set of await this.list(this.in('varsets'))) await this.remove(`varsets/${idOf(set)}`)
  }

  /** Deletes everything that it made and every set, also after a stop. Returns what is left, in words. */
  async cleanUp(): Promise<readonly string[]> {
    this.#stop = undefined
    let isReached = true
    const tried = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
      if (!isReached) return undefined
      try {
        return await act()
      } catch (error) {
        if (error instanceof Lost) isReached = false
        return undefined
      }
    }
    const isGone = async (path: string) => {
      const answer = await tried(() => this.ask('DELETE', path))
      return answer !== undefined && (answer.status < 300 || answer.status === 404)
    }
    const left: string[] = []
    const sets = await tried(() => this.list(this.in('varsets')))
    for (const set of sets ?? [])
      if (!(await isGone(`varsets/${idOf(set)}`)))
        left.push(`the set "${String(at(set, 'attributes', 'name'))}" (${idOf(set)})`)
    // The organization was made first, and goes last.
    for (const [path, name] of [...this.#made].reverse()) {
      if (await isGone(path)) {
        this.#made.delete(path)
        if (path.startsWith('organizations/')) return []
      } else left.push(`${name} (${path})`)
    }
    return sets === undefined && left.length === 0 ? [`the sets of "${this.where.organization}"`] : left
  }
}

const refused = (method: string, path: string, status: number, text: string) =>
  new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`)

/** A server may announce JSON and send nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the 429 says; one second if it says nothing, and at most a minute. */
function secondsToWait(headers: Headers): number {
  const after =
    headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset')
  const seconds = Number(after ?? 1)
  const until = Number.isNaN(seconds) ? (Date.parse(after ?? '') - Date.now()) / 1_000 : seconds
  return Math.min(60, Math.max(0.1, Number.isNaN(until) ? 1 : until))
}

const liveVariable = (variable: unknown): LiveVariable => {
  const { key, category, value, sensitive } = Object(at(variable, 'attributes'))
  return {
    id: idOf(variable),
    slot: `${String(category)}/${String(key)}`,
    value: sensitive === true ? '' : String(value ?? ''),
    sensitive: sensitive === true,
  }
}

/** The sets as text, one line each, such as `a  global  env/a=1 env/s=(sensitive)  -> ws-1`. */
export const printed = (sets: readonly LiveSet[], nameOf: (id: string) => string): readonly string[] =>
  sets.map(({ name, isGlobal, variables, targets }) =>
    [
      name,
      ...(isGlobal ? ['global'] : []),
      variables.map(one => `${one.slot}=${one.sensitive ? '(sensitive)' : one.value}`).join(' '),
      ...(targets.length === 0 ? [] : [`-> ${targets.map(nameOf).sort().join(', ')}`]),
    ]
      .filter(part => part !== '')
      .join('  '),
  )

export const same = isDeepStrictEqual
