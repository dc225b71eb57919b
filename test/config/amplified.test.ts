import { describe, expect, test } from 'vitest'
import { resolveNames } from '../../src/api/names.ts'
import { loadDesired } from '../../src/config/load.ts'
import { suggest } from '../../src/model/suggest.ts'
import { inDirectory, loaded, loadText } from './load-text.ts'

/** Small files that ask for a lot. Before there were limits, each of these took minutes, or all of the memory. */
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('')

const SETPOINT = 'organization: acme\n'

/** What is wrong, by place; of what is counted and not listed the number. */
const found = async (...args: Parameters<typeof loadText>) =>
  (await loadText(...args)).diagnostics.map(({ code, source, message }) =>
    source === undefined ? `${code} ${message}` : `${source.path}:${source.line} ${code}`,
  )

describe('bases', () => {
  const taken = (keys: number, sets: number, entry: string) =>
    `bases:\n  b:\n    env:\n${lines(keys, at => `      K${at}: ${entry}`)}variableSets:\n${lines(sets, at => `  s${at}: { from: b }`)}`

  test('variables are counted as often as sets take them over', async () => {
    expect(await found(taken(10_000, 20_000, 'a'))).toEqual(['sets/a.yaml:10105 file-limit'])
    expect(await found(taken(3, 2, 'a'), { limits: { variables: 6 } })).toEqual([])
    expect(await found(taken(3, 2, 'a'), { limits: { variables: 5 } })).toEqual(['sets/a.yaml:9 file-limit'])
  })

  test('so are variables that a base requires', async () => {
    const all = await found(taken(10_000, 20_000, '{ required: true }'))
    expect(all).toHaveLength(102)
    expect(all[0]).toBe('sets/a.yaml:10005 required-value')
    expect(all.slice(-2)).toEqual([
      'sets/a.yaml:10105 file-limit',
      'required-value There are 999,900 more of this kind.',
    ])
  })

  test('the characters of values are counted as often as they are taken over', async () => {
    const long = 'x'.repeat(100_000)
    expect(await found(taken(1, 20_000, long))).toEqual(['sets/a.yaml:677 file-limit'])
    expect(await found(taken(1, 2, 'xyz'), { limits: { valueCharacters: 6 } })).toEqual([])
    expect(await found(taken(1, 2, 'xyz'), { limits: { valueCharacters: 5 } })).toEqual([
      'sets/a.yaml:7 file-limit',
    ])
  })
})

describe('texts of files', () => {
  const named = (count: number) => ({
    big: 'x'.repeat(8_000_000),
    'sets/a.yaml': `variableSets:\n  a:\n    env:\n${lines(count, at => `      K${at}: { file: ../big, notSecret: true }`)}`,
  })

  test('one that many variables name is read once, and counted for each', async () => {
    const codes = (await found(named(20_000))).filter(one => one.includes('file-limit'))
    expect(codes).toEqual(['sets/a.yaml:12 file-limit'])
    // Read once: it is 8 of these 9 MB.
    const all = await found(named(8), { limits: { totalBytes: 9_000_000 } })
    expect(all.filter(one => !one.includes('service-limit'))).toEqual([])
  })
})

test('a file that is refused is looked at once, however many variables name it', async () => {
  const files = {
    'setpoint.yaml': SETPOINT,
    big: Buffer.concat([Buffer.alloc(8_000_000, 'x'), Buffer.from([0xff])]),
    'sets/a.yaml': `variableSets:\n  a:\n    env:\n${lines(20_000, at => `      K${at}: { file: ../big }`)}`,
  }
  await inDirectory(files, async directory => {
    const { diagnostics } = await loadDesired({ directory })
    expect(diagnostics.map(({ code }) => code)).toEqual(Array(101).fill('unreadable-file'))
    expect(diagnostics.at(-1)?.message).toBe('There are 19,900 more of this kind.')
  })
})

