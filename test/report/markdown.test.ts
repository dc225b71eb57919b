import { describe, expect, test } from 'vitest'
import { renders } from '../../src/report/index.ts'
import { COMMENT_LIMIT, commentMarker } from '../../src/report/markdown.ts'
import { aPlan, aResult, create, createSet, deleteSet, hidden, step, text } from './build.ts'
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
    'about %i sets with %i variables each fits, closes what it opens, and keeps deletions',
    (sets, variables) => {
      const steps = large(sets, variables)
      for (const output of [
        renders.markdown({ kind: 'plan', plan: aPlan(steps) }),
        renders.markdown({
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
        expect(outside.match(/<details>/g)?.length).toBe(outside.match(/<\/details>/g)?.length)
        for (let i = 0; i < 20; i++) expect(output).toContain(`| - | \`deleted-${i}\` |`)
      }
    },
  )

  test('says what it leaves out, whole entries only', () => {
    const output = renders.markdown({ kind: 'plan', plan: aPlan(large(2_000, 20)) })
    const rows = output.match(/^\| \+ \|/gm)?.length ?? 0
    const values = output.match(/^`created-\d+`$/gm)?.length ?? 0
    expect(rows).toBeGreaterThan(100)
    expect(values).toBeGreaterThan(10)
    expect(output).toContain(`${(2_000 - rows).toLocaleString('en-US')} more sets are left out here`)
    expect(output).toContain(
      `The values of ${(2_000 - values).toLocaleString('en-US')} more sets are left out here`,
    )
  })

  test('leaves out one set with very large values and keeps the others', () => {
    const big = Array.from({ length: 1_300 }, (_, i) => text(`env/V${i}`, 'y'.repeat(55)))
    const output = renders.markdown({
      kind: 'plan',
      plan: aPlan([
        step('1', createSet('big', { variables: big })),
        step('2', create('small', text('env/A', '1'))),
      ]),
    })
    expect(output).toContain('+ env A  1')
    expect(output).toContain('The values of 1 more set are left out here')
  })

  test('keeps the table where there is very much to look at first', () => {
    const blocks = Array.from({ length: 3_000 }, (_, i) => ({
      code: 'protected-name' as const,
      message: `"set-${i}" is protected and would be deleted.`,
    }))
    const output = renders.markdown({ kind: 'plan', plan: aPlan(large(50, 2), { blocks }) })
    expect(output.match(/^\| [+-] \|/gm)).toHaveLength(70)
    expect(output).toMatch(/^> - and 2,\d+ more$/m)
  })

  test('fits even where every name is as long and as hostile as can be', () => {
    const awful = '\u202e`|'.repeat(5_000)
    const plan = aPlan([step('1', deleteSet(awful, { variables: [hidden(`env/${awful}`)] }))], {
      organization: awful,
      owner: awful,
      only: [awful],
      blocks: [{ code: 'protected-name', message: awful }],
    })
    expect(renders.markdown({ kind: 'plan', plan }).length).toBeLessThanOrEqual(COMMENT_LIMIT)
  })
})

test('the marker cannot be left, and stays short', () => {
  expect(commentMarker('x'.repeat(1_000)).length).toBeLessThan(300)
  expect(commentMarker('acme', 'platform')).toBe('<!-- setpoint:acme/platform -->')
  expect(commentMarker('acme')).toBe('<!-- setpoint:acme -->')
  expect(commentMarker('a-->\n\ud800', 'x/y')).toBe('<!-- setpoint:a--%3E%0A%EF%BF%BD/x%2Fy -->')
})
