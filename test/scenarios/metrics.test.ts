import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Transport } from '../../src/wire/transport.ts'
import { ALL, ENV, FILES, services } from '../support/organizations.ts'
import { aPlace, ONE } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

const METRICS = ['--report', 'metrics=setpoint.prom'] as const

/** The samples of a file in the text format of Prometheus, by name and labels. Throws for anything else in it. */
function samplesIn(text: string): Record<string, number> {
  const samples: Record<string, number> = {}
  const typed = new Set<string>()
  for (const line of text.trimEnd().split('\n')) {
    const [, name] = /^# TYPE (\w+) gauge$/.exec(line) ?? []
    if (name !== undefined) typed.add(name)
    if (line.startsWith('# ')) continue
    const [, sample = '', metric = '', value] =
      /^((\w+)\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)*\}) ([\d.e+-]+)$/.exec(line) ?? []
    if (!typed.has(metric) || sample in samples) throw new Error(`not a sample: ${line}`)
    samples[sample] = Number(value)
  }
  expect(text.endsWith('\n')).toBe(true)
  return samples
}

const metricsIn = (cwd: string): Record<string, number> =>
  samplesIn(readFileSync(join(cwd, 'setpoint.prom'), 'utf8'))

/** A clock that moves by a second with every look. */
function clockAt(day: number): () => Date {
  let seconds = 0
  return () => new Date(Date.UTC(2026, 0, day) + 1_000 * seconds++)
}

const dayOf = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).getUTCDate()

const OWNED = { 'setpoint.yaml': 'organization: acme\nowner: team\n' }
const LABELS = 'organization="acme",owner="team",configuration="setpoint.yaml"'
const SUCCESS = `setpoint_success_timestamp_seconds{${LABELS}}`

const files = (value: string) => ({
  ...OWNED,
  'sets/a.yaml': `variableSets:\n  a: { env: { A: ${value}, S: { secret: S } } }\n  b: { env: { B: b } }\n`,
})

async function applied() {
  const place = await aPlace(files('1'))
  const env = { SETPOINT_SECRET_S: 'secret-of-this-test' }
  const { code } = await place.setpoint(['apply', '--auto-approve', ...METRICS], {
    env,
    io: { now: clockAt(1) },
  })
  expect(code).toBe(0)
  return place
}

