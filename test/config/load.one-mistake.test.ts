import { expect, test } from 'vitest'
import { loadText } from './load-text.ts'

/** Each mistake is one finding, at its place, with a hint that names its cause. */
const TOKEN = ['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_')
const app = (body: string): string => `variableSets:\n  app:\n${body.replaceAll(/^/gm, '    ')}\n`

const MISTAKES: readonly (readonly [
  what: string,
  files: string | Uint8Array | Readonly<Record<string, string>>,
  finding: string,
  words: string,
])[] = [
  // A secret in place of its name.
  [
    'a token as the name of a secret',
    app(`env:\n  A: { secret: ${TOKEN} }`),
    '4:7 error looks-like-a-secret',
    'The name of the secret of "A" contains a GitHub token.',
  ],
  [
    'a token as its version',
    app(`env:\n  A: { secret: { name: A, version: ${TOKEN} } }`),
    '4:7 error looks-like-a-secret',
    'The version of the secret of "A"',
  ],
  [
    'a token in the description of a set',
    app(`env: { A: x }\ndescription: ${TOKEN}`),
    '4:5 error looks-like-a-secret',
    'The description of the set "app"',
  ],
  [
    'a token in the description of a group',
    {
      'groups.yaml': `groups:\n  g:\n    description: ${TOKEN}\n    workspaces: { web: ws-SihZTyXKfNXUWuUa }\n`,
      'sets/a.yaml': app('env: { A: x }'),
    },
    'groups.yaml:3:5 error looks-like-a-secret',
    'The description of the group "g"',
  ],
  // One character that YAML reads otherwise.
  [
    'UTF-16',
    new Uint8Array(Buffer.from('\ufeffvariableSets: {}\n', 'utf16le')),
    '1:1 error yaml-syntax',
    'Save it as UTF-8.',
  ],
  [
    'line endings of old Macs',
    'variableSets:\r  app:\r    env: { A: x }\r',
    '1:14 error yaml-syntax',
    'A lone carriage return is not a line break',
  ],
  [
    'a tab inside of a brace',
    'variableSets:\n  app:\n    env: {\n\tA: x }\n',
    '4:1 error yaml-syntax',
    'A tab cannot indent a line.',
  ],
  [
    'an unclosed quote inside of a brace',
    'variableSets:\n  app: { env: { A: "x } }\n',
    '2:20 error yaml-syntax',
    'opened here and never closed',
  ],
  [
    'a quote inside of single quotes',
    app("env:\n  A: 'it's'"),
    '4:13 error yaml-syntax',
    "write `''` for `'`",
  ],
  ['no space after a colon', app('env:\n  A:x'), '3:5 error wrong-type', 'Write a space after `:`.'],
  [
    'no space after a colon in a brace',
    app('env: {A:x, B: y}'),
    '3:11 error yaml-syntax',
    'Write a space after the `:` of a key.',
  ],
  [
    'no space after a dash',
    app('workspaces:\n  - a\n  -b'),
    '5:7 error yaml-syntax',
    'A `-` of a list needs a space after it.',
  ],
  [
    'no space after a dash at the key',
    app('workspaces:\n- a\n-b\nenv: { A: x }'),
    '5:5 error yaml-syntax',
    'A `-` of a list needs a space after it.',
  ],
  [
    'no space after each dash',
    app('workspaces:\n  -a\n  -b'),
    '3:5 error wrong-type',
    'Write a space after `-`.',
  ],
  [
    'a colour as a comment',
    app('env:\n  COLOR: #ff0000'),
    '4:7 error null-value',
    'A `#` behind a blank begins a comment.',
  ],
  // A key, a form or a name that is nearly right.
  [
    'a key in another case',
    {
      'groups.yaml': 'Groups:\n  g: { workspaces: { web: ws-SihZTyXKfNXUWuUa } }\n',
      'sets/a.yaml': app('env: { A: x }'),
    },
    'groups.yaml:1:1 error unknown-key',
    'Did you mean "groups"?',
  ],
  [
    'a version beside the secret',
    app('env:\n  A: { secret: DB, version: 2 }'),
    '4:24 error unknown-key',
    '`A: { secret: { name: DB, version: "2" } }`',
  ],
  [
    'hcl as a switch',
    app("terraform:\n  a: { value: '[1]', hcl: true }"),
    '4:7 error wrong-value',
    'Write the code under `hcl`, and remove `value`.',
  ],
  [
    'hcl as a switch beside data',
    app('terraform:\n  a: { data: [1], hcl: true }'),
    '4:7 error wrong-value',
    'Remove `hcl`.',
  ],
  [
    'groups in a set file',
    `${app('env: { A: x }')}groups: {}\n`,
    '4:1 error unknown-key',
    'Write it in groups.yaml',
  ],
  [
    'a name of whitespace',
    app('env: { A: x }').replace('app', '" "'),
    '2:3 error wrong-value',
    'is not a valid key',
  ],
  ['an empty key', app('env: { "": x }'), '3:12 error wrong-value', 'A key must not be empty.'],
  [
    'a control character in a name',
    app('env: { A: x }').replace('app', '"a\\tb"'),
    '2:3 warning odd-text',
    'has a control character (U+0009). Write `a b`.',
  ],
  [
    'a path in double quotes',
    app('terraform:\n  a: "C:\\build"'),
    '4:7 warning odd-text',
    'which `\\b` makes in double quotes',
  ],
  [
    'a value in typographic quotes',
    app('env:\n  A: \u201cx y\u201d'),
    '4:7 warning odd-text',
    'is in typographic quotes',
  ],
  [
    'a variable of the environment under terraform',
    app('terraform:\n  AWS_REGION: x'),
    '4:7 warning odd-text',
    'Move it to `env:`.',
  ],
  [
    'a reference of a configuration',
    app('terraform:\n  a: ${var.region}'),
    '4:7 warning literal-reference',
    'Setpoint does not replace',
  ],
]

