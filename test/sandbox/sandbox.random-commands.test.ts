import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  at,
  idOf,
  listOf,
  many,
  openInProcess,
  type Subject,
  setBody,
  variable,
  variableBody,
} from '../contract/subject.ts'
import { type Command, type Draft, type Model, step } from './model.ts'

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
