import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resolvedYaml } from '../../src/config/write.ts'
import { compareText } from '../../src/model/diagnostic.ts'
import type { DesiredState } from '../../src/model/variable-set.ts'
import { arbitraryState } from './arbitrary-state.ts'
import { loaded, loadText } from './load-text.ts'

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === 'source' ? undefined : member)))

const SETPOINT = 'organization: acme\nowner: us\n'

describe('a written state loads as the same state', () => {
  test('for any names, keys and values', { tags: ['F-70', 'I-16'] }, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryState, async ({ sets, removed }) => {
        const written = resolvedYaml({ sets, removed })
        const { value, diagnostics } = await loadText(written, { setpoint: SETPOINT })
        const errors = diagnostics.filter(({ severity, code }) => severity === 'error' && !ACROSS.has(code))
        expect(errors).toEqual([])
        if (value === undefined) return
        const sorted = sets.toSorted((a, b) => compareText(a.name, b.name))
        expect(plain({ sets: value.sets, removed: value.removed })).toEqual(plain({ sets: sorted, removed }))
        expect(resolvedYaml(value)).toBe(written)
      }),
      { numRuns: 150, seed: 20261121 },
    )
  })
})

/** Errors in generated states that have nothing to do with writing. */
const ACROSS: ReadonlySet<string> = new Set([
  'global-conflict',
  'duplicate-set',
  'removed-and-declared',
  'previous-name-declared',
])

test('a state is written in a readable form', async () => {
  const state: DesiredState = await loaded(
    {
      'sets/a.yaml': `bases:
  aws:
    env:
      REGION: eu-west-1
      ROLE: { required: true }
variableSets:
  b:
    from: aws
    description: "Keys of the deploy role: rotated"
    workspaces: [network-prod, ws-SihZTyXKfNXUWuUa, { name: ws-SihZTyXKfNXUWuUb }]
    projects: []
    previousNames: [old-b]
    env: { ROLE: deploy, KEY: { secret: { name: KEY, version: 2026-11 }, description: x }, NO: no }
    terraform:
      tags: { data: { a: [1.10] } }
      legacy: { external: true }
      text: |
        first
          second
  a: { global: true, priority: true, id: varset-kjkN545LH2Sfercv }
removed: [z, varset-kjkN545LH2Sfercw, { name: varset-kjkN545LH2Sfercx }]
`,
    },
    { setpoint: SETPOINT },
  )
  expect(resolvedYaml(state)).toBe(`variableSets:
  a:
    global: true
    priority: true
    id: varset-kjkN545LH2Sfercv
  b:
    description: "Keys of the deploy role: rotated"
    previousNames:
      - old-b
    workspaces:
      - network-prod
      - ws-SihZTyXKfNXUWuUa
      - { name: ws-SihZTyXKfNXUWuUb }
    projects: []
    env:
      KEY:
        description: x
        secret: { name: KEY, version: "2026-11" }
      "NO": "no"
      REGION: eu-west-1
      ROLE: deploy
    terraform:
      legacy:
        external: true
      tags:
        hcl: '{"a":[1.10]}'
      text: |
        first
          second
removed:
  - z
  - varset-kjkN545LH2Sfercw
  - { name: varset-kjkN545LH2Sfercx }
`)
})

test('names that a file would read as something else are maps', async () => {
  const text = `variableSets:
  a:
    workspaces:
      - { name: group:web }
      - { name: web-* }
    env:
      priority:
        value: high
    terraform:
      priority: high
`
  const state = await loaded(text)
  expect(resolvedYaml(state)).toBe(text.replace('group:web', '"group:web"').replace('web-*', '"web-*"'))
})

test('a state without sets is written as a valid set file', async () => {
  const written = resolvedYaml({ sets: [], removed: [] })
  expect(written).toBe('variableSets: {}\n')
  expect((await loaded(written)).sets).toEqual([])
})
