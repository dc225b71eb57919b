import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace, ONE, REFUSED, SILENT } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

const ALL = ['markdown=plan.md', 'html=out/plan.html', 'json=plan.json', 'text=plan.txt'] as const
const flags = (reports: readonly string[]): string[] => reports.flatMap(one => ['--report', one])
const OUT = { 'out/.keep': '' }

const TWO = { 'sets/a.yaml': `variableSets: { ${REFUSED}, b: {} }\n` }

describe('several reports of one run', () => {
  test('of a plan are written to their files, and stdout has its own format', async () => {
    const place = await aPlace({ ...ONE, ...OUT })
    const { code, stdout } = await place.setpoint(['plan', ...flags(ALL)])
    const read = (file: string): string => readFileSync(join(place.cwd, file), 'utf8')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^setpoint plan /)
    // A printed report is the same at any time; a file has the time of the plan.
    expect(read('plan.txt').replace(/ {3}planned \S+ \S+Z$/m, '')).toBe(stdout)
    const printed = async (format: string) => (await place.setpoint(['plan', '--format', format])).stdout
    expect(read('plan.md')).toMatch(/ · planned `\d{4}-\d\d-\d\d \d\d:\d\dZ`$/m)
    expect(read('plan.md').replace(/ · planned `.*?`/, '')).toBe(await printed('markdown'))
    expect(read('out/plan.html').replace(/ · planned <span.*?<\/span>/, '')).toBe(await printed('html'))
    expect(read('plan.json')).toBe((await place.setpoint(['plan', '--format', 'json'])).stdout)
  })

  test('of drift are written as well, and the exit code stays', async () => {
    const place = await aPlace(ONE)
    const { code } = await place.setpoint(['drift', ...flags(['json=drift.json'])])
    expect(code).toBe(2)
    expect(JSON.parse(readFileSync(join(place.cwd, 'drift.json'), 'utf8'))).toMatchObject({ kind: 'drift' })
  })

  test('of a partly failed apply contain the results', async () => {
    const place = await aPlace({ ...TWO, ...OUT }, SILENT)
    const { code } = await place.setpoint(['apply', '--auto-approve', ...flags(ALL)])
    expect(code).toBe(3)
    expect(JSON.parse(readFileSync(join(place.cwd, 'plan.json'), 'utf8'))).toMatchObject({
      kind: 'apply',
      exitCode: 3,
      results: [
        { id: 'create-set a', status: 'failed' },
        { id: 'create-set b', status: 'succeeded' },
      ],
    })
    expect(readFileSync(join(place.cwd, 'out/plan.html'), 'utf8')).toContain('exit 3: partly applied')
    expect(readFileSync(join(place.cwd, 'plan.md'), 'utf8')).toContain('failed')
  })

  test('of a refused apply contain the plan', async () => {
    const place = await aPlace(ONE)
    const { code } = await place.setpoint(['apply', ...flags(['json=a.json'])])
    expect(code).toBe(4)
    expect(JSON.parse(readFileSync(join(place.cwd, 'a.json'), 'utf8'))).toMatchObject({ kind: 'plan' })
    await place.setpoint(['plan', '--out', 'reviewed.json'])
    place.change([{ name: 'a', variables: [{ key: 'OTHER', category: 'env', value: '1' }] }])
    expect((await place.setpoint(['apply', 'reviewed.json', ...flags(['json=b.json'])])).code).toBe(4)
    expect(JSON.parse(readFileSync(join(place.cwd, 'b.json'), 'utf8'))).toMatchObject({ kind: 'plan' })
  })

  test('of an apply with a missing secret contain the plan', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets: { a: { env: { A: { secret: A } } } }\n' })
    const { code } = await place.setpoint(['apply', '--auto-approve', ...flags(['json=a.json'])])
    expect(code).toBe(1)
    expect(JSON.parse(readFileSync(join(place.cwd, 'a.json'), 'utf8'))).toMatchObject({ kind: 'plan' })
  })

  test('are readable by others, and no temporary files are left', async () => {
    const place = await aPlace({ ...ONE, ...OUT })
    const before = readdirSync(place.cwd)
    await place.setpoint(['plan', ...flags(ALL)])
    expect(readdirSync(place.cwd).toSorted()).toEqual(
      [...before, 'plan.json', 'plan.md', 'plan.txt'].toSorted(),
    )
    expect(readdirSync(join(place.cwd, 'out'))).toEqual(['.keep', 'plan.html'])
    expect(statSync(join(place.cwd, 'plan.md')).mode & 0o777).toBe(0o644)
  })

  test('keep Markdown within --markdown-limit', async () => {
    const sets = Array.from({ length: 200 }, (_, at) => `  set-${at}: { env: { A: ${at} } }\n`).join('')
    const place = await aPlace({ 'sets/a.yaml': `variableSets:\n${sets}` })
    await place.setpoint(['plan', '--markdown-limit', '8000', ...flags(['markdown=a.md'])])
    expect(readFileSync(join(place.cwd, 'a.md'), 'utf8').length).toBeLessThan(8_000)
    await place.setpoint(['plan', ...flags(['markdown=b.md'])])
    expect(readFileSync(join(place.cwd, 'b.md'), 'utf8').length).toBeGreaterThan(8_000)
  })

  test('in shortened Markdown name the complete reports', async () => {
    const sets = Array.from({ length: 200 }, (_, at) => `  set-${at}: { env: { A: ${at} } }\n`).join('')
    const place = await aPlace({ 'sets/a.yaml': `variableSets:\n${sets}` })
    for (const [format, isNamed] of [
      ['text', true],
      ['html', true],
      ['json', true],
      ['gitlab', false],
    ] as const) {
      const reports = flags(['markdown=cut.md', `${format}=beside.${format}`])
      await place.setpoint(['plan', '--markdown-limit', '8000', ...reports])
      expect([format, readFileSync(join(place.cwd, 'cut.md'), 'utf8').includes(`beside.${format}`)]).toEqual([
        format,
        isNamed,
      ])
    }
  })
})

