import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox, type Listening, type Sandbox, type SetSeed } from '../../src/sandbox/index.ts'
import {
  at,
  idOf,
  listOf,
  MEDIA,
  many,
  openInProcess,
  type Subject,
  setBody,
  variable,
  variableBody,
} from '../contract/subject.ts'
import { type Command, type Draft, type Model, step } from './model.ts'

/** The ranks of docs/workspaces.md#who-wins that a service can see, strongest first. */
const RANKS: readonly SetSeed[] = [
  { name: 'priority global', priority: true, global: true },
  { name: 'priority, project', priority: true, projects: ['core'] },
  { name: 'priority, workspace', priority: true, workspaces: ['prod'] },
  { name: 'priority, owned, project', priority: true, parent: 'core', projects: ['core'] },
  { name: 'priority, owned, workspace', priority: true, parent: 'core', workspaces: ['prod'] },
  { name: 'own' },
  { name: 'owned, workspace', parent: 'core', workspaces: ['prod'] },
  { name: 'owned, project', parent: 'core', projects: ['core'] },
  { name: 'workspace', workspaces: ['prod'] },
  { name: 'project', projects: ['core'] },
  { name: 'global', global: true },
]

/** The value of KEY in the workspace. The value in each set is its name, or what `told` returns. */
async function winner(sets: readonly SetSeed[], told = ({ name }: SetSeed) => name): Promise<unknown[]> {
  const variables = (name: string) => [{ key: 'KEY', category: 'env', value: name }]
  const own = sets.some(set => set.name === 'own') ? { variables: variables('own') } : {}
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ name: 'core' }],
      workspaces: [{ name: 'prod', id: 'ws-prod', project: 'core', ...own }],
      sets: sets.filter(set => set.name !== 'own').map(set => ({ ...set, variables: variables(told(set)) })),
    },
  })
  const answer = await sandbox.transport({
    method: 'GET',
    path: '/api/v2/workspaces/ws-prod/all-vars',
    headers: { authorization: `Bearer ${sandbox.token}` },
  })
  const { data } = JSON.parse(answer.body) as { data: readonly { attributes: { value: unknown } }[] }
  return data.map(one => one.attributes.value)
}

describe('the value that a workspace receives', () => {
  for (const [rank, set] of RANKS.entries()) {
    test(`"${set.name}" overrides everything below it`, async () => {
      expect(await winner(RANKS.slice(rank).toReversed())).toEqual([set.name])
    })
  }

  test('among equal ranks, the first name by code point wins, and among equal names the first id', async () => {
    const of = (name: string): SetSeed => ({ name, workspaces: ['prod'] })
    expect(await winner(['b', 'a_', 'a'].map(of))).toEqual(['a'])
    expect(await winner(['a', 'B'].map(of))).toEqual(['B'])
    expect(await winner(['\u{1f600}', '\uffee'].map(of))).toEqual(['\uffee'])
    const twice = ['varset-b', 'varset-a'].map(id => ({ ...of('same'), id }))
    expect(await winner(twice, set => `${set.id}`)).toEqual(['varset-a'])
    const first = (name: string): SetSeed => ({ ...of(name), priority: true })
    expect(await winner(['z', 'y'].map(first))).toEqual(['y'])
  })

  test('a set that applies in two ways has the better rank', async () => {
    const both: SetSeed = { name: 'both', workspaces: ['prod'], projects: ['core'] }
    expect(await winner([both, { name: 'a', projects: ['core'] }])).toEqual(['both'])
    const global: SetSeed = { name: 'z both', global: true, priority: true, workspaces: ['prod'] }
    expect(await winner([global, { name: 'a', priority: true, projects: ['core'] }])).toEqual(['z both'])
  })

  test('a set without assignments gives no value', async () => {
    expect(await winner([{ name: 'nowhere' }])).toEqual([])
  })
})

let sandbox: Sandbox
let server: Listening
beforeAll(async () => {
  sandbox = await createSandbox()
  server = await sandbox.listen()
})
afterAll(() => sandbox.close())

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'v2',
    'organizations',
    'acme',
    'varsets',
    'workspaces',
    'projects',
    'relationships',
    'vars',
    '..',
    '.',
    '',
    '%00',
    '%',
    '%2f',
    '*',
    'sandbox',
    'snapshot',
    '__proto__',
    'constructor',
    'ping',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const path = fc.array(segment, { maxLength: 8 }).map(segments => `/${segments.join('/')}`)
