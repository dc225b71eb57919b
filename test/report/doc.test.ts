import { expect, test } from 'vitest'
import { type Doc, type Row, type Section, title } from '../../src/report/doc.ts'
import { name, type Phrase, say, value, words } from '../../src/report/phrase.ts'
import { markdownOf } from '../../src/report/print-markdown.ts'
import { textOf } from '../../src/report/print-text.ts'

const source = { path: 'sets/a.yaml', line: 3, column: 1 }
const OLD = { path: 'sets/old.yaml', line: 9, column: 1 }

const DOC: Doc = {
  command: 'plan',
  digest: '0123456789abcdef'.repeat(4),
  about: [[name('acme')], ['SANDBOX'], [words('2 reads', 'quiet')]],
  headline: ['2 sets change'],
  sections: [
    {
      form: 'calls',
      title: title`Review first`,
      rows: [
        { mark: 'lost', tone: 'bad', cells: [say`${name('db')} ${name('GONE')}`, ['deleted']], source },
        { mark: 'unknown', cells: [[], ['of no set']] },
        {
          mark: 'secret',
          cells: [[name('db')], say`newly in ${name('a')}`],
          folded: true,
          rows: [{ cells: [['more']] }],
        },
      ],
    },
    {
      form: 'changes',
      columns: ['set', 'what'],
      rows: [
        { mark: '-', cells: [[name('old')], ['1 variable']], source: OLD },
        {
          mark: '~',
          cells: [[name('db')], ['2 variables'], ['1 secret']],
          source,
          rows: [
            { mark: '~', cells: [say`env ${name('A')}`, say`${value('x')} -> ${value('y')}`], source },
            { mark: '+', cells: [say`env ${name('LONGER')}`, [words('(secret)', 'quiet')]], source },
          ],
        },
      ],
    },
    { form: 'list', title: title`Warnings`, rows: [{ mark: 'warning', cells: [['odd']], source }] },
    {
      form: 'lines',
      rows: [
        { mark: 'Workspaces', cells: [['2 affected']] },
        { mark: 'Cost', cells: [['1']] },
      ],
    },
    { form: 'list', title: title`Effect on ${2} workspaces`, folded: true, rows: [{ cells: [[name('w')]] }] },
    { form: 'list', title: title`Nothing`, rows: [] },
  ],
}

test('text has columns, places at the end, and what is folded only with --verbose', () => {
  expect(textOf(DOC, { color: false })).toBe(`setpoint plan 0123456789ab   acme   SANDBOX   2 reads
2 sets change
Review first
  lost     db GONE  deleted
  unknown  of no set
  secret   db       newly in a

- old  1 variable   sets/old.yaml:9
~ db   2 variables  1 secret   sets/a.yaml:3
    ~ env A       x -> y
    + env LONGER  (secret)

Warnings
  warning  odd   sets/a.yaml:3

Workspaces  2 affected
Cost        1
`)
  const verbose = textOf(DOC, { color: false, verbose: true })
  expect(verbose).toContain('  secret   db       newly in a\n      more\n')
  expect(verbose).toContain('\nEffect on 2 workspaces\n  w\n')
})

test('a report of at most six lines has no blank ones', () => {
  const short = { ...DOC, sections: DOC.sections.slice(3, 4) }
  expect(textOf(short, { color: false })).not.toContain('\n\n')
})

test('at the width of a terminal, lines break between columns, then at words of ours, and never in a name, value or command', () => {
  const long = value('v v'.repeat(40))
  const cells = [
    [name('w'.repeat(20))],
    ['x'.repeat(20)],
    say`from ${name('y'.repeat(28))} (its project, rank 12)`,
  ]
  const rows: Row[] = [
    { mark: '~', cells },
    {
      mark: '+',
      cells: [say`sixteen words are too many for one line of this rather narrow terminal: ${long}`],
    },
  ]
  const lines = textOf({ ...DOC, sections: [{ form: 'changes', rows }] }, { color: false, width: 60 }).split(
    '\n',
  )
  expect(lines.slice(3)).toEqual([
    `~ ${'w'.repeat(20)}  ${'x'.repeat(20)}`,
    `    from ${'y'.repeat(28)} (its project, rank 12)`,
    '+ sixteen words are too many for one line of this rather',
    '    narrow terminal:',
    `    "${'v v'.repeat(40)}"`,
    '',
  ])
})

