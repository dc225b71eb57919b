import fc from 'fast-check'
import { parseLiteral } from '../../src/config/hcl-literal.ts'
import { compareText } from '../../src/model/diagnostic.ts'
import type { VariableKey } from '../../src/model/ids.ts'
import type {
  DesiredSet,
  DesiredValue,
  DesiredVariable,
  RemovedSet,
  TargetRef,
} from '../../src/model/variable-set.ts'

const SOURCE = { path: 'x', line: 1, column: 1 }

/** The most hostile text that a file can contain: no U+0000, no lone surrogates. */
export const text = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }) },
  fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', '')),
  fc
    .array(
      fc.constantFrom(
        ...'abc 019.-_~:#{}[],&*!|>\'"%@`?=<\\/'.split(''),
        '\n',
        '\n\n',
        ' \n',
        '\t',
        '\r\n',
        '\r',
        '\n  ',
        '\u0085',
        '\u2028',
        '\ufeff',
        '\u202e',
        '\u200b',
        '\ud83d\ude00',
        'é',
        'e\u0301',
        '<<',
        '...',
        '---',
        '${',
        '%{',
      ),
    )
    .map(parts => parts.join('')),
  fc.constantFrom(
    'null',
    '~',
    'true',
    'NO',
    'y',
    '1.10',
    '0x1f',
    '<<',
    '---',
    '...',
    '# x',
    'a: b',
    '- a',
    '? a',
    '[',
    '{}',
    'x'.repeat(1100),
    'a\nb\n',
    'a\n\n\n',
    '\n',
    ' a\nb',
    'a\n b\n\tc',
    'a\n<<<<<<<',
    '<<<<<<< x\ny',
    '__proto__',
    'constructor',
  ),
)
const name = text.filter(value => /\S/.test(value))
/** Names that do not clash: equal after normalisation means equal. */
const composed = name.map(value => value.normalize('NFC'))
const id = (prefix: string) =>
  fc
    .string({ unit: fc.constantFrom(...'aB3'.split('')), minLength: 16, maxLength: 16 })
    .map(rest => prefix + rest)

type Prefix = 'ws-' | 'prj-' | 'st-'

const target = (prefix: Prefix): fc.Arbitrary<TargetRef<string>> =>
  fc.oneof(
    id(prefix).map(value => ({ id: value, source: SOURCE })),
    fc.oneof(name, id(prefix)).map(value => ({ name: value, source: SOURCE })),
  )
const targets = (prefix: Prefix) =>
  fc.uniqueArray(target(prefix), { maxLength: 4, selector: one => JSON.stringify(one) })

const secret: fc.Arbitrary<DesiredValue> = fc
  .record(
    {
      name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/),
      version: text.filter(value => value !== ''),
      allowEmpty: fc.constant(true),
    },
    { requiredKeys: ['name'] },
  )
  .map(value => ({ secret: value as { name: string } }))

const variable: fc.Arbitrary<DesiredVariable> = fc
  .record({
    category: fc.constantFrom('env', 'terraform'),
    key: composed,
    content: fc.oneof(
      { weight: 3, arbitrary: fc.record({ value: text.map(value => ({ text: value })), hcl: fc.boolean() }) },
      fc.record({ value: secret, hcl: fc.boolean() }),
      fc.record({ value: fc.constant({ external: true } as const), hcl: fc.boolean() }),
    ),
    description: fc.oneof(fc.constant(''), text),
  })
  .map(({ category, key, content, description }) => ({
    key: `${category}/${key}` as VariableKey,
    value: content.value,
    // Code that is no literal value is not valid in a file.
    hcl:
      category === 'terraform' &&
      content.hcl &&
      !('text' in content.value && 'mistake' in parseLiteral(content.value.text)),
    description,
    source: SOURCE,
  }))

const set = fc
  .record(
    {
      name: composed,
      description: text,
      global: fc.boolean(),
      priority: fc.boolean(),
      variables: fc.uniqueArray(variable, { maxLength: 6, selector: one => one.key }),
      previousNames: fc.uniqueArray(
        name.map(value => `was ${value}`),
        { maxLength: 2 },
      ),
      workspaces: targets('ws-'),
      projects: targets('prj-'),
      stacks: targets('st-'),
      project: target('prj-'),
      id: id('varset-'),
    } satisfies Record<
      Exclude<keyof DesiredSet, 'accept' | 'serviceName' | 'groups' | 'key' | 'source'>,
      unknown
    >,
    { requiredKeys: ['name', 'description', 'global', 'priority', 'variables', 'previousNames'] },
  )
  .map(
    value =>
      ({
        ...value,
        // A global set belongs to the organization.
        project: value.global ? undefined : value.project,
        variables: value.variables.toSorted((a, b) => compareText(a.key, b.key)),
        source: SOURCE,
      }) as DesiredSet,
  )

const removed: fc.Arbitrary<RemovedSet> = fc.oneof(
  id('varset-').map(value => ({ id: `varset-${value.slice(7)}` as const, source: SOURCE })),
  fc
    .oneof(
      name.map(value => `gone ${value}`),
      id('varset-'),
    )
    .map(value => ({ name: value, source: SOURCE })),
)

/** Sets and removals with the most hostile names, keys and values that files can contain. Some of them conflict. */
export const arbitraryState = fc.record({
  sets: fc.uniqueArray(set, { maxLength: 4, selector: one => one.name }),
  removed: fc.uniqueArray(removed, { maxLength: 3, selector: one => JSON.stringify(one) }),
})
