import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFiles, type Extent, type LoadOptions, loadDesired } from '../../src/config/load.ts'
import { Outline } from '../../src/config/outline.ts'
import type { WrittenSet } from '../../src/config/set-file.ts'
import type { Checked } from '../../src/model/diagnostic.ts'
import { inDirectory } from './load-text.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

/** What checking has to say: the findings of loading, and how much it gives. */
async function loadedExtent(options: LoadOptions): Promise<Checked<Extent>> {
  const { value, diagnostics } = await loadDesired(options)
  const variables = value?.sets.flatMap(set => set.variables) ?? []
  return {
    value: value && { sets: value.sets.length, variables: variables.length, files: value.files },
    diagnostics,
  }
}

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const READABLE = ['plain', '{ value: a longer value of some words, description: a longer description }']
const SECRETS = ['{ secret: NAME_OF_SECRET }', '{ secret: { name: NAME_OF_SECRET, version: 2 } }']
const variables = (values: readonly string[]) =>
  fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'C'), fc.constantFrom(...values)), {
    maxLength: 3,
    selector: ([key]) => key,
  })
const set = fc.record({
  name: seldom(fc.constantFrom('app-one-of-the-first', 'app-two-of-the-second', 'other-set-of-them')),
  id: seldom(fc.constantFrom('varset-0000000000000001', 'varset-0000000000000002')),
  from: seldom(fc.constantFrom('base-of-all-of-them', 'missing-base-of-them')),
  global: seldom(fc.constant('true')),
  workspaces: seldom(fc.constantFrom('[]', '[a-workspace-of-theirs]')),
  previousNames: seldom(fc.constantFrom('[app-one-of-the-first]', '[an-older-name-of-it, another]')),
  own: variables([...READABLE, ...SECRETS]),
})
const file = fc.record({
  sets: fc.array(set, { minLength: 1, maxLength: 2 }),
  base: seldom(variables(READABLE)),
  removed: seldom(fc.constantFrom('[other-set-of-them]', '[gone-since-a-while]')),
})
type File = typeof file extends fc.Arbitrary<infer F> ? F : never

const env = (list: readonly (readonly [string, string])[]): string =>
  list.length === 0 ? '' : `    env:\n${list.map(([key, value]) => `      ${key}: ${value}\n`).join('')}`

function textOf({ sets, base, removed }: File, number: number): string {
  const texts = sets.map(({ own, ...settings }, n) => {
    const lines = Object.entries(settings).filter(([, value]) => value !== undefined)
    return `  set-${number}-${n}:\n    priority: true\n${lines.map(([key, value]) => `    ${key}: ${value}\n`).join('')}${env(own)}`
  })
  const bases =
    base && `bases:\n  base-of-all-of-them:\n    terraform: { D: { required: true } }\n${env(base)}`
  return `variableSets:\n${texts.join('')}${bases ?? ''}${removed ? `removed: ${removed}\n` : ''}`
}

const setpoint = fc.constantFrom(
  '',
  'owner: team\n',
  'same-keys: [app-*]\n',
  'same-keys: ["*"]\nowner: team\n',
)

describe('checking files', () => {
  test.each(readdirSync(FIXTURES))('finds in %s what loading finds', async name => {
    const options = { directory: join(FIXTURES, name) }
    expect(await checkFiles(options)).toEqual(await loadedExtent(options))
  })
  test('finds what loading finds, whatever clashes across files', async () => {
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(setpoint, fc.array(file, { minLength: 1, maxLength: 4 }), async (text, sets) => {
        const files = Object.fromEntries(sets.map((written, n) => [`sets/${n}.yaml`, textOf(written, n)]))
        await inDirectory({ 'setpoint.yaml': `organization: acme\n${text}`, ...files }, async directory => {
          const checked = await checkFiles({ directory })
          expect(checked).toEqual(await loadedExtent({ directory }))
          for (const { code } of checked.diagnostics) found.add(code)
          if (checked.value !== undefined) found.add('no error')
        })
      }),
      { seed: 1, numRuns: 300 },
    )
    // Each rule across files was there to be found, and files without a mistake were.
    expect([...found].sort()).toEqual([
      'duplicate-set',
      'global-conflict',
      'global-with-assignments',
      'needs-owner',
      'no error',
      'previous-name-declared',
      'removed-and-declared',
      'required-value',
      'same-keys',
      'unknown-base',
    ])
  })
})

describe('an outline', () => {
  const AT = { path: 'sets/a.yaml', line: 1, column: 1 }
  const PLAIN: WrittenSet = {
    name: 'one',
    size: { variables: 2, characters: 1 },
    description: 'Of the team.',
    global: false,
    priority: true,
    variables: [
      { key: 'env/A', value: { text: 'a' }, description: 'First.', hcl: false, source: AT },
      {
        key: 'env/B',
        value: { secret: { name: 'S', version: '1' } },
        description: '',
        hcl: false,
        source: AT,
      },
    ],
    workspaces: [{ name: 'w', source: AT }],
    previousNames: ['zero'],
    source: AT,
  }
  const [A, B] = PLAIN.variables
  const workspaces = [{ name: 'w', source: AT }]
  const { workspaces: _, ...BARE } = { ...PLAIN, description: '', variables: [] }

  test('of a set that nothing else looks at has no variables, and counts them', () => {
    const outline = new Outline({ owner: 'team', sameKeys: [] })
    expect([outline.set(PLAIN), outline.left]).toEqual([BARE, 2])
  })
  test('of a global set has all variables and their places, without texts', () => {
    const outline = new Outline({ owner: 'team', sameKeys: [] })
    expect([outline.set({ ...PLAIN, global: true }), outline.left]).toEqual([
      { ...BARE, global: true, variables: [{ ...A, value: { text: '' }, description: '' }, B], workspaces },
      0,
    ])
  })
  test.each<[string, Partial<WrittenSet>]>([
    ['beside a base', { from: { name: 'b', source: AT } }],
    ['in a family', { name: 'app-one' }],
  ])('of a set %s has all keys, the same for each set', (_, written) => {
    const outline = new Outline({ owner: 'team', sameKeys: [{ pattern: 'app-*', source: AT }] })
    const set = outline.set({ ...PLAIN, ...written })
    const variables = [A, B].map(variable => ({ ...variable, value: { text: '' }, description: '' }))
    expect([set, outline.left]).toEqual([{ ...BARE, variables, ...written }, 0])
    const [other] = outline.set({ ...PLAIN, ...written, name: 'app-two' }).variables
    expect(other).toBe(set.variables[0])
  })
  test('has the versions that need an owner where there is none', () => {
    const outline = new Outline({ sameKeys: [] })
    expect([outline.set(PLAIN), outline.left]).toEqual([{ ...BARE, variables: [B] }, 1])
  })
})
