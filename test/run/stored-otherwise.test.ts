import { describe, expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import { driftOf } from '../../src/plan/facts.ts'
import { applyPrepared } from '../../src/run/apply.ts'
import type { Profile } from '../../src/sandbox/index.ts'
import { TransportError } from '../../src/wire/transport.ts'
import { preparedIn, UNDISTURBED } from '../support/round.ts'
import { aDesiredState, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld, type World } from '../support/world.ts'

const SERVICES = [
  {
    text: 'trim-newline',
    sent: 'abc\n',
    held: 'abc',
    said: 'without its final newline',
    write: '|- instead of |',
  },
  {
    text: 'trim-newline',
    sent: 'a\r\n',
    held: 'a',
    said: 'without its final newline',
    write: '|- instead of |',
  },
  {
    text: 'unix-newlines',
    sent: 'a\r\nb',
    held: 'a\nb',
    said: 'with other line endings',
    write: 'Unix line ends (LF)',
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
  const { result, diagnostics } = await applyPrepared({ prepared, service: world, ...UNDISTURBED })
  const next = (await plan(world, desired)).plan.steps.map(({ id }) => id)
  return { exitCode: result?.exitCode, diagnostics, next, steps: prepared.plan.steps.length }
}

const held = async (world: World) =>
  (await observe(world.reader, 'acme')).sets.flatMap(({ variables }) => variables.map(({ value }) => value))

const seeded = (value: string, profile: Partial<Profile> = {}): Promise<World> =>
  aWorld([{ name: 'a', variables: [{ key: 'CA', category: 'terraform', value }] }], { profile })

test('a final newline that is only in the service is drift, and an apply removes it', async () => {
  const world = await seeded('abc\n')
  const before = await plan(world, files('abc'))
  expect(driftOf(before.plan).map(({ set }) => set)).toEqual(['a'])
  expect(await apply(world, files('abc'))).toEqual({ exitCode: 0, diagnostics: [], next: [], steps: 1 })
  expect(await held(world)).toEqual([{ text: 'abc' }])
})

describe.each(SERVICES)(
  'a service with $text that receives $sent',
  ({ text, sent, held: stored, said, write }) => {
    const profile = { text }
    const warning = (code: string, words: string, end: string) => ({
      severity: 'warning',
      code,
      message: `The service ${words} "CA" in "a" ${said}.`,
      hint: expect.stringMatching(new RegExp(`${write.replace(/[|()]/g, '\\$&')}.*${end}`)),
      source: SOMEWHERE,
    })

    test.each([
      ['a new set', undefined],
      ['an existing variable', 'before'],
    ])(
      'without an inventory, each apply succeeds with a warning until the file contains what the service stores: %s',
      async (_, old) => {
        const world = old === undefined ? await aWorld([], { profile }) : await seeded(old, profile)
        const told = [warning('stored-otherwise', 'stored', 'each plan shows the change again')]
        const again = ['update-variable a terraform/CA']
        expect(await apply(world, files(sent))).toMatchObject({ exitCode: 0, diagnostics: told, next: again })
        const { diagnostics } = await plan(world, files(sent))
        expect(diagnostics).toEqual([warning('stored-otherwise', 'has', '')])
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
      'with an inventory, there is no drift while file and service keep these two texts: %s',
      async (_, old) => {
        const world = old === undefined ? await aWorld([], { profile }) : await seeded(old, profile)
        const told = [warning('stored-otherwise', 'stored', 'the inventory records')]
        expect(await apply(world, files(sent, 'us'))).toMatchObject({
          exitCode: 0,
          diagnostics: told,
          next: [],
        })
        const { plan: later } = await plan(world, files(sent, 'us'))
        expect(later.facts.inventory).toEqual({ adopted: [], requests: 0 })

        // Other changes of the set keep this record.
        const wider = files(sent, 'us', { 'terraform/OTHER': '1' })
        expect(await apply(world, wider)).toMatchObject({ exitCode: 0, diagnostics: [], next: [], steps: 1 })

        // Another text in the service is a manual change.
        const set = (await observe(world.reader, 'acme')).sets[0]
        const variable = set?.variables.find(({ key }) => key === 'terraform/CA')
        if (set === undefined || variable === undefined) throw new Error('not there')
        await world.writer().updateVariable(set.id, variable.id, { ...variable, value: { text: 'x' } })
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

    test('an inventory without this record reports no change made outside, and the next apply adds the record', async () => {
      const world = await aWorld([], { profile })
      await apply(world, files(sent, 'us'))
      const inventory = (await observe(world.reader, 'acme')).inventories?.[0]
      const entry = inventory?.entries[0]
      if (inventory === undefined || entry === undefined) throw new Error('no entry')
      const { digest, secrets } = entry
      await world.writer().updateVariable(inventory.id, entry.variableId, {
        key: `terraform/${entry.setId}`,
        ...NO_FIELDS,
        value: { text: JSON.stringify({ digest, secrets }) },
      })
      const { plan: older } = await plan(world, files(sent, 'us'))
      expect(older.steps.map(({ id }) => id)).toEqual(['update-variable a terraform/CA'])
      expect(driftOf(older)).toEqual([{ set: 'a', isOutside: false, isNotApplied: false, isDoubtful: true }])
      expect(await apply(world, files(sent, 'us'))).toMatchObject({ exitCode: 0, next: [] })
    })
  },
)

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