test('Markdown has a callout, a table and one block of what is below, and folds what text leaves out', () => {
  const link = ({ line }: { readonly line: number }) => `https://forge.test/L${line}`
  expect(markdownOf(DOC, { link })).toBe(`### Setpoint plan acme: 2 sets change

> [!CAUTION]
> **Review first**
>
> - **lost** \`db\` \`GONE\` deleted ([\`sets/a.yaml:3\`](https://forge.test/L3))
> - **unknown** of no set
> - **secret** \`db\` newly in \`a\`

| | set | what | where |
|-|-|-|-|
| - | \`old\` | 1 variable | [\`sets/old.yaml:9\`](https://forge.test/L9) |
| ~ | \`db\` | 2 variables 1 secret | [\`sets/a.yaml:3\`](https://forge.test/L3) |

<details open><summary>Details</summary>

\`\`\`diff
@@ ~ db  2 variables  1 secret @@
! env A       x -> y
+ env LONGER  (secret)
\`\`\`

</details>

**Warnings**

- **warning** odd ([\`sets/a.yaml:3\`](https://forge.test/L3))

**Workspaces** 2 affected

**Cost** 1

<details><summary>Effect on 2 workspaces</summary>

- \`w\`

</details>

plan \`${'0123456789abcdef'.repeat(4)}\` · SANDBOX · 2 reads
`)
})

test('in a cell of Markdown, the workspaces of a change stand apart from it, and a further line of a label has no mark', () => {
  const reach: Phrase = [words('in 2 workspaces', 'quiet')]
  const rows = [
    { cells: [[name('gone')], ['pruned: no file declares it'], reach] },
    { cells: [[name('own')], say`env ${name('A')}`, [words('(external)', 'quiet')], reach] },
    { cells: [[name('none')], reach] },
  ]
  const ways = [
    { mark: 'Accept', cells: [['a command']] },
    { mark: '', cells: [['by hand']] },
  ]
  const sections: Section[] = [
    { form: 'changes', columns: ['set', 'what'], rows },
    { form: 'lines', rows: ways },
  ]
  expect(
    markdownOf({ ...DOC, sections }, {})
      .split('\n')
      .slice(2, -2),
  ).toEqual([
    '| | set | what |',
    '|-|-|-|',
    '|  | `gone` | pruned: no file declares it, in 2 workspaces |',
    '|  | `own` | env `A` (external), in 2 workspaces |',
    '|  | `none` | in 2 workspaces |',
    '',
    '**Accept** a command',
    '',
    'by hand',
    '',
  ])
})

/** As many sets with one variable each; the last one is deleted. */
const many = (count: number): Doc => ({
  ...DOC,
  sections: [
    {
      form: 'changes',
      columns: ['set'],
      rows: [...Array(count).keys()].map(i => ({
        mark: i === count - 1 ? '-' : '~',
        cells: [[name(`set-${i}`)]],
        source,
        rows: [{ mark: '~', cells: [[name(`KEY_${i}`)]] }],
      })),
    },
  ],
})

test('what is too long is left out in whole rows: what is below first, deletions last; it says how many and where they are', () => {
  for (const limit of [1_000, 2_000, 5_000, 20_000, 65_536]) {
    const markdown = markdownOf(many(400), {
      limit,
      link: () => 'https://forge.test/',
      elsewhere: ['all.json'],
    })
    expect(markdown.length).toBeLessThanOrEqual(limit)
    const rows = markdown.match(/^\| [~-] \| `set-\d+` \|.*$/gm) ?? []
    expect(rows.at(-1)).toContain('| - | `set-399` |')
    const [first] = rows.slice(0, -1)
    expect(first).toContain('`set-0`')
    const left = 400 - rows.length
    expect(markdown.includes(`${left} more are left out here; see the log or \`all.json\`.`)).toBe(left > 0)
    const hunks = markdown.match(/^@@/gm)?.length ?? 0
    expect(hunks > 0).toBe(left === 0)
    expect(markdown.includes(`${400 - hunks} more are left out here`)).toBe(hunks < 400)
  }
})

test('several reports share the room, each whole in itself', () => {
  const parts = [many(300), many(300)]
  const markdown = markdownOf({ ...DOC, sections: [], parts }, { limit: 12_000 })
  expect(markdown.length).toBeLessThanOrEqual(12_000)
  expect(markdown.match(/^### Setpoint/gm)).toHaveLength(3)
  expect(markdown.match(/`set-299`/g)).toHaveLength(2)
  const none = markdownOf({ ...DOC, sections: [], parts }, { limit: 3_000 })
  expect(none).toContain('The 2 reports are left out here; see the log or another report.')
})