describe('a report that cannot be written', () => {
  const problems = async (reports: readonly string[], argv: readonly string[] = ['plan']) => {
    const place = await aPlace({ ...ONE, ...OUT })
    symlinkSync('/', join(place.cwd, 'away'))
    symlinkSync(join(place.cwd, 'out'), join(place.cwd, 'inside'))
    mkdirSync(join(place.cwd, 'folder'))
    await place.setpoint(['plan', '--out', 'saved.json'])
    const before = place.sandbox.snapshot()
    const { code, stdout, stderr } = await place.setpoint([...argv, ...flags(reports)])
    expect(place.sandbox.snapshot()).toEqual(before)
    return { code, stdout, reported: stderr.split('\n').filter(line => line.startsWith('  --report')) }
  }

  test.each<readonly [string, readonly string[], string]>([
    [
      'its directory does not exist',
      ['json=no/a.json'],
      '  --report json "no/a.json": its directory does not exist.',
    ],
    ['it is a directory', ['json=folder'], '  --report json "folder": it exists and is not a file.'],
    ['two reports have the same file', ['json=a', 'text=./a'], 'it is also the file of --report json.'],
    [
      'two reports have the same file through a link',
      ['json=out/a', 'text=inside/a'],
      'it is also the file of --report json.',
    ],
    [
      'a link leads out of the directory',
      ['json=away/tmp/a.json'],
      '  --report json "away/tmp/a.json": its path contains a symbolic link out of the repository.',
    ],
  ])('is reported before anything is written: %s', async (_, reports, message) => {
    const { code, stdout, reported } = await problems(reports)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(reported.join('\n')).toContain(message)
  })

  test('is reported together with all others', async () => {
    expect((await problems(['json=no/a', 'text=folder', 'html=no/b'])).reported).toHaveLength(3)
  })

  test('would overwrite the reviewed plan, or the plan to save', async () => {
    const place = await aPlace(ONE)
    await place.setpoint(['plan', '--out', 'saved.json'])
    const saved = readFileSync(join(place.cwd, 'saved.json'), 'utf8')
    const { code, stderr } = await place.setpoint(['apply', 'saved.json', ...flags(['json=saved.json'])])
    expect(code).toBe(1)
    expect(stderr).toContain('--report json "saved.json": it is also the file of the reviewed plan.')
    expect(
      (await place.setpoint(['plan', '--out', 'saved.json', ...flags(['json=./saved.json'])])).code,
    ).toBe(1)
    expect(readFileSync(join(place.cwd, 'saved.json'), 'utf8')).toBe(saved)
    expect(place.live()).toEqual([])
  })

  test.each([['json'], ['=a'], ['pdf=a'], ['json=']])('has an invalid flag: %s', async report => {
    const { code, stderr } = await problemsOf(report)
    expect(code).toBe(1)
    expect(stderr).toContain('Expected KIND=FILE with one of text, markdown, html, json')
  })

  const problemsOf = async (report: string) => {
    const place = await aPlace(ONE)
    return await place.setpoint(['plan', '--report', report])
  }
})

