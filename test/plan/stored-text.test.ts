import { describe, expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import { formIndex, isStoredFormOf, ShownTexts } from '../../src/model/stored-form.ts'
import type { ObservedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import { driftOf } from '../../src/plan/facts.ts'
import { carryOut } from '../../src/run/apply.ts'
import type { Traits } from '../../src/sandbox/index.ts'
import { TransportError } from '../../src/wire/transport.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { preparedIn, UNDISTURBED } from '../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld, type World } from '../support/world.ts'

const SERVICES = [
  {
    text: 'trimmed',
    sent: 'abc\n',
    held: 'abc',
    said: 'without its final newline: "abc" instead of "abc\\n"',
    write: '|- instead of |',
  },
  {
    text: 'trimmed',
    sent: 'a\r\n',
    held: 'a',
    said: 'without its final newline: "a" instead of "a\\r\\n"',
    write: '|- instead of |',
  },
  {
    text: 'Unix line endings',
    sent: 'a\r\nb',
    held: 'a\nb',
    said: 'with other line endings: "a\\nb" instead of "a\\r\\nb"',
    write: 'Unix line endings (LF)',
  },
  {
    text: 'trimmed',
    sent: 'x  ',
    held: 'x',
    said: 'without the whitespace at its end: "x" instead of "x  "',
    write: 'Write "x".',
  },
  {
    text: 'trimmed',
    sent: '\tx y',
    held: 'x y',
    said: 'without the whitespace at its start: "x y" instead of "\\tx y"',
    write: 'Write "x y".',
  },
  {
    text: 'trimmed',
    sent: ' x\n',
    held: 'x',
    said: 'without the whitespace at its start and without its final newline: "x" instead of " x\\n"',
    write: 'Write "x".',
  },
  {
    text: 'trimmed',
    sent: '\u{a0}x\n\n',
    held: 'x',
    said: 'without the whitespace at both ends: "x" instead of "\u{a0}x\\n\\n"',
    write: 'Write "x".',
  },
  {
    text: 'trimmed',
    sent: '  ',
    held: '',
    said: 'without the whitespace at its end: "" instead of "  "',
    write: 'Write "".',
  },
] as const

/** Files with one variable, with or without an owner. */
const files = (
  value: string,
  owner?: string,
  others: Readonly<Record<string, string>> = {},
): ResolvedState => ({
  ...aDesiredState(aSet('a', { variables: { 'terraform/CA': value, ...others } })),
  ...(owner === undefined ? {} : { owner }),
})

const plan = (world: World, desired: ResolvedState) => preparedIn(world, desired, { adopt: ['*'] })

/** The exit code, the diagnostics, and the step ids of the next plan. */
async function apply(world: World, desired: ResolvedState) {
  const prepared = await plan(world, desired)
  const { result, diagnostics } = await carryOut({ made: prepared, service: world, ...UNDISTURBED })
  const next = (await plan(world, desired)).plan.steps.map(({ id }) => id)
  return { exitCode: result?.exitCode, diagnostics, next, steps: prepared.plan.steps.length }
}

const held = async (world: World) =>
  (await observe(world.reader, 'acme')).sets.flatMap(({ variables }) => variables.map(({ value }) => value))

const seeded = (value: string, traits: Partial<Traits> = {}): Promise<World> =>
  aWorld([{ name: 'a', variables: [{ key: 'CA', category: 'terraform', value }] }], { traits })

/** Writes as another client. */
async function byHand(world: World, value: string): Promise<void> {
  const set = (await observe(world.reader, 'acme')).sets[0]
  const variable = set?.variables.find(({ key }) => key === 'terraform/CA')
  if (set === undefined || variable === undefined) throw new Error('not there')
  await world.writer().updateVariable(set.id, variable.id, { ...variable, value: { text: value } })
}

test.each(['abc\n', ' abc', 'abc\r\n\r\n'])(
  'whitespace that is only in the service is drift, and an apply removes it: %j',
  async value => {
    const world = await seeded(value)
    const before = await plan(world, files('abc'))
    expect(driftOf(before.plan).map(({ set }) => set)).toEqual(['a'])
    expect(await apply(world, files('abc'))).toEqual({ exitCode: 0, diagnostics: [], next: [], steps: 1 })
    expect(await held(world)).toEqual([{ text: 'abc' }])
  },
)

describe.each(SERVICES)(
  'a service with $text that receives $sent',
  ({ text, sent, held: stored, said, write }) => {
    const traits = { storedValues: text }
    const warning = (words: string, end: string) => ({
      severity: 'warning',
      code: 'stored-otherwise',
      message: `The service ${words} "CA" in "a" ${said}.`,
      hint: expect.stringMatching(new RegExp(`${write.replace(/[|().]/g, '\\$&')}.*${end}`)),
      source: SOMEWHERE,
    })
    const PLANNED = warning('has', '')

    test.each([
      ['a new set', undefined],
      ['an existing variable', 'before'],
    ])(
      'without an inventory, each apply succeeds with a warning until the file contains what the service stores: %s',
      async (_, old) => {
        const world = old === undefined ? await aWorld([], { traits }) : await seeded(old, traits)
        const told = [warning('stored', 'each plan shows the change again')]
        const again = ['update-variable a terraform/CA']
        expect(await apply(world, files(sent))).toMatchObject({ exitCode: 0, diagnostics: told, next: again })
        expect((await plan(world, files(sent))).plan.diagnostics).toEqual([PLANNED])
        expect(await apply(world, files(sent))).toMatchObject({ exitCode: 0, diagnostics: told, next: again })
        expect(await apply(world, files(stored))).toEqual({
          exitCode: 0,
          diagnostics: [],
          next: [],
          steps: 0,
        })
      },
    )

    test.each([
      ['a new set', undefined],
      ['an existing variable', 'before'],
    ])(
      'with an inventory, each plan has the warning and no change until the file contains what the service stores: %s',
      async (_, old) => {
        const world = old === undefined ? await aWorld([], { traits }) : await seeded(old, traits)
        expect(await apply(world, files(sent, 'us'))).toMatchObject({
          exitCode: 0,
          diagnostics: [warning('stored', 'each plan says so')],
          next: [],
        })
        const later = await plan(world, files(sent, 'us'))
        expect(later.plan.facts.inventory).toEqual({ adopted: [], taken: [], requests: 0 })
        expect(later.plan.diagnostics).toEqual([PLANNED])

        // Other changes of the set do not send it again.
        const wider = files(sent, 'us', { 'terraform/OTHER': '1' })
        expect(await apply(world, wider)).toMatchObject({ exitCode: 0, diagnostics: [], next: [], steps: 1 })
        expect((await plan(world, wider)).plan.diagnostics).toEqual([PLANNED])

        // Another text in the service is a manual change.
        await byHand(world, 'y')
        const drifted = await plan(world, wider)
        expect(driftOf(drifted.plan)).toEqual([
          { set: 'a', isOutside: true, isNotApplied: false, isDoubtful: false },
        ])
        expect(await apply(world, wider)).toMatchObject({ exitCode: 0, next: [] })
        expect(await apply(world, files(stored, 'us'))).toMatchObject({
          exitCode: 0,
          diagnostics: [],
          next: [],
          steps: 1,
        })
      },
    )

    test('a set in no inventory that differs only in this is adopted without --adopt', async () => {
      const world = await seeded(stored, traits)
      const { plan: first } = await preparedIn(world, files(sent, 'us'))
      expect(first.blocks).toEqual([])
      expect(await apply(world, files(sent, 'us'))).toMatchObject({ exitCode: 0, next: [] })
    })

    test('an inventory with the digests of an earlier version is read, and its next entry has none', async () => {
      const world = await aWorld([], { traits })
      await apply(world, files(sent, 'us'))
      const inventory = (await observe(world.reader, 'acme')).inventories?.[0]
      const entry = inventory?.entries[0]
      if (inventory === undefined || entry === undefined) throw new Error('no entry')
      const { digest, secrets } = entry
      const digests = { 'terraform/CA': { sent: 'a'.repeat(64), held: 'b'.repeat(64) } }
      const old = { digest, secrets, stored: digests }
      await world.writer().updateVariable(inventory.id, entry.variableId, {
        key: `terraform/${entry.setId}`,
        ...NO_FIELDS,
        value: { text: JSON.stringify(old) },
      })
      const { plan: later } = await plan(world, files(sent, 'us'))
      expect([later.steps, later.facts.inventory.requests, later.diagnostics]).toEqual([[], 0, [PLANNED]])
      await apply(world, files(sent, 'us', { 'terraform/OTHER': '1' }))
      const texts = (world.sandbox.snapshot().sets ?? []).flatMap(({ variables = [] }) =>
        variables.map(({ value = '' }) => value),
      )
      expect(texts.filter(one => one.includes('stored'))).toEqual([])
    })
  },
)

describe('a service that stores every text as it is', () => {
  test.each([undefined, 'us'])(
    'gets whitespace that a file adds at the end of a value (owner: %s)',
    async owner => {
      const world = await aWorld([])
      expect(await apply(world, files('abc', owner))).toMatchObject({ exitCode: 0, next: [] })
      const { plan: next } = await plan(world, files('abc\n', owner))
      expect(next.steps.map(({ id }) => id)).toEqual(['update-variable a terraform/CA'])
      expect(next.diagnostics).toEqual([
        expect.objectContaining({
          hint: expect.stringMatching(/^If the difference remains after an apply, .*\|- instead of \|/),
        }),
      ])
      expect(await apply(world, files('abc\n', owner))).toMatchObject({
        exitCode: 0,
        diagnostics: [],
        next: [],
        steps: 1,
      })
      expect((await plan(world, files('abc\n', owner))).plan.diagnostics).toEqual([])
      expect(await held(world)).toEqual([{ text: 'abc\n' }])
    },
  )

  test('without the newline that was applied, it has the warning and no change: nobody can tell who removed it', async () => {
    const world = await aWorld([])
    await apply(world, files('abc\n', 'us'))
    await byHand(world, 'abc')
    const { plan: later } = await plan(world, files('abc\n', 'us'))
    expect([later.steps, later.diagnostics.map(({ code }) => code)]).toEqual([[], ['stored-otherwise']])
  })
})

test('a value that looks like a secret, or is long, is not repeated', async () => {
  const world = await aWorld([], { traits: { storedValues: 'trimmed' } })
  const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'
  const variables = { 'env/GITHUB_TOKEN': `${token} `, 'env/LONG': `${'long '.repeat(20)}` }
  const desired = aDesiredState(aSet('a', { variables }))
  const { diagnostics } = await apply(world, desired)
  expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual(
    ['GITHUB_TOKEN', 'LONG'].map(key => [
      `The service stored "${key}" in "a" without the whitespace at its end.`,
      'Remove the whitespace at its end. Until then, each plan shows the change again, and applying it again cannot help.',
    ]),
  )
})

test('a write that did not change the final newline counts as failed', async () => {
  const world = await aWorld(
    [{ name: 'a', variables: [{ key: 'CA', category: 'terraform', value: 'abc\n' }] }],
    {
      between: next => (request, signal) =>
        next(
          { ...request, ...(request.body && { body: request.body.replace('"abc"', '"abc\\n"') }) },
          signal,
        ),
    },
  )
  expect(await apply(world, files('abc'))).toMatchObject({ exitCode: 3, diagnostics: [], steps: 1 })
})

test('a value that was already there does not confirm a write without a response', async () => {
  const world = await aWorld(
    [{ name: 'a', variables: [{ key: 'CA', category: 'terraform', value: 'abc' }] }],
    {
      between: next => async (request, signal) => {
        if (request.method === 'PATCH')
          throw new TransportError('lost', { sent: 'maybe', code: 'ECONNRESET' })
        return await next(request, signal)
      },
    },
  )
  expect(await apply(world, files('abc\n'))).toMatchObject({ exitCode: 3, diagnostics: [] })
})

describe('a text may be a stored form of another', () => {
  const shown = (...texts: string[]) => new ShownTexts(() => texts)
  test.each([
    ['a ', 'a'],
    [' a\r\n', 'a'],
    ['a\r\nb', 'a\nb'],
    ['a  b', 'a b'],
    ['A b', 'a b'],
    ['e\u0301', '\u00e9'],
    ['"a"', 'a'],
    [' A  B ', 'a b'],
    ['x'.repeat(100), 'x'.repeat(90)],
    [`${'X'.repeat(100)} `, 'x'.repeat(90)],
  ])('%j: %j', (sent, held) => {
    expect(isStoredFormOf(sent, held)).toBe(true)
    expect(isStoredFormOf(held, sent)).toBe(false)
  })
  test.each([
    ['a', 'a'],
    ['a', 'b'],
    ['ab', 'a'],
    ['a b', 'ab'],
    ['A', 'B'],
    ['a', ' a'],
    ['x'.repeat(90), 'x'.repeat(20)],
  ])('and %j not: %j', (sent, held) => expect(isStoredFormOf(sent, held)).toBe(false))

  test('in either case', () => expect(isStoredFormOf('a b', 'A B')).toBe(true))

  test('unless the service shows a text that would have lost the same', () => {
    expect(isStoredFormOf('App', 'app', { shown: shown('app', 'other') })).toBe(true)
    expect(isStoredFormOf('App', 'app', { shown: shown('app', 'Other') })).toBe(false)
    expect(isStoredFormOf('a ', 'a', { shown: shown('a', 'b ') })).toBe(false)
    const [long, cut] = ['x'.repeat(100), 'x'.repeat(90)]
    expect(isStoredFormOf(long, cut, { shown: shown(cut) })).toBe(true)
    expect(isStoredFormOf(long, cut, { shown: shown(cut, 'y'.repeat(91)) })).toBe(false)
  })

  test('of HCL if only the layout differs, outside of strings', () => {
    const hcl = { hcl: true }
    expect(isStoredFormOf('{a=1,b=["x, y"]}', '{\n  a = 1\n  b = [\n    "x, y",\n  ]\n}\n', hcl)).toBe(true)
    expect(isStoredFormOf('["x, y"]', '["x,y"]', hcl)).toBe(false)
    expect(isStoredFormOf('["a"]', '[ "a" ]')).toBe(false)
  })
})

test('a key in another form of one that is deleted waits for the deletion, since a service may store both alike', () => {
  const desired = { ...aDesiredState(aSet('a', { variables: { 'env/HTTP_PROXY': '1' } })) }
  const shown = anObserved('2', 'b', { variables: { 'env/Mixed': '1' } })
  const live = anObserved('1', 'a', { variables: { 'env/http_proxy': '1' } })
  const { steps } = planOf(desired, anObservedState(live, shown))
  expect(steps.map(({ id, after }) => [id, after.map(wait => wait.step)])).toEqual([
    ['delete-variable a env/http_proxy', []],
    ['create-variable a env/HTTP_PROXY', ['delete-variable a env/http_proxy']],
  ])
})

test('no key of another category, and no name of a set of another owner, is another form', () => {
  const codesOf = (wanted: ResolvedState['sets'][number], there: ObservedSet) => {
    const { value, diagnostics } = createPlan(aDesiredState(wanted), anObservedState(there), OPTIONS)
    return [...(value?.steps.map(({ id }) => id) ?? []), ...diagnostics.map(({ code }) => code)]
  }
  const keys = (key: string) => aSet('a', { variables: { [key]: '1' } })
  const live = (parent?: 'prj-1') => anObserved('1', 'app', parent && { parent })
  const held = anObserved('1', 'a', { variables: { 'terraform/proxy': '1' } })
  expect(codesOf(keys('terraform/PROXY'), held)).toEqual(['stored-otherwise'])
  expect(codesOf(keys('env/PROXY'), held)).toEqual([
    'create-variable a env/PROXY',
    'delete-variable a terraform/proxy',
  ])
  expect(codesOf(aSet('App'), live())).toEqual(['stored-otherwise'])
  expect(codesOf(aSet('App'), live('prj-1'))).toEqual(['create-set App'])
})

test('of many names and keys, few are compared with each other', () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `name-${at}`)
  const formsOf = formIndex(many, text => text)
  expect([formsOf('Name-7'), formsOf(' name-19999 '), formsOf('other')]).toEqual([
    ['name-7'],
    ['name-19999'],
    [],
  ])
  const long = ['x'.repeat(90), 'y'.repeat(90)]
  expect(formIndex(long, text => text)('x'.repeat(95))).toEqual(long)
})
