import fc from 'fast-check'

/** Characters with a meaning in YAML, so that most texts are nearly valid. */
export const MUTATIONS: readonly string[] = [
  ...['a', 'b:', 'key: ', 'k: v', ': ', ':', ' ', '  ', '- ', '-', '\n', '\n  ', '\n    ', '\n- ', '\n  - e'],
  ...[
    '\n  c: d',
    '"x"',
    "'y'",
    "''",
    '"',
    "'",
    '\\',
    '[',
    ']',
    '{',
    '}',
    ', ',
    ',',
    '[a, b]',
    '{ a: b }',
    '[]',
  ],
  ...[
    '#',
    ' # c',
    '\n# c',
    '&a',
    '*a',
    '!t',
    '|',
    '|\n',
    '|-\n    x',
    '|+',
    '>',
    '>-\n',
    '%',
    '@',
    '`',
    '~',
    '?',
    '? ',
  ],
  ...[
    '---',
    '\n---\n',
    '...',
    '\n...\n',
    '<<',
    '\t',
    '\r\n',
    '\r',
    '=',
    '^',
    '$',
    '(',
    '+',
    ';',
    '<',
    '-1',
    '.5',
  ],
  ...['1.10', 'null', 'a b', 'x/y', ':a', 'a#b', 'a:b', 'é', '\u00a0', '\u2028', '\u0085', '\ufeff', '𝒳'],
]

const pieces = fc
  .record({
    head: fc.constantFrom('', 'k: ', 'a:\n  b: ', 'a:\n- b\n', 'a: |\n  '),
    pieces: fc.array(fc.constantFrom(...MUTATIONS), { maxLength: 9 }),
  })
  .map(record => record.head + record.pieces.join(''))

const plain = fc.constantFrom(
  ...[
    'a',
    'a b',
    '1.10',
    'x:y',
    '"a b"',
    '"a: # b"',
    "'it s'",
    "''",
    '""',
    '~',
    '-1',
    'a#b',
    'https://a.b/c',
    'a, b',
  ],
  ...[
    '[a, b]',
    '{ a: b, c: [d, e] }',
    '[]',
    '{}',
    '{ a: b c, d: "e" }',
    '|\n@@a\n@@ b\n\n@@c',
    '|-\n@@a\n@@b',
  ],
)
const odd = fc.constantFrom(
  ...[
    'x: y',
    '"\\n"',
    "'it''s'",
    'a #b',
    '{ a: {} }',
    '[[]]',
    '[a: b]',
    '[a, ]',
    '|',
    '>',
    '&a b',
    '*a',
    '!t a',
    '',
  ],
  ...[
    '  a',
    'a  ',
    'a\n   b',
    '?',
    '- a',
    '|\n\n@@a',
    '|\n@@a\n@ b',
    '|\n@@a\n@@\n',
    '|+\n@@a\n',
    '|2\n@@a',
    '|\n@@a\n\n\n',
  ],
)
const scalar = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: odd })
const rarely = (...texts: readonly string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 2, arbitrary: fc.constantFrom(...texts) })
const comment = rarely(' # c', '#c', '   ', ' #')
const between = rarely('\n', '# c\n', '   # c\n', ' \n', '\t\n', '        # c\n')
const key = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'key', 'a.b', 'a-b') },
  { weight: 1, arbitrary: fc.constantFrom('"q"', '1', 'a b') },
)

/** A block map, mostly but not always with one indentation. */
function block(depth: number): fc.Arbitrary<string[]> {
  const inline = fc
    .tuple(key, scalar, comment)
    .map(([name, value, end]) => `${name}: ${value.replaceAll('@', ' ')}${end}`.split('\n'))
  const list = fc
    .tuple(fc.constantFrom('', '  ', ' '), fc.array(scalar, { minLength: 1, maxLength: 3 }), comment)
    .map(([indent, items, end]) => [
      `list:${end}`,
      ...items.flatMap(item => `- ${item.replaceAll('@', ' ')}`.split('\n').map(line => indent + line)),
    ])
  const nested =
    depth === 0
      ? inline
      : fc
          .tuple(fc.constantFrom('  ', '  ', '    ', '    ', ' ', ''), comment, block(depth - 1))
          .map(([indent, end, lines]) => [`map:${end}`, ...lines.map(line => indent + line)])
  const entry = fc.tuple(fc.oneof(inline, inline, list, nested), between)
  return fc
    .array(entry, { minLength: 1, maxLength: 4 })
    .map(entries =>
      entries.flatMap(([lines, space]) => (space === '' ? lines : [...lines, space.slice(0, -1)])),
    )
}

const blocks = fc
  .tuple(
    rarely('---\n', '\n# c\n', '--- # c\n', '---a\n', '%a\n'),
    block(2),
    fc.constantFrom('\n', '', '\r\n'),
  )
  .map(([head, lines, end]) => head + lines.join(end === '' ? '\n' : end) + end)

/** Texts that are YAML or nearly YAML. */
export const arbitraryYaml: fc.Arbitrary<string> = fc.oneof(pieces, blocks, blocks)