const known = fc.constantFrom(
  '/api/v2/organizations/acme/varsets',
  '/api/v2/organizations/acme/workspaces',
  '/api/v2/organizations/acme/projects',
  '/api/v2/organizations',
)
const method = fc.oneof(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), fc.string({ maxLength: 5 }))
const word = fc.constantFrom(
  'data',
  'type',
  'id',
  'attributes',
  'relationships',
  'name',
  'key',
  'vars',
  'varsets',
  'workspaces',
  'category',
  'env',
  '__proto__',
  'toString',
)
const json = fc.letrec(tie => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 2 }),
    word,
    fc.dictionary(word, tie('node'), { maxKeys: 4 }),
    fc.array(tie('node'), { maxLength: 3 }),
  ),
})).node
const body = fc.oneof(
  json.map(value => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
  fc.constant('['.repeat(100_000)),
  fc.constant(undefined),
)
const query = fc.dictionary(
  fc.constantFrom(
    'page[number]',
    'page[size]',
    'q',
    'include',
    'filter[names]',
    'search[wildcard-name]',
    '__proto__',
    'x',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

describe('any input', () => {
  test('the transport always responds, and never with a server error', async () => {
    await fc.assert(
      fc.asyncProperty(method, fc.oneof(path, known), query, body, async (verb, target, parameters, text) => {
        const answer = await sandbox.transport({
          method: verb as 'GET',
          path: target,
          query: parameters,
          headers: { authorization: `Bearer ${sandbox.adminToken}`, 'content-type': MEDIA, host: 'h"<>\n' },
          ...(text === undefined ? {} : { body: text }),
        })
        expect(answer.status).toBeLessThan(500)
        if (answer.body !== '') JSON.parse(answer.body)
      }),
      { seed: 7, numRuns: 3000 },
    )
  })

  test('the listener survives any bytes and still responds', async () => {
    const send = (bytes: Uint8Array) =>
      new Promise<void>(resolve => {
        const socket = connect(server.port, '127.0.0.1', () => socket.end(bytes))
        socket.on('error', () => undefined)
        socket.on('close', () => resolve())
        socket.resume()
      })
    const line = fc
      .tuple(
        fc.oneof(method, fc.constantFrom('CONNECT', 'TRACE', 'PRI')),
        fc.oneof(path, known, fc.constantFrom('*', 'http://', 'http://[', '//x', '?', '#')),
      )
      .map(([verb, target]) =>
        Buffer.from(
          `${verb} ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\nupgrade: x\r\nexpect: 100-continue\r\nauthorization: Bearer ${sandbox.token}\r\n\r\n{}`,
        ),
      )
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), line), async bytes => {
        await send(bytes)
      }),
      { seed: 7, numRuns: 400 },
    )
    const answer = await fetch(`${server.url}/api/v2/ping`)
    expect(answer.status).toBe(204)
  })
})

const draft: fc.Arbitrary<Draft> = fc.record({
  key: fc.constantFrom('A', 'B', 'C'),
  category: fc.constantFrom('env', 'terraform'),
  value: fc.constantFrom('', 'x', 'é\u{1f600}'),
  sensitive: fc.boolean(),
})
const name = fc.constantFrom('one', 'two', 'three', 'four')
const set = fc.nat(5)
const targets = fc.uniqueArray(fc.nat(3), { maxLength: 3 })
const drafts = fc.array(draft, { maxLength: 2 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const flag = fc.boolean()
/** Mostly true, because the rule about global sets needs several of them. */
const global = fc.constantFrom(true, true, false)

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('create' as const),
      name,
      global,
      priority: flag,
      variables: drafts,
      workspaces: targets,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('update' as const),
      set,
      name: maybe(name),
      global: maybe(global),
      priority: maybe(flag),
      variables: maybe(drafts),
      workspaces: maybe(targets),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), set }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('add' as const), set, variable: draft }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      set,
      variable: fc.nat(4),
      to: fc.record({
        key: maybe(fc.constantFrom('A', 'B', 'C')),
        category: maybe(fc.constantFrom('env', 'terraform')),
        value: maybe(fc.constantFrom('', 'y')),
        sensitive: maybe(flag),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('drop' as const), set, variable: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('assign' as const, 'unassign' as const),
      set,
      kind: fc.constantFrom('workspaces', 'projects'),
      targets,
    }),
  },
)

/** Runs commands on the sandbox and on the model. Numbers in a command mean created sets and variables, oldest first. */
class Run {
  readonly #subject: Subject
  readonly #ids = new Map<number, string>()
  readonly #targets: { readonly workspaces: readonly string[]; readonly projects: readonly string[] }
  #model: Model = new Map()
  #next = 0

