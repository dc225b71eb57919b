import fc from 'fast-check'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import {
  aPlan,
  aResult,
  assign,
  create,
  createSet,
  deleteSet,
  hidden,
  NO_FACTS,
  secret,
  settings,
  step,
  subjectOf,
  text,
  update,
  updateSet,
} from './build.ts'
import { TOKENS } from './tokens.ts'

/** Text that tries to make a terminal, a runner or a Markdown parser do something. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 8 }).map(parts => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
)

/**
 * Many such texts, the same for the same seed. Made without a library, because there are many: mostly of tokens, some with
 * other characters in between.
 */
export function manyTexts(count: number, seed: number): string[] {
  let state = seed
  // A linear congruential generator with 32 bits. Its high bits are the good ones.
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const piece = (): string =>
    below(6) > 0
      ? (TOKENS[below(TOKENS.length)] ?? '')
      : String.fromCodePoint(below(8) > 0 ? below(0x3100) : below(0x11_0000))
  return Array.from({ length: count }, () => Array.from({ length: 2 + below(4) }, piece).join(''))
}

/** Eighteen texts, each in its place. */
export const textsFrom = (texts: readonly string[]): Texts => ({
  words: texts.slice(0, 10),
  values: texts.slice(10, 14),
  messages: texts.slice(14, 18),
})

/** The places of untrusted text in a report. `words` never contain line breaks; `values` and `messages` may. */
export interface Texts {
  readonly words: readonly string[]
  readonly values: readonly string[]
  readonly messages: readonly string[]
}

export const hostileTexts: fc.Arbitrary<Texts> = fc.record({
  words: fc.array(hostileText, { minLength: 10, maxLength: 10 }),
  values: fc.array(hostileText, { minLength: 4, maxLength: 4 }),
  messages: fc.array(hostileText, { minLength: 4, maxLength: 4 }),
})

export const HARMLESS: Texts = {
  words: Array.from({ length: 10 }, (_, i) => `word${i}`),
  values: Array.from({ length: 4 }, (_, i) => `value${i}`),
  messages: Array.from({ length: 4 }, (_, i) => `message${i}`),
}

/** Names may contain anything; steps of one set still belong together. */
const same = (name: string) => ({ subject: subjectOf(name, 'varset-same') })

const TWO = { count: 12, workspaces: ['ws-1', 'ws-2'], projects: [], others: false } as const

/** A plan with these texts in every place for untrusted text. One set for each sign, so that names do not decide the order. */
export function planWith({ words, values, messages }: Texts): Plan {
  const word = (i: number): string => words[i] ?? ''
  const val = (i: number): string => values[i] ?? ''
  const source = { path: word(9), line: 3, column: 1 }
  const before = settings(`old${word(0)}`, { description: word(1) })
  const after = settings(`new${word(0)}`, { description: `other ${word(1)}`, global: true })
  return aPlan(
    [
      step(
        'create',
        createSet(word(2), {
          description: word(3),
          variables: [text(`env/${word(4)}`, val(0)), secret(`terraform/${word(5)}`, word(6))],
          workspaces: ['ws-1', 'ws-2'],
        }),
        source,
      ),
      step(
        'delete',
        deleteSet(word(2), { variables: [hidden(`env/${word(4)}`), text('env/Z', val(1))] }),
        source,
      ),
      step('rename', { ...updateSet(before, after), ...same(after.name) }, source, ['delete']),
      step(
        'update',
        {
          ...update(
            after.name,
            text(`env/${word(7)}`, val(2)),
            text(`env/${word(7)}`, val(3), { description: word(8) }),
          ),
          ...same(after.name),
        },
        source,
      ),
      step(
        'new',
        {
          ...create(after.name, { ...secret('env/Y'), value: { secret: { name: word(5) } } }),
          ...same(after.name),
        },
        source,
      ),
      step(
        'assign',
        { ...assign(after.name, { kind: 'projects', ids: ['prj-1'] }), ...same(after.name) },
        source,
      ),
    ],
    {
      organization: word(0),
      owner: word(1),
      address: `https://${word(2)}`,
      only: [word(3)],
      names: { 'ws-1': word(4), 'prj-1': word(5) },
      blocks: [
        { code: 'protected-name', message: messages[0] ?? '', item: { kind: 'set', set: word(0) }, source },
      ],
      diagnostics: [
        {
          severity: 'warning',
          code: 'hcl-of-secret',
          message: messages[1] ?? '',
          hint: messages[2] ?? '',
          source,
        },
      ],
      facts: {
        equalSets: 3,
        outsideSelection: 2,
        transition: {
          ...{ workspaces: 12, seeing: 12, left: 0 },
          gaps: [
            {
              key: `env/${word(4)}`,
              before: { set: word(2) },
              after: { set: after.name },
              seen: { set: word(3), text: word(7) },
              between: [`delete-variable ${word(2)} env/${word(4)}`, `create-set ${word(0)}`],
              why: 'slot',
              ...TWO,
            },
          ],
        },
        received: {
          ...NO_FACTS.received,
          known: 12,
          changes: [
            {
              key: `env/${word(4)}`,
              kind: 'winner',
              why: 'name',
              before: { set: word(3) },
              after: { set: word(2), text: word(7) },
            },
            {
              key: `env/${word(4)}`,
              kind: 'winner',
              why: 'gone',
              before: { set: word(2) },
              after: { set: word(6), text: word(7) },
            },
            { key: `env/${word(4)}`, kind: 'value', before: { set: word(2) }, after: { set: word(2) } },
            { key: `env/${word(4)}`, kind: 'lost', before: { set: word(2) } },
          ],
          groups: [{ members: ['ws-1', 'ws-2'], changes: [0, 1, 2, 3] }],
        },
        exposure: [
          {
            kind: 'added',
            set: word(2),
            keys: [`env/${word(5)}`],
            global: true,
            priority: true,
            audience: { count: 0, workspaces: [], projects: [], others: true },
          },
        ],
      },
    },
  )
}

export function resultWith(texts: Texts): ApplyResult {
  const [message = ''] = texts.messages
  return aResult(
    planWith(texts),
    {
      update: { status: 'failed', message },
      new: { status: 'unknown', message },
      assign: { status: 'skipped', because: message },
      create: { status: 'succeeded', note: message },
    },
    { exitCode: 3, stopped: message, closing: { state: 'unread', message } },
  )
}
