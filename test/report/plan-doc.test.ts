import { describe, expect, test } from 'vitest'
import type { Plan, Step } from '../../src/plan/plan-data.ts'
import { renderers } from '../../src/report/index.ts'
import { planDoc } from '../../src/report/plan-doc.ts'
import {
  aPlan,
  assign,
  at,
  create,
  createSet,
  deleteSet,
  external,
  hidden,
  remove,
  secret,
  settings,
  step,
  subjectOf,
  text,
  unassign,
  update,
  updateSet,
} from './build.ts'
import { textOf as pageText } from './parsers.ts'

/** The text report of a plan, section by section. */
const sections = (plan: Plan): string[][] =>
  renderers
    .text({ kind: 'plan', plan }, { color: false })
    .trimEnd()
    .split('\n\n')
    .map(section => section.split('\n'))

/** The lines about sets. */
const shown = (...steps: readonly Step[]): string[] => shownIn(aPlan(steps))
const shownIn = (plan: Plan): string[] =>
  sections(plan)
    .flat()
    .filter(line => /^(?:[-+~] | {4}[^ ]| {6,})/.test(line))

describe('the header', () => {
  const header = (plan: Plan): string | undefined => sections(plan)[0]?.[0]

  test('names command, digest, organization, owner and requests, and counts no writes for a plan', () => {
    expect(header(aPlan([step('x', deleteSet('a', {}))], { requests: { reads: 2, writes: 1 } }))).toBe(
      'setpoint plan 3f9a1c2b7d4e   acme/platform   app.terraform.io   2 reads',
    )
  })

  test('says SANDBOX for the embedded service, and shows http in other addresses', () => {
    expect(header(aPlan([], { address: 'sandbox' }))).toContain('acme/platform   SANDBOX')
    expect(header(aPlan([], { address: 'http://127.0.0.1:8080' }))).toContain(
      'acme/platform   http://127.0.0.1:8080',
    )
  })
})

describe('sets', () => {
  test('are sorted: deleted, changed, renamed, created, each by name', () => {
    const lines = shown(
      step('1', deleteSet('d', {})),
      step('2', createSet('c', {})),
      step('3', updateSet(settings('old'), settings('renamed'))),
      step('4', create('b', text('env/X', '1'))),
      step('5', create('a', text('env/X', '1'))),
    )
    expect(lines).toEqual([
      '- d               empty, pruned: no file declares it',
      '~ a               + env X  1',
      '~ b               + env X  1',
      '~ old -> renamed  renamed, same id',
      '+ c               empty',
    ])
  })

  test('with the same name are separate: one is deleted, another takes its name', () => {
    expect(
      shown(
        step('1', deleteSet('a', {})),
        step(
          '2',
          { ...updateSet(settings('b'), settings('a')), subject: subjectOf('a', 'varset-b') },
          undefined,
          ['1'],
        ),
      ),
    ).toEqual(['- a       empty, pruned: no file declares it', '~ b -> a  renamed, same id'])
  })

  test('with a split update are one block', () => {
    const middle = settings('b', { global: false })
    expect(
      shown(
        step('1', {
          ...updateSet(settings('a', { global: true }), settings('a')),
          subject: subjectOf('b', 'varset-1'),
        }),
        step('2', { ...updateSet(settings('a'), middle), subject: subjectOf(middle.name, 'varset-1') }),
      ),
    ).toEqual(['~ a -> b  renamed, same id, global', '    ~ global  true -> false'])
  })

  test('show their place at the end; deleted sets show the place of their removal', () => {
    expect(
      shown(
        step('1', create('a', text('env/X', '1')), at('sets/a.yaml', 7)),
        step('2', deleteSet('b', {}), at('sets/b.yaml', 1)),
      ),
    ).toEqual(['- b  empty   sets/b.yaml:1', '~ a  + env X  1   sets/a.yaml:7'])
  })
})