describe('--report metrics', () => {
  test('has every metric after an apply, and no other label', async () => {
    const place = await applied()
    const metrics = metricsIn(place.cwd)
    expect(Object.keys(metrics)).toEqual([
      ...[
        'run_end_timestamp_seconds',
        'run_exit_code',
        'run_duration_seconds',
        'success_timestamp_seconds',
      ].map(name => `setpoint_${name}{${LABELS}}`),
      ...['equal', 'outside', 'not_applied', 'unknown_origin', 'blocked'].map(
        state => `setpoint_sets{${LABELS},state="${state}"}`,
      ),
      `setpoint_secrets_unverified{${LABELS}}`,
      ...['read', 'write'].map(kind => `setpoint_requests{${LABELS},kind="${kind}"}`),
      ...['rate_limit', 'retry'].map(reason => `setpoint_wait_seconds{${LABELS},reason="${reason}"}`),
      'setpoint_info{version="0.0.0-test"}',
    ])
    expect(metrics).toMatchObject({
      [`setpoint_run_exit_code{${LABELS}}`]: 0,
      [`setpoint_sets{${LABELS},state="equal"}`]: 2,
      [`setpoint_requests{${LABELS},kind="write"}`]: 3,
    })
    expect(metrics[`setpoint_run_duration_seconds{${LABELS}}`]).toBeGreaterThan(0)
    expect(metrics[SUCCESS]).toBe(metrics[`setpoint_run_end_timestamp_seconds{${LABELS}}`])
    expect(readFileSync(join(place.cwd, 'setpoint.prom'), 'utf8')).not.toContain('secret-of-this-test')
  })

  test('counts sets by the origin of their difference', async () => {
    const place = await applied()
    const sandbox = place.sandbox.snapshot({ sensitive: true })
    place.change(
      (sandbox.sets ?? []).map(set =>
        set.name === 'b' ? { ...set, variables: [{ key: 'B', category: 'env', value: 'by hand' }] } : set,
      ),
    )
    place.write(files('2'))
    expect((await place.setpoint(['drift', ...METRICS])).code).toBe(2)
    const sets = Object.entries(metricsIn(place.cwd)).filter(([name]) => name.startsWith('setpoint_sets'))
    expect(Object.fromEntries(sets.map(([name, count]) => [/state="(\w+)"/.exec(name)?.[1], count]))).toEqual(
      {
        equal: 0,
        outside: 1,
        not_applied: 1,
        unknown_origin: 0,
        blocked: 0,
      },
    )
  })

  test.each<[string, string[], Record<string, string>, number]>([
    ['a refused token', ['drift'], { SETPOINT_TOKEN: 'revoked' }, 1],
    ['a refused apply', ['apply'], {}, 4],
  ])('%s keeps the time of the last success', async (_, argv, env, exit) => {
    const place = await applied()
    const before = metricsIn(place.cwd)[SUCCESS]
    place.write(files('2'))
    const { code } = await place.setpoint([...argv, ...METRICS], { env, io: { now: clockAt(3) } })
    const after = metricsIn(place.cwd)
    expect([code, after[`setpoint_run_exit_code{${LABELS}}`]]).toEqual([exit, exit])
    expect([dayOf(before), after[SUCCESS]]).toEqual([1, before])
    expect(dayOf(after[`setpoint_run_end_timestamp_seconds{${LABELS}}`])).toBe(3)
  })

  test('keeps a success at the moment of the failure, and none after it', async () => {
    const place = await applied()
    const success = (metricsIn(place.cwd)[SUCCESS] ?? 0) * 1_000
    place.write({ 'sets/a.yaml': 'variableSets: [\n' })
    const kept = async (moment: number) => {
      await place.setpoint(['drift', ...METRICS], { io: { now: () => new Date(moment) } })
      return metricsIn(place.cwd)[SUCCESS]
    }
    expect(await kept(success)).toBe(success / 1_000)
    expect(await kept(success - 1)).toBeUndefined()
  })

  test('counts every set as blocked if a guard is about all of them', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `s${at}`)
    const place = await aPlace(
      {
        'sets/a.yaml': `variableSets: { ${names
          .slice(5)
          .map(name => `${name}: {}`)
          .join(', ')} }\nremoved: [${names.slice(0, 5).join(', ')}]\n`,
      },
      { sets: names.map(name => ({ name })) },
    )
    await place.setpoint(['drift', ...METRICS])
    const blocked = Object.entries(metricsIn(place.cwd)).find(([name]) => name.includes('state="blocked"'))
    expect(blocked?.[1]).toBe(5)
  })

  test('is written after a mistake in the files and after a signal as well', async () => {
    const place = await applied()
    const before = metricsIn(place.cwd)[SUCCESS]
    place.write({ 'setpoint.yaml': 'organisation: [\n' })
    expect((await place.setpoint(['drift', ...METRICS], { io: { now: clockAt(2) } })).code).toBe(1)
    const unreadable = metricsIn(place.cwd)
    expect([
      unreadable['setpoint_run_exit_code{configuration="setpoint.yaml"}'],
      unreadable[SUCCESS],
    ]).toEqual([1, before])
    place.write(OWNED)
    const stop = new AbortController()
    stop.abort()
    expect((await place.setpoint(['drift', ...METRICS], { stop, io: { now: clockAt(3) } })).code).toBe(130)
    expect(metricsIn(place.cwd)).toMatchObject({
      [`setpoint_run_exit_code{${LABELS}}`]: 130,
      [SUCCESS]: before,
    })
  })

  test('says when a bug ended the run', async () => {
    const place = await applied()
    const transport: Transport = () => Promise.reject(new RangeError('a bug'))
    await expect(place.setpoint(['drift', ...METRICS], { io: { transport } })).rejects.toThrow('a bug')
    expect(metricsIn(place.cwd)).toMatchObject({ [`setpoint_run_exit_code{${LABELS}}`]: 1 })
  })

  test('takes nothing but the time of a success from an earlier file, whatever is in it', async () => {
    const place = await applied()
    const at = join(place.cwd, 'setpoint.prom')
    const hostile = [
      '# HELP setpoint_sets Sets.',
      `setpoint_success_timestamp_seconds{${LABELS}} 12`,
      'setpoint_success_timestamp_seconds{configuration="x"} 13',
      `setpoint_success_timestamp_seconds{${LABELS}} 1e99`,
      'evil{} 1',
      `setpoint_success_timestamp_seconds{configuration="setpoint.yaml"} 14\u0000`,
    ]
    writeFileSync(at, `${hostile.join('\n')}\n`)
    expect((await place.setpoint(['drift', ...METRICS], { env: { SETPOINT_TOKEN: 'x' } })).code).toBe(1)
    const samples = metricsIn(place.cwd)
    expect(samples[SUCCESS]).toBe(12)
    expect(Object.keys(samples).filter(name => /success|evil/.test(name))).toEqual([SUCCESS])
    // A commit could bring a file that says that all is well for years.
    writeFileSync(
      at,
      `# HELP setpoint_sets Sets.\nsetpoint_success_timestamp_seconds{${LABELS}} 99999999999\n`,
    )
    expect((await place.setpoint(['drift', ...METRICS], { env: { SETPOINT_TOKEN: 'x' } })).code).toBe(1)
    expect(metricsIn(place.cwd)[SUCCESS]).toBeUndefined()
  })

  test('has each of several organizations, and keeps the success of each', async () => {
    const { transport } = await services()
    const cwd = aDirectory(FILES)
    const at = (day: number, env: Readonly<Record<string, string>> = ENV) =>
      run(['plan', ...ALL, ...METRICS], { cwd, env, io: { transport, now: clockAt(day) } })
    expect((await at(1)).code).toBe(0)
    expect((await at(2, { ...ENV, SETPOINT_TOKEN_GLOBEX: 'wrong' })).code).toBe(1)
    const metrics = metricsIn(cwd)
    const of = (name: string): (number | undefined)[] =>
      ['acme', 'globex'].map(
        one =>
          metrics[
            `setpoint_${name}{organization="${one}",owner="team",configuration="orgs/${one}/setpoint.yaml"}`
          ],
      )
    expect(of('run_exit_code')).toEqual([0, 1])
    expect(of('success_timestamp_seconds').map(dayOf)).toEqual([2, 1])
    expect(of('run_end_timestamp_seconds').map(dayOf)).toEqual([2, 2])
  })

  test('names and paths are escaped', async () => {
    const cwd = aDirectory({ 'a"\\b.yaml': 'organization: acme\n', ...ONE })
    const argv = ['plan', '--sandbox', '--config', 'a"\\b.yaml', ...METRICS]
    for (let at = 1; at <= 2; at++) await run(argv, { cwd, io: { now: clockAt(at) } })
    const [name = ''] = Object.keys(metricsIn(cwd)).filter(one => one.includes('success'))
    expect(name).toContain('configuration="a\\"\\\\b.yaml"')
  })
})

test('docs/reports.md uses exactly the metrics that exist, and its alerts are YAML', async () => {
  const place = await applied()
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/reports.md'), 'utf8')
  const names = (texts: readonly string[]): string[] =>
    [...new Set(texts.flatMap(text => text.match(/\bsetpoint_[a-z_]+/g) ?? []))].toSorted()
  expect(names([page])).toEqual(names(Object.keys(metricsIn(place.cwd))))
  const [, rules = ''] = /^```yaml\n(groups:[\s\S]*?)^```/m.exec(page) ?? []
  const alerts: { alert: string; expr: string }[] = parse(rules).groups[0].rules
  expect(alerts.length).toBeGreaterThan(4)
  for (const { alert, expr } of alerts)
    expect([alert, names([expr]).length]).toEqual([alert, expect.any(Number)])
})