test.each(['description', 'priority', 'global', 'env', 'previousNames'])(
  '%s beside the sets belongs in one',
  async key => {
    const { diagnostics } = await loadText(`${key}: x\n${app('env: { A: x }')}`)
    expect(diagnostics.map(({ source, hint }) => [source?.line, hint])).toEqual([
      [1, 'It belongs in a set. Indent it by four spaces, below the name of the set.'],
    ])
  },
)

test.each(MISTAKES)('%s is one finding at its place', async (_, files, finding, words) => {
  const { diagnostics } = await loadText(files, { setpoint: 'organization: acme\nowner: me\n' })
  expect(
    diagnostics.map(
      ({ source, severity, code }) => `${source?.path}:${source?.line}:${source?.column} ${severity} ${code}`,
    ),
  ).toEqual([/^[a-z.]+:\d/.test(finding) ? finding : `sets/a.yaml:${finding}`])
  expect(`${diagnostics[0]?.message} ${diagnostics[0]?.hint}`).toContain(words)
  expect(JSON.stringify(diagnostics)).not.toContain(TOKEN)
})

test.each([
  ['sets: sets', '"sets" is a directory.', 'sets/**/*.yaml'],
  ['sets: [./sets/]', '"sets" is a directory.', './sets/**/*.yaml'],
  ['owns: [""]', 'An item of "owns" cannot have this value.', 'Write a pattern of set names'],
  ['owns: []', '"owns" is empty.', 'Add an item, or remove the key.'],
  ['rules: rules/*.yaml', '"rules" is not a known key here.', 'Remove it.'],
  ['protect: [app]', '"protect" is not a known key here.', 'Write it under `guards:`.'],
])('in setpoint.yaml, %s says what to write', async (line, message, hint) => {
  const { diagnostics } = await loadText(app('env: { A: x }'), { setpoint: `organization: acme\n${line}\n` })
  expect(diagnostics.map(({ source, message }) => [source?.path, source?.line, message])).toEqual([
    ['setpoint.yaml', 2, message],
  ])
  expect(diagnostics[0]?.hint).toContain(hint)
})
