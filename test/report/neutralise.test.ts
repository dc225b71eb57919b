import { describe, expect, test } from 'vitest'
import { inertJson } from '../../src/model/json.ts'
import {
  codeBlock,
  codeCell,
  codeSpan,
  cropped,
  quotedText,
  sealLines,
  shellWord,
  terminalText,
} from '../../src/report/neutralise.ts'
import { commandsIn, isUnseen } from './oracles.ts'

describe('text for a terminal', () => {
  test('escapes every code point that is a control or invisible, and no other', () => {
    const wrong: string[] = []
    for (let code = 0; code <= 0x10_ffff; code++) {
      const character = String.fromCodePoint(code)
      const out = terminalText(`a${character}b`)
      const isKept = out === `a${character}b`
      if (
        isUnseen(code) || code === 0x0a
          ? !/^a(\\n|\\r|\\t|\\u\{[0-9a-f]+\})b$/.test(out)
          : !isKept && isAssigned(character)
      )
        wrong.push(`U+${code.toString(16)} ${out}`)
    }
    expect(wrong).toEqual([])
  })

  test('escapes line endings and tabs', () => {
    expect(terminalText('a\nb\tc\rd')).toBe('a\\nb\\tc\\rd')
  })

  test.each([
    ['##[group]x', '\\u{23}#[group]x'],
    ['a ###[x] b', 'a #\\u{23}#[x] b'],
    ['##VSO[task.setvariable]x', '\\u{23}#VSO[task.setvariable]x'],
    ['##teamcity[x]', '\\u{23}#teamcity[x]'],
    ['::error::x', '\\u{3a}:error::x'],
    ['a::b', 'a::b'],
    ['## [x]', '## [x]'],
  ])('disables commands, and changes nothing else: %j', (text, expected) => {
    expect(terminalText(text)).toBe(expected)
  })
})

/** Unassigned format characters and fillers are escaped as well; Unicode has few of them. */
const isAssigned = (character: string): boolean => !/[\p{Cf}\p{DI}\p{Zs}]/u.test(character)

test.each([
  ['eu-west-1', 'eu-west-1'],
  ['https://a.example/b_c', 'https://a.example/b_c'],
  ['Grüße', 'Grüße'],
  ['', '""'],
  ['a b', '"a b"'],
  ['->', '"->"'],
  ['(secret)', '"(secret)"'],
  ['["a"]', `'["a"]'`],
  [`"it's"`, `"\\"it's\\""`],
  ['\\u{1b}', '"\\\\u{1b}"'],
  ['\u001b', '"\\u{1b}"'],
  ['a\u3164', '"a\\u{3164}"'],
])('%j is quoted as %s', (text, expected) => {
  expect(quotedText(text)).toBe(expected)
})

test.each([
  ['network-*', "'network-*'"],
  ["a'b", "'a'\\''b'"],
  ['plain.name', 'plain.name'],
  ['$(x)', "'$(x)'"],
])('%j is quoted for a shell as %s', (text, expected) => {
  expect(shellWord(text)).toBe(expected)
})

test('sealing finds commands that are split into two pieces, also with colours', () => {
  const sealed = sealLines(
    '  :\u001b[31m:error::x\n\t::b::\nfine: ::c::\n# ##[x]\n\u001b[1m::a::\u001b[22m\n',
  )
  expect(sealed).toBe(
    '  \\u{3a}\u001b[31m:error::x\n\t\\u{3a}:b::\nfine: ::c::\n# \\u{23}#[x]\n\u001b[1m\\u{3a}:a::\u001b[22m\n',
  )
  expect(commandsIn(sealed)).toEqual([])
})

test.each([
  ['a', '`a`'],
  ['', '` `'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  [' a ', '`  a  `'],
  ['``` x', '```` ``` x ````'],
  ['a\nb', '`a\\nb`'],
  ['<b>@x</b>', '`<b>@x</b>`'],
])('%j is code in Markdown as %s', (text, expected) => {
  expect(codeSpan(text)).toBe(expected)
})

test.each([
  ['a|b', '`a\\|b`'],
  ['a\\|b', '`a\\\\u{7c}b`'],
  ['a\\\\|b', '`a\\\\\\u{7c}b`'],
])('%j stays one cell of a table as %s', (text, expected) => {
  expect(codeCell(text)).toBe(expected)
})

test('a code block has a longer fence than any inside it', () => {
  expect(codeBlock(['a', '```', '````diff'], 'diff')).toBe('`````diff\na\n```\n````diff\n`````')
})

test('cropping states the original length and never splits a character', () => {
  expect(cropped('abcdef', 3)).toBe('abc… (6 characters)')
  expect(cropped('ab🎉def', 3)).toBe('ab… (7 characters)')
  expect(cropped('abc', 3)).toBe('abc')
})

test('JSON escapes invisible characters and still parses to the same value', () => {
  const value = { a: '##[x] ###[y]\u202e\u{e0041}\u2028\ud800\u00a0', '\u200b': ['##teamcity[', '\\##[x'] }
  const out = inertJson(`${JSON.stringify(value, undefined, 2)}\n`)
  expect(JSON.parse(out)).toEqual(value)
  expect(/^[\x20-\x7e\n]*$/.test(out)).toBe(true)
  expect(commandsIn(out)).toEqual([])
})
