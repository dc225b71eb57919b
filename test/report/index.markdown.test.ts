import { describe, expect, test } from 'vitest'
import { commentMarker } from '../../src/report/comment-text.ts'
import { renderers } from '../../src/report/index.ts'
import { COMMENT_LIMIT } from '../../src/report/print-markdown.ts'
import { typedAs } from '../support/typed.ts'
import { aPlan, aResult, create, createSet, deleteSet, hidden, remove, step, text, update } from './build.ts'
import { withoutCode } from './oracles.ts'

const large = (sets: number, variables: number) => [
  ...Array.from({ length: sets }, (_, i) =>
    step(
      `create-set ${i}`,
      createSet(`created-${i}`, {
        variables: Array.from({ length: variables }, (_, v) => text(`env/V${v}`, `value ${v}`)),
      }),
    ),
  ),
  ...Array.from({ length: 20 }, (_, i) =>
    step(`delete-set ${i}`, deleteSet(`deleted-${i}`, { variables: [hidden('env/T')] })),
  ),
]

describe('a comment', () => {
  test.each([
    [10, 5],
    [400, 5],
    [5_000, 1],
    [3, 3_000],
  ])(
    'with about %i sets of %i variables fits, closes all elements, and keeps deletions',
    (sets, variables) => {
      const steps = large(sets, variables)
      for (const output of [
        renderers.markdown({ kind: 'plan', plan: aPlan(steps) }),
        renderers.markdown({
          kind: 'apply',
          result: aResult(
            aPlan(steps),
            Object.fromEntries(steps.map(({ id }) => [id, { status: 'failed', message: 'x'.repeat(500) }])),
            { exitCode: 3 },
          ),
        }),
      ]) {
        expect(output.length).toBeLessThanOrEqual(COMMENT_LIMIT)
        const { outside } = withoutCode(output)
        expect(outside).not.toContain('UNCLOSED')
        expect(outside.match(/<details(?: open)?>/g)?.length).toBe(outside.match(/<\/details>/g)?.length)
        for (let i = 0; i < 20; i++) expect(output).toContain(`| - | \`deleted-${i}\` |`)
      }
    },
  )

  test('drops only complete entries, and counts them', () => {
    const output = renderers.markdown({ kind: 'plan', plan: aPlan(large(2_000, 20)) })
    const rows = output.match(/^\| \+ \|/gm)?.length ?? 0
    expect(rows).toBeGreaterThan(100)
    expect(output).toContain(`${(2_000 + 20 - rows - 20).toLocaleString('en-US')} more are left out here`)
    // Rows are worth more than what is below them.
    expect(output).toContain('2,000 more are left out here')
    const fewer = renderers.markdown({ kind: 'plan', plan: aPlan(large(300, 20)) })
    const shown = fewer.match(/^@@ \+ created-\d+ .*@@$/gm)?.length ?? 0
    expect(shown).toBeGreaterThan(10)
    expect(fewer.match(/^\+ env V/gm)).toHaveLength(20 * shown)
    expect(fewer).toContain(`${300 - shown} more are left out here`)
  })

  test('drops the values of one very large set and keeps the others', () => {
    const big = Array.from({ length: 1_300 }, (_, i) => text(`env/V${i}`, 'y'.repeat(55)))
    const output = renderers.markdown({
      kind: 'plan',
      plan: aPlan([
        step('1', createSet('big', { variables: big })),
        step('2', create('small', text('env/A', '1'))),
      ]),
    })
    expect(output).toContain('| + env `A` `1` |')
    expect(output).toContain('1 more is left out here')
  })

  test('keeps the table even if *Review first* is very long', () => {
    const blocks = Array.from({ length: 3_000 }, (_, i) => ({
      code: 'protected-name' as const,
      message: `"set-${i}" is protected and would be deleted.`,
      item: { kind: 'set' as const, set: `set-${i}` },
    }))
    const output = renderers.markdown({ kind: 'plan', plan: aPlan(large(50, 2), { blocks }) })
    expect(output.match(/^\| [+-] \|/gm)).toHaveLength(70)
    expect(output).toContain('> - **blocked** and 2,997 more like this\n')
  })

  test('fits even if all names are very long and hostile', () => {
    const awful = '\u202e`|'.repeat(5_000)
    const plan = aPlan([step('1', deleteSet(awful, { variables: [hidden(`env/${awful}`)] }))], {
      organization: awful,
      owner: awful,
      only: [awful],
      blocks: [{ code: 'protected-name', message: awful, item: { kind: 'set', set: awful } }],
    })
    expect(renderers.markdown({ kind: 'plan', plan }).length).toBeLessThanOrEqual(COMMENT_LIMIT)
  })
})