describe('a variable', () => {
  test('shows old and new value, quoted if they are ambiguous', () => {
    expect(
      shown(
        step('1', update('a', text('env/A', ''), text('env/A', 'a b'))),
        step('2', update('a', text('env/B', '(secret)'), text('env/B', '{"k": 1}'))),
        step('3', update('a', text('env/C', 'x -> y'), text('env/C', 'it\'s "it"'))),
      ),
    ).toEqual([
      '~ a  3 variables',
      '    ~ env A  "" -> "a b"',
      `    ~ env B  "(secret)" -> '{"k": 1}'`,
      '    ~ env C  "x -> y" -> "it\'s \\"it\\""',
    ])
  })

  test.each([
    [
      'abc\n',
      'abc',
      '-1 +1 lines, removes the final newline',
      ['- abc', '\\ newline at end', '+ abc', '\\ no newline at end'],
    ],
    ['a\r\nb', 'a\nb', '-1 +1 lines, only line endings differ', ['- a\\r', '+ a', '  b']],
  ])('shows line endings if only these differ: %j to %j', (before, after, note, lines) => {
    const changed = aPlan([step('1', update('a', text('terraform/A', before), text('terraform/A', after)))])
    const options = { color: false }
    const report = { kind: 'plan', plan: changed } as const
    for (const words of [note, ...lines]) expect(renderers.text(report, options)).toContain(words)
    const marked = lines.map(line => `\n${line[0]}     ${line.slice(2)}\n`)
    for (const words of [note, ...marked]) expect(renderers.markdown(report)).toContain(words)
    const page = pageText(renderers.html(report))
    for (const words of [note.split(', ')[1] ?? '', ...lines]) expect(page).toContain(words)
  })

  test('shows only the other fields if its value is equal', () => {
    const before = text('terraform/A', 'x\n', { description: 'old' })
    expect(
      shown(step('1', update('a', before, text('terraform/A', 'x\n', { description: 'new', hcl: true })))),
    ).toEqual(['~ a  ~ terraform A  description: old -> new, hcl: false -> true'])
  })

  test('with a secret shows no value', () => {
    expect(
      shown(
        step('1', update('a', hidden('env/A'), secret('env/A', '2026-11'))),
        step('2', create('a', { ...secret('env/B'), value: { secret: { name: 'ROOT' } } })),
        step('3', remove('a', hidden('env/C'))),
      ),
    ).toEqual([
      '~ a  3 variables, 1 secret lost',
      '    ~ env A  (secret) version 2026-11',
      '    + env B  (secret ROOT)',
      '    - env C  (secret), irreversible',
    ])
  })

  test('with an external value keeps it', () => {
    expect(shown(step('1', update('a', text('env/A', 'live'), external('env/A', 'Elsewhere.'))))).toEqual([
      '~ a  ~ env A  (external), description: "" -> Elsewhere.',
    ])
  })

  test('that is replaced is one entry', () => {
    expect(
      shown(
        step('1', remove('a', hidden('env/A'), true)),
        step('2', create('a', text('env/A', 'plain'), true), undefined, ['1']),
        step('3', remove('a', hidden('terraform/B', false), true)),
        step('4', create('a', { ...secret('terraform/B'), hcl: true }, true), undefined, ['3']),
      ),
    ).toEqual([
      '~ a  2 variables, 1 secret lost',
      '    ~ env A        (secret) -> (not shown), replaced, irreversible',
      '    ~ terraform B  (secret), replaced, hcl: false -> true',
    ])
  })

  test('that moves names both sets', () => {
    expect(
      shown(
        step('1', remove('a', text('env/X', '1'))),
        step('2', create('b', text('env/X', '1')), undefined, ['1']),
      ),
    ).toEqual(['~ a  - env X  1, moves to b', '~ b  + env X  1, moves here from a'])
  })

  test('with a value of the maximum length shows the lines that differ', () => {
    const line = (at: number) => `${at}`.padStart(31, '0')
    const long = Array.from({ length: 8_191 }, (_, at) => line(at))
    const changed = long.with(4_000, 'changed')
    const both = [text('env/X', long.join('\n')), text('env/X', changed.join('\n'))] as const
    expect(shown(step('1', update('a', ...both)))).toEqual([
      '~ a  1 variable',
      '    ~ env X  -1 +1 lines',
      `          ${line(3_998)}`,
      `          ${line(3_999)}`,
      `        - ${line(4_000)}`,
      '        + changed',
      `          ${line(4_001)}`,
      `          ${line(4_002)}`,
    ])
  })

  test('with a rewritten value shows the number of lines, and whether some are the same', () => {
    const lines = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => `${from + at}\n`).join('')
    const shownOf = (before: string, after: string) =>
      shown(step('1', update('a', text('env/X', before), text('env/X', after)))).at(-1)
    expect(shownOf(lines(600, 0), lines(700, 9_000))).toBe('~ a  ~ env X  rewritten: 600 lines -> 700 lines')
    const apart = [lines(600, 0), lines(600, 9_000)].join('stays\n')
    expect(shownOf(apart, lines(2_000, 20_000).replace('21000', 'stays'))).toBe(
      '~ a  ~ env X  partly rewritten: 1,201 lines -> 2,000 lines',
    )
  })

  test('with a huge value shows only sizes', { tags: ['F-71'] }, () => {
    const huge = `${'x'.repeat(99)}\n`.repeat(3_000)
    expect(shown(step('1', update('a', text('env/X', huge), text('env/X', 'x\n'))))).toEqual([
      '~ a  ~ env X  (293 KiB, 3,000 lines) -> (2 bytes, 1 line)',
    ])
  })
})