test('a report is never written through a symbolic link, also outside of the repository', async () => {
  const place = await aPlace(ONE)
  const elsewhere = aDirectory({ file: '' })
  symlinkSync('file', join(elsewhere, 'link'))
  const { code, stderr } = await place.setpoint(['plan', ...flags([`json=${elsewhere}/link`])])
  expect([code, stderr]).toEqual([1, expect.stringContaining('/link": it is a symbolic link.')])
  expect(readFileSync(join(elsewhere, 'file'), 'utf8')).toBe('')
  // Links on the way to it, such as that of a temporary directory, are those of the machine.
  symlinkSync('.', join(elsewhere, 'here'))
  expect((await place.setpoint(['plan', ...flags([`json=${elsewhere}/here/new`])])).code).toBe(0)
  expect(JSON.parse(readFileSync(join(elsewhere, 'new'), 'utf8'))).toMatchObject({ organization: 'acme' })
})

test('an earlier report is replaced by the failure of a run without a new one', async () => {
  const place = await aPlace(ONE)
  await place.setpoint(['plan', ...flags(['json=plan.json'])])
  place.write({ 'sets/a.yaml': 'variableSets: { a: { typo: 1 } }\n' })
  expect((await place.setpoint(['plan', ...flags(['json=plan.json'])])).code).toBe(1)
  expect(JSON.parse(readFileSync(join(place.cwd, 'plan.json'), 'utf8'))).toMatchObject({ kind: 'failure' })
})

// Root may write to a read-only directory, so the test removes it.
test('if the directory of one report is removed during an apply, the other reports are written and the exit code is 1', async () => {
  const place = await aPlace({ ...ONE, ...OUT })
  const io = {
    now: () => {
      rmSync(join(place.cwd, 'out'), { recursive: true, force: true })
      return new Date(0)
    },
  }
  const { code, stderr } = await place.setpoint(
    ['apply', '--auto-approve', ...flags(['html=out/a.html', 'json=a.json'])],
    { io },
  )
  expect(code).toBe(1)
  expect(stderr).toContain('out/a.html could not be written (ENOENT)')
  expect(stderr).toContain('The apply succeeded. Only the report is missing.')
  expect(JSON.parse(readFileSync(join(place.cwd, 'a.json'), 'utf8'))).toMatchObject({
    kind: 'apply',
    exitCode: 0,
  })
  expect(place.live()).toEqual(['a  env/A=1'])
})

test('if the directory of a report is removed during a partly failed apply, the exit code stays 3', async () => {
  const place = await aPlace({ ...TWO, ...OUT }, SILENT)
  const io = {
    now: () => {
      rmSync(join(place.cwd, 'out'), { recursive: true, force: true })
      return new Date(0)
    },
  }
  const { code } = await place.setpoint(['apply', '--auto-approve', ...flags(['html=out/a.html'])], { io })
  expect(code).toBe(3)
})
