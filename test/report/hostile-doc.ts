import fc from 'fast-check'
import { type Doc, type Row, title } from '../../src/report/doc.ts'
import {
  became,
  command,
  message,
  name,
  type Phrase,
  place,
  say,
  value,
  words,
} from '../../src/report/phrase.ts'
import { hostileText } from './hostile.ts'

/** A document with these texts wherever a text of others may stand, in every form of section. */
export function docWith(texts: readonly string[]): Doc {
  const [a = '', b = '', c = '', d = '', e = '', path = ''] = texts
  const source = { path, line: 3, column: 1 }
  const each: Phrase[] = [
    [name(a)],
    say`${value(b)}, ${words('(secret)', 'quiet')} ${message(c)}`,
    say`${command(d)} at ${place(source)}: ${became([value(e)], [value(a)])}`,
  ]
  const inside: Row[] = [
    { mark: '~', cells: each, source },
    { mark: '-', cells: [[{ kind: 'message', text: b }]], rows: [{ cells: [[value(c)]], source }] },
  ]
  const rows: Row[] = [
    { mark: '-', cells: each, source },
    { mark: '~', cells: [[name(e)], [value(d)]], source, rows: inside },
    { mark: 'lost', tone: 'bad', cells: [each[0] ?? []], rows: inside, folded: true },
  ]
  const sections = (['calls', 'changes', 'list', 'lines'] as const).flatMap(form => [
    { form, rows, title: title`Some of ${3} things` },
    { form, rows, folded: true },
    { form, rows, columns: ['set', [name(a)], [value(b)]] },
  ])
  return {
    command: 'plan',
    digest: 'a'.repeat(64),
    about: each,
    headline: each[1] ?? [],
    tone: 'bad',
    sections,
  }
}

export const HARMLESS_DOC = docWith(['one', 'two', 'three', 'four', 'five', 'sets/a.yaml'])

export const hostileDocs: fc.Arbitrary<Doc> = fc
  .array(hostileText, { minLength: 6, maxLength: 6 })
  .map(docWith)