  constructor(subject: Subject) {
    const { workspaces = [], projects = [] } = subject.sandbox.snapshot()
    this.#subject = subject
    this.#targets = {
      workspaces: workspaces.map(one => String(one.id)),
      projects: [...projects, ...projects].map(one => String(one.id)),
    }
  }

  async take(raw: Command): Promise<void> {
    const command = this.#aimed(raw)
    const expected = step(this.#model, command, this.#next)
    const answer = await this.#send(command)
    expect([command, answer.status]).toEqual([command, expected.status])
    this.#learn(expected.model, answer)
    this.#model = expected.model
    this.#next += 3
  }

  /** Compares the list of the sandbox with the model. */
  async compare(): Promise<void> {
    const answer = await this.#subject.ask('GET', 'organizations/acme/varsets', {
      query: { include: 'vars', 'page[size]': '100' },
    })
    const included = new Map(
      (answer.body.included as readonly unknown[]).map(one => [at(one, 'id'), at(one, 'attributes')]),
    )
    const shown = listOf(answer).map(one => ({
      name: at(one, 'attributes', 'name'),
      global: at(one, 'attributes', 'global'),
      priority: at(one, 'attributes', 'priority'),
      variables: (at(one, 'relationships', 'vars', 'data') as readonly unknown[]).map(reference => {
        const found = included.get(at(reference, 'id'))
        return ['category', 'key', 'value', 'sensitive'].map(attribute => at(found, attribute))
      }),
      workspaces: (at(one, 'relationships', 'workspaces', 'data') as readonly unknown[]).map(reference =>
        at(reference, 'id'),
      ),
      projects: (at(one, 'relationships', 'projects', 'data') as readonly unknown[]).map(reference =>
        at(reference, 'id'),
      ),
    }))
    const held = [...this.#model.values()].map(one => ({
      name: one.name,
      global: one.global,
      priority: one.priority,
      variables: one.variables.map(two => [
        two.category,
        two.key,
        two.sensitive ? null : two.value,
        two.sensitive,
      ]),
      workspaces: one.workspaces.map(target => this.#targets.workspaces[target]),
      projects: [...new Set(one.projects.map(target => this.#targets.projects[target]))],
    }))
    const sorted = held.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    expect(shown).toEqual(sorted)
  }

  /** Replaces small numbers by those of existing sets and variables. Larger ones mean nothing that exists. */
  #aimed(raw: Command): Command {
    if (raw.type === 'create') return raw
    const number = [...this.#model.keys()][raw.set] ?? -1
    if (raw.type !== 'change' && raw.type !== 'drop') return { ...raw, set: number }
    const found = this.#model.get(number)?.variables[raw.variable]?.name ?? -1
    return { ...raw, set: number, variable: found }
  }

  #send(command: Command) {
    const ask = this.#subject.ask
    const attributes = (said: object) =>
      Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
    const related = (drafts: readonly Draft[] | undefined, workspaces: readonly number[] | undefined) => ({
      ...(drafts === undefined ? {} : { vars: { data: drafts.map(one => variable({ ...one })) } }),
      ...(workspaces === undefined
        ? {}
        : { workspaces: many('workspaces', this.#named('workspaces', workspaces)) }),
    })
    if (command.type === 'create') {
      const { type: _, variables, workspaces, ...settings } = command
      return ask('POST', 'organizations/acme/varsets', {
        body: setBody(settings, related(variables, workspaces)),
      })
    }
    const path = `varsets/${this.#ids.get(command.set) ?? 'varset-none'}`
    switch (command.type) {
      case 'update': {
        const { type: _, set: _set, variables, workspaces, ...settings } = command
        return ask('PATCH', path, { body: setBody(attributes(settings), related(variables, workspaces)) })
      }
      case 'delete':
        return ask('DELETE', path)
      case 'add':
        return ask('POST', `${path}/relationships/vars`, { body: variableBody({ ...command.variable }) })
      case 'change':
      case 'drop': {
        const inner = `${path}/relationships/vars/${this.#ids.get(command.variable) ?? 'var-none'}`
        if (command.type === 'drop') return ask('DELETE', inner)
        return ask('PATCH', inner, { body: variableBody(attributes(command.to)) })
      }
      default: {
        const body = many(command.kind, this.#named(command.kind, command.targets))
        return ask(command.type === 'assign' ? 'POST' : 'DELETE', `${path}/relationships/${command.kind}`, {
          body,
        })
      }
    }
  }

  #named = (kind: 'workspaces' | 'projects', numbers: readonly number[]) =>
    numbers.map(number => this.#targets[kind][number] ?? '')

  /** Records the ids in a response. */
  #learn(model: Model, answer: Parameters<typeof idOf>[0]): void {
    if (answer.status !== 200) return
    if (model.has(this.#next)) this.#ids.set(this.#next, idOf(answer))
    const embedded = at(answer.body, 'data', 'relationships', 'vars', 'data') as
      | readonly unknown[]
      | undefined
    for (const [number, one] of model) {
      for (const [index, made] of one.variables.entries()) {
        if (this.#ids.has(made.name)) continue
        const written = embedded !== undefined && this.#ids.get(number) === idOf(answer)
        this.#ids.set(made.name, written ? String(at(embedded, index, 'id')) : idOf(answer))
      }
    }
  }
}

describe('any sequence of commands', () => {
  test('is answered and stored as an independent model predicts', { tags: ['I-27'] }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40, size: 'max' }), async commands => {
        const subject = await openInProcess()
        const run = new Run(subject)
        for (const one of commands) {
          await run.take(one)
          await run.compare()
        }
        await subject.close()
      }),
      { seed: 20_240_326, numRuns: 250 },
    )
  })
})
