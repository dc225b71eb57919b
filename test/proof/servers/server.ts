import { isDeepStrictEqual } from 'node:util'

/** An organization of its own on a server with this interface. */
export interface Where {
  readonly address: string
  readonly token: string
  readonly organization: string
}

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
  /** The parsed body; `undefined` for anything but JSON. */
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

/** Reads and changes a server by hand. It shares no code with the client that is tested. */
export class Server {
  readonly where: Where

  constructor(where: Where) {
    this.where = where
  }

  async ask(method: string, path: string, data?: unknown): Promise<Answer> {
    const response = await fetch(`${this.where.address}/api/v2/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.where.token}`, 'content-type': MEDIA_TYPE },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, text, body: type.includes('json') ? JSON.parse(text) : undefined }
  }

  /** Like `ask`, but throws unless the server does it. Returns what it answers as `data`. */
  async do(method: string, path: string, data?: unknown): Promise<unknown> {
    const { status, text, body } = await this.ask(method, path, data)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
    return at(body, 'data')
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
      if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
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
      const related = (kind: string) => listOf(at(set, 'relationships', kind, 'data')).map(idOf)
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
    return idOf(
      await this.do('POST', this.in('varsets'), { type: 'varsets', attributes: { name, ...attributes } }),
    )
  }

  async addVariable(set: string, key: string, value: string, sensitive = false): Promise<string> {
    const attributes = { key, value, category: 'env', sensitive }
    return idOf(await this.do('POST', `varsets/${set}/relationships/vars`, { type: 'vars', attributes }))
  }

  async setValue(set: LiveSet, slot: string, value: string): Promise<void> {
    const id = set.variables.find(variable => variable.slot === slot)?.id ?? ''
    const attributes = { value }
    await this.do('PATCH', `varsets/${set.id}/relationships/vars/${id}`, { type: 'vars', id, attributes })
  }

  /** Deletes every set, which is why the organization has to be its own. */
  async deleteSets(): Promise<void> {
    for (const set of await this.list(this.in('varsets'))) await this.do('DELETE', `varsets/${idOf(set)}`)
  }
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

/** The sets as text, one line each, such as `a  global  env/A=1 env/S=(sensitive)  -> ws-1`. */
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
