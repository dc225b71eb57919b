import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../src/report/formats.ts'
import { manyTexts } from '../report/hostile.ts'
import { commandsIn, obeyed, unseenIn } from '../report/oracles.ts'
import { foreignIn } from '../report/parsers.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'

/** Hostile files and arguments in every command. Its output must contain no workflow commands and no invisible characters. */
const TEXTS = manyTexts(900, 7)
const pieces = Array.from({ length: 15 }, (_, at) => TEXTS.slice(at * 60, at * 60 + 60))

const harmless = ({ stdout, stderr }: Ran): void => {
  for (const output of [stdout, stderr]) {
    expect(commandsIn(output)).toEqual([])
    expect(unseenIn(output)).toEqual([])
  }
}

/** YAML includes JSON, so hostile text can be written as JSON. */
function filesOf(texts: readonly string[], isBad: boolean): Record<string, string> {
  // Lone surrogates and NUL would be mistakes of their own.
  const text = (at: number): string =>
    isBad ? (texts[at] ?? '') : (texts[at] ?? '').replace(/[\p{Cs}\0]/gu, '')
  const sets = Array.from({ length: 4 }, (_, at) => {
    const own = (offset: number): string => text(at * 12 + offset)
    return [
      isBad ? own(0) : `${at}${own(0)}x`,
      {
        description: own(1),
        workspaces: [`w${at}`, isBad ? own(2) : `w${own(2).replaceAll('\n', '')}`],
        env: {
          A: own(3),
          [isBad ? own(4) : 'B']: `${own(5)}\n${own(6)}`,
          S: { secret: isBad ? own(7) : 'NAME' },
        },
        terraform: { c: { data: [own(8), { [own(9)]: own(10) }] }, d: { hcl: JSON.stringify(own(11)) } },
      },
    ] as const
  })
  return {
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': JSON.stringify({ variableSets: Object.fromEntries(sets) }),
    ...(isBad ? { 'sets/b.yaml': `${text(50)}\n${text(51)}: ${text(52)}\n` } : {}),
  }
}

const READING = [
  ['validate'],
  ['validate', '--resolved'],
  ['secrets'],
  ...['github', 'gitlab', 'dotenv'].map(format => ['secrets', '--format', format]),
  ['plan', '--sandbox', '--verbose', '--out', 'plan.json'],
  ...FORMATS.filter(format => format !== 'text').map(format => ['plan', '--sandbox', '--format', format]),
]
const WRITING = [
  ['show', 'plan.json'],
  ['show', 'plan.json', '--format', 'markdown'],
  ['apply', 'plan.json', '--sandbox', '--report', 'json=report.json'],
  ['drift', '--sandbox'],
  ['export', '--sandbox'],
  ['snapshot', '--sandbox'],
  ['snapshot', '--sandbox', '--out', 'snapshot.json'],
  ['plan', '--snapshot', 'snapshot.json'],
  ['explain', '--sandbox', 'w0'],
]

describe('files with hostile text', () => {
  test('do no harm in any command if they are valid', async () => {
    for (const piece of pieces.slice(0, 6)) {
      const cwd = aDirectory(filesOf(piece, false))
      const ran: Ran[] = []
      for (const argv of [...READING, ...WRITING])
        ran.push(await run(argv, { cwd, env: { SETPOINT_SECRET_NAME: 'value-of-the-secret' } }))
      ran.forEach(harmless)
      expect(ran.flatMap(({ stdout }) => (stdout.startsWith('<!--') ? foreignIn(stdout) : []))).toEqual([])
      expect(ran.filter(({ stdout }) => stdout.startsWith('<!--'))).toHaveLength(2)
      expect(
        ran.map(({ code, stderr }) =>
          code === 0 ? '' : (stderr.match(/^.* error .*\n.*$/gm) ?? []).join('; '),
        ),
      ).toEqual(ran.map(() => ''))
      // A job may print these files.
      for (const file of ['plan.json', 'report.json', 'snapshot.json'])
        harmless({ code: 0, stdout: readFileSync(join(cwd, file), 'utf8'), stderr: '' })
      writeFileSync(join(cwd, 'sets/a.yaml'), JSON.stringify({ variableSets: {} }))
      harmless(await run(['drift', '--sandbox'], { cwd }))
    }
  })

  test('do no harm if they are full of mistakes', async () => {
    for (const piece of pieces) {
      const cwd = aDirectory(filesOf(piece, true))
      for (const argv of READING.slice(0, 7)) harmless(await run(argv, { cwd }))
    }
  })

  test('cause no annotations in GitHub Actions except errors and warnings of Setpoint', async () => {
    for (const piece of pieces.slice(0, 8)) {
      const cwd = aDirectory(filesOf(piece, true))
      const { stdout, stderr } = await run(['validate'], { cwd, env: { GITHUB_ACTIONS: 'true' } })
      expect(commandsIn(stdout)).toEqual([])
      const commands = commandsIn(stderr).map(line => obeyed(line))
      expect(commands.length).toBeGreaterThan(0)
      const names = new Set(commands.map(command => command?.name))
      expect([...names].filter(name => name !== 'error' && name !== 'warning')).toEqual([])
      for (const command of commands)
        expect(Object.keys(command?.properties ?? {}).filter(name => !PROPERTIES.has(name))).toEqual([])
    }
  })
})

const PROPERTIES = new Set(['file', 'line', 'col', 'title'])

test('arguments with hostile text do no harm', async () => {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': 'variableSets: { a: {} }\n',
  })
  for (const text of TEXTS.slice(0, 60)) {
    const lines = [
      [text],
      ['schema', text],
      ['show', text],
      ['comment', text],
      ['plan', '--sandbox', '--only', text],
      ['plan', '--sandbox', '--report', text],
      ['plan', '--format', text],
      ['apply', '--sandbox', '--approve', text],
      ['plan', `--${text}`],
    ]
    for (const argv of lines) harmless(await run(argv, { cwd }))
  }
})