describe('assignments', () => {
  test('show names if known, otherwise ids, and only the first few', () => {
    const ids = ['ws-4', 'ws-3', 'ws-2', 'ws-1', 'ws-0'] as const
    const plan = aPlan(
      [
        step('1', assign('a', { kind: 'workspaces', ids })),
        step('2', unassign('a', { kind: 'projects', ids: ['prj-1'] }), undefined, ['1']),
      ],
      { names: { 'ws-1': 'one', 'ws-2': 'two', 'prj-1': 'payments' } },
    )
    expect(shownIn(plan)).toEqual([
      '~ a  +5 workspaces, -1 project',
      '    + 5 workspaces  one, two, ws-0 and 2 more',
      '    - project       payments',
    ])
  })
})

describe('secrecy', () => {
  const CANARY = 'canary-3141592653'
  const plans: Readonly<Record<string, Plan>> = {
    'a readable value that becomes a secret': aPlan([
      step('1', update('a', text('env/A', CANARY), secret('env/A'))),
    ]),
    'a readable value that is replaced by a secret': aPlan([
      step('1', remove('a', text('env/A', CANARY), true)),
      step('2', create('a', secret('env/A'), true)),
    ]),
    'a readable value that moves and becomes a secret': aPlan([
      step('1', remove('a', text('env/A', CANARY))),
      step('2', createSet('b', { variables: [secret('env/A')] }), undefined, ['1']),
    ]),
    'a deleted set whose variable is a secret elsewhere': aPlan([
      step('1', deleteSet('a', { variables: [text('env/A', CANARY)] })),
      step('2', create('b', secret('env/A'))),
    ]),
    'a secret that becomes readable': aPlan([
      step('1', remove('a', hidden('env/A'), true)),
      step('2', create('a', text('env/A', CANARY), true)),
    ]),
    'a secret that becomes readable in place': aPlan([
      step('1', update('a', hidden('env/A'), text('env/A', CANARY))),
    ]),
  }

  test.each(Object.keys(plans))('hides both sides of %s', title => {
    const plan = plans[title]
    if (plan === undefined) throw new Error(title)
    for (const render of Object.values(renderers)) {
      expect(render({ kind: 'plan', plan }, { color: false })).not.toContain(CANARY)
      expect(render({ kind: 'drift', plan }, { color: false })).not.toContain(CANARY)
    }
  })

  test('shows readable values of the same key in a set that keeps them readable', () => {
    const plan = aPlan([
      step('1', update('dev', text('env/A', 'one'), text('env/A', 'two'))),
      step('2', update('prod', hidden('env/A'), secret('env/A'))),
    ])
    expect(shownIn(plan)).toEqual(['~ dev   ~ env A  one -> two', '~ prod  ~ env A  (secret)'])
  })
})

test('a service without differences is reported in one line', () => {
  expect(sections(aPlan([], { facts: { equalSets: 1 } }))).toEqual([
    ['setpoint plan 3f9a1c2b7d4e   acme/platform   app.terraform.io   1 read', 'No changes. 1 set equal.'],
  ])
  expect(planDoc({ kind: 'drift', plan: aPlan([], { facts: { equalSets: 2 } }) }).headline).toEqual([
    'No drift. 2 sets equal.',
  ])
})

test('a drift report has nothing to approve', () => {
  const doc = planDoc({
    kind: 'drift',
    plan: aPlan([step('1', deleteSet('a', {}))], {
      blocks: [{ code: 'protected-name', message: 'x', item: { kind: 'set', set: 'a' } }],
    }),
  })
  expect(doc.digest).toBeUndefined()
  expect(doc.sections.flatMap(({ rows }) => rows.flatMap(({ mark }) => mark ?? []))).not.toContain('BLOCKED')
})