test('every line of a diff starts with the sign that sets its colour, and no value can add such a line', () => {
  const long = (region: string): string => `a\n  b\n+ c\n- ${region}\n! d\n`
  const markdown = renderers.markdown({
    kind: 'plan',
    plan: aPlan([
      step('1', update('a', text('env/A', 'x'.repeat(55)), text('env/A', 'y'.repeat(55)))),
      step('2', update('a', text('terraform/b', long('east')), text('terraform/b', long('west')))),
      step('3', create('a', text('env/C', '1', { description: 'A text.' }))),
      step('4', remove('a', hidden('env/D'))),
    ]),
  })
  const block = /```diff\n([\s\S]*?)\n```/.exec(markdown)?.[1]?.split('\n')
  expect(block).toEqual([
    '@@ ~ a  4 variables, 1 secret lost @@',
    `! env A        ${'x'.repeat(55)} -> ${'y'.repeat(55)}`,
    '+ env C        1, description: "A text."',
    '- env D        (secret), irreversible',
    '! terraform b  -1 +1 lines',
    '        b',
    '      + c',
    '-     - east',
    '+     - west',
    '      ! d',
  ])
})

test('the marker cannot be escaped by a name, and stays short', () => {
  expect(commentMarker('x'.repeat(1_000)).length).toBeLessThan(300)
  expect(commentMarker('acme', 'platform')).toBe('<!-- setpoint:acme/platform -->')
  expect(commentMarker('acme')).toBe('<!-- setpoint:acme -->')
  expect(commentMarker('a-->\n\ud800', 'x/y')).toBe('<!-- setpoint:a--%3E%0A%EF%BF%BD/x%2Fy -->')
})

describe('the end of a comment', () => {
  const steps = [step('1', deleteSet('a', {}))]
  const blocks = [{ code: 'loses-values', message: 'In use.', item: { kind: 'set', set: 'a' } }] as const
  const DIGEST = aPlan(steps).digest

  test('says how to approve the plan, in a pipeline and by hand', () => {
    const typed = typedAs('plan')
    const printed = renderers.markdown({ kind: 'plan', plan: aPlan(steps, { blocks }), typed })
    expect(printed).toContain(
      `**BLOCKED** After review: \`setpoint apply --approve ${DIGEST}\`\n\nplan \`${DIGEST}\``,
    )
    const saved = renderers.markdown({ kind: 'plan', plan: aPlan(steps, { blocks }) })
    expect(saved).toContain(`**BLOCKED** After review, approve its digest.\n\nplan \`${DIGEST}\``)
  })

  test('contains the complete digest, blocked or not', () => {
    const times = (more: Parameters<typeof aPlan>[1]) =>
      renderers.markdown({ kind: 'plan', plan: aPlan(steps, more), typed: typedAs('plan') }).split(DIGEST)
        .length - 1
    expect([times({}), times({ blocks })]).toEqual([1, 2])
  })

  test('says when the plan was made, if known', () => {
    const at = '2026-11-21T14:02:33.123Z'
    expect(renderers.markdown({ kind: 'plan', plan: aPlan(steps), at })).toMatch(
      / · planned `2026-11-21 14:02Z`\n$/,
    )
    expect(renderers.html({ kind: 'plan', plan: aPlan(steps), at })).toContain(
      'planned <span class="message">2026-11-21 14:02Z</span>',
    )
    expect(renderers.markdown({ kind: 'plan', plan: aPlan(steps) })).not.toContain('planned')
  })

  test('names the reports that contain what was dropped', () => {
    const plan = aPlan(large(2_000, 20))
    const left = (elsewhere: readonly string[]) =>
      renderers.markdown({ kind: 'plan', plan }, { elsewhere }).match(/left out here; .*/g)
    expect(left(['plan.html', 'p`.json'])).toEqual([
      'left out here; see the log or `plan.html` or ``p`.json``.',
      'left out here; see the log or `plan.html` or ``p`.json``.',
    ])
    expect(left([])?.[0]).toBe('left out here; see the log.')
  })
})

test('orphaned sets are not counted as sets of other owners', () => {
  const owners = [
    { owner: 'network', sets: 8 },
    { owner: 'platform', sets: 1 },
  ]
  const leftAlone = [{ set: 'old', id: 'varset-1', why: 'prune-off', owner: 'platform' }] as const
  const facts = { owners, undeclaredSets: 9, leftAlone }
  const printed = renderers.markdown({ kind: 'plan', plan: aPlan([], { facts }) })
  expect(printed).toContain('**Orphaned** `old`: in no file; kept, because prune is off')
  expect(printed).not.toContain('Not ours')
  expect(
    renderers.text({ kind: 'plan', plan: aPlan([], { facts }) }, { color: false, verbose: true }),
  ).toContain('Not ours  8 sets: network 8\n')
})

test('a secret that replaces another secret shows no value', () => {
  const giver = { set: 'db', secret: true } as const
  const changes = [{ kind: 'value', key: 'env/P', before: giver, after: giver }] as const
  const groups = [{ members: ['ws-1', 'ws-2', 'ws-3', 'ws-4', 'ws-5'], changes: [0] }] as const
  const received = { ...aPlan([]).facts.received, known: 6, changes, groups }
  const printed = renderers.markdown({ kind: 'plan', plan: aPlan([], { facts: { received } }) })
  expect(printed).toContain('- get a new value of env `P` from `db`\n')
})