describe('the same mistake again and again', () => {
  const sets = (body: string) => `variableSets:\n${body}`
  const variables = (body: string) => sets(`  a:\n    env:\n${body}`)
  test.each([
    ['duplicate-key', variables(lines(90_000, () => '      K: a'))],
    ['unknown-key', sets(lines(90_000, at => `  s${at}: { envx: 1 }`))],
    ['unknown-key', sets(`  a:\n${lines(90_000, at => `    envx${at}: 1`)}`)],
    ['wrong-type', variables(lines(90_000, at => `      K${at}: [a]`))],
    ['duplicate-target', sets(`  a:\n    workspaces:\n${lines(90_001, () => '      - a')}`)],
    ['looks-like-a-secret', variables(lines(90_000, at => `      K${at}: AKIAQYLPMN5HFIQR7XYA`))],
    ['unknown-base', `bases: {}\n${sets(lines(90_000, at => `  s${at}: { from: b${at} }`))}`],
  ])('%s is listed a hundred times, and counted', async (code, text) => {
    const all = await found(text)
    expect(all.filter(one => one.includes(code))).toHaveLength(101)
    expect(all.at(-1)).toMatch(new RegExp(`^${code} There are 89,(899|9..) more of this kind\\.$`))
  })

  test('a hundred are all listed, and one more is one more', async () => {
    const doubles = (count: number) => variables(lines(count + 1, () => '      K: a'))
    expect(await found(doubles(100))).toHaveLength(100)
    expect((await found(doubles(101))).at(-1)).toBe('duplicate-key There is 1 more of this kind.')
  })

  test('a name that is as long as a file is cut in messages', async () => {
    // The last character that fits would be half of one.
    const name = `${'a'.repeat(1998)}${'\u{1f600}'.repeat(90_000)}`
    const text = sets(`  a: { name: "${name}", env: { A: b } }\n`)
    const { diagnostics } = await loadText(text, { setpoint: `${SETPOINT}owns: [b]\n` })
    expect(diagnostics.map(({ message }) => message)).toEqual([`"${'a'.repeat(1998)}…`])
  })
})

describe('names', () => {
  test('what was meant is looked for once for each that is listed', async () => {
    const bases = lines(20_000, at => `  the-base-of-team-${at}: { env: { A: b } }`)
    const sets = lines(20_000, at => `  s${at}: { from: the-bsae-of-team-${at} }`)
    const { diagnostics } = await loadText(`bases:\n${bases}variableSets:\n${sets}`)
    expect(diagnostics[0]?.hint).toBe('Did you mean "the-base-of-team-0"?')
    expect(diagnostics).toHaveLength(101)
  })

  test('so it is for workspaces', async () => {
    const state = await loaded({
      'sets/a.yaml': `variableSets:\n  a:\n    workspaces:\n${lines(50_000, at => `      - the-workspcae-${at}`)}`,
    })
    const workspaces = Array.from({ length: 50_000 }, (_, at) => ({
      name: `the-workspace-${at}`,
      id: `ws-${at}` as const,
    }))
    const { diagnostics } = await resolveNames(state, {
      places: async () => ({ value: { workspaces, projects: [] }, diagnostics: [] }),
      stacks: async () => undefined,
    })
    expect(diagnostics[0]?.hint).toBe('did you mean "the-workspace-0"?')
    expect(diagnostics).toHaveLength(101)
  })

  test('long ones are not compared whole', () => {
    const candidates = Array.from({ length: 1000 }, (_, at) => `${'a'.repeat(100_000)}${at}`)
    expect(suggest(`${'a'.repeat(100_000)}x`, candidates)).toBeUndefined()
  })

  test('patterns are held against them within reason', async () => {
    const patterns = Array.from({ length: 2000 }, () => `"*${'a*'.repeat(100)}b"`).join()
    const names = lines(20_000, at => `  ${'a'.repeat(100)}${at}: {}`)
    for (const key of ['owns', 'same-keys'])
      expect(
        await found(
          { 'sets/a.yaml': `variableSets:\n${names}` },
          { setpoint: `${SETPOINT}${key}: [${patterns}]\n` },
        ),
      ).toEqual(['setpoint.yaml:1 file-limit'])
  })
})

describe('same-keys', () => {
  const own = (count: number) => `variableSets:\n${lines(count, at => `  s${at}: { env: { K${at}: a } }`)}`

  test('a family without anything in common', async () => {
    const { value, diagnostics } = await loadText(own(30_000), { setpoint: `${SETPOINT}same-keys: ["*"]\n` })
    expect(value?.sets).toHaveLength(30_000)
    expect(diagnostics[0]?.message).toBe(
      '"s0" has no env/K1, env/K10, env/K100, env/K1000, env/K10000 and 29994 more, which others have',
    )
    expect(diagnostics).toHaveLength(101)
  })

  test('one pattern again and again is one family', async () => {
    const setpoint = `${SETPOINT}same-keys: [${'"*",'.repeat(20_000)}"s*"]\n`
    expect(await found(own(2), { setpoint })).toHaveLength(4)
  })

  test('many families look at so many variables together', async () => {
    const patterns = Array.from({ length: 90 }, (_, at) => `"s*${'*'.repeat(at)}"`)
    const setpoint = `${SETPOINT}same-keys: [${patterns}]\n`
    const all = await found(own(2000), { setpoint, limits: { variables: 10_000 } })
    expect(all.filter(one => one.includes('file-limit'))).toEqual(['setpoint.yaml:2 file-limit'])
  })
})
