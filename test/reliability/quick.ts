import { seededRandom } from '../../src/sandbox/random.ts'
import { CASES } from './cases.ts'
import { KINDS, type Strike } from './faults.ts'
import { PROFILES } from './profiles.ts'
import { parseSchedule, play, printSchedule, type Schedule } from './schedule.ts'

const arg = process.argv[2]
if (arg === 'random') {
  const random = seededRandom(Number(process.argv[3] ?? 1))
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const count = Number(process.argv[4] ?? 5000)
  const first = Number(process.argv[5] ?? 0)
  const last = Number(process.argv[6] ?? 8)
  const lengths = new Map<string, number>()
  const seen = new Map<string, [number, string]>()
  const t0 = process.cpuUsage().user
  let n = 0,
    req = 0,
    bad = 0
  while (n < count) {
    const one = pick(CASES.slice(first, last)),
      profile = pick(Object.keys(PROFILES))
    const id = `${one.name} ${profile}`
    if (!lengths.has(id)) {
      const free = await play({ case: one.name, profile, seed: 1, runs: [[]] })
      if (free.violations.length && (Number(first) === 0 || free.runs[0]!.end.plan))
        console.log('FREE', one.name, profile, String(free.violations).slice(0, 300))
      lengths.set(id, free.violations.length ? 0 : free.runs[0]!.operations.length)
    }
    const length = lengths.get(id)!
    if (length < 8) continue
    const strikes = () =>
      (l => l)(
        Array.from({ length: 1 + Math.floor(random() * 2) }, () => ({
          index: Math.floor(random() * (length + 4)),
          kind: pick([...KINDS, 'list-short', 'list-stale', 'signal-before', 'signal-after'] as const),
        })),
      )
    const s: Schedule = {
      case: one.name,
      profile,
      seed: Math.floor(random() * 1e6),
      runs: random() < 0.5 ? [strikes()] : [strikes(), strikes()],
    }
    const v = await play(s)
    n++
    req += v.requests
    if (v.violations.length) {
      bad++
      for (const x of v.violations) {
        const key = x.replace(/: .*/, '')
        const e = seen.get(key)
        if (e) {
          e[0]++
          if (printSchedule(s).length < e[1].length) e[1] = printSchedule(s) + '  ' + x
        } else seen.set(key, [1, printSchedule(s) + '  ' + x])
        if (process.argv[7]) console.log(printSchedule(s), x)
      }
    }
  }
  const cpu = (process.cpuUsage().user - t0) / 1e6
  console.log(n, 'schedules', req, 'requests', bad, 'bad', cpu, 's cpu', n / cpu, '/s')
  for (const [k, [c, s]] of [...seen].sort()) console.log(c, k, '\n     ', s)
} else if (arg !== undefined && arg !== 'sweep') {
  const v = await play(parseSchedule(process.argv.slice(2).join(' ')))
  for (const r of v.runs) {
    console.log(
      'exit',
      r.end.exitCode,
      'ops',
      r.operations.map((o, i) => `${i}:${o}`).join(' '),
      'stopped',
      r.end.result?.stopped,
      String(r.end.error ?? ''),
      'closing',
      r.end.result?.closing.state,
      r.end.result?.closing.state === 'differs'
        ? r.end.result.closing.remaining.steps.map(s => s.id).join(';')
        : '',
      (r.end.result?.closing as any)?.message ?? '',
    )
    for (const s of r.end.result?.results ?? []) console.log('   ', s.step.id, JSON.stringify(s.outcome))
    console.log(
      '  diag',
      r.end.diagnostics?.map(d => d.message),
    )
  }
  console.log(v.violations)
} else {
  const t0 = process.cpuUsage().user
  let n = 0,
    req = 0,
    bad = 0
  const seen = new Map<string, [number, string]>()
  for (const one of CASES.slice(Number(process.argv[4] ?? 0), Number(process.argv[3] ?? 8)))
    for (const profile of Object.keys(PROFILES)) {
      const base: Schedule = { case: one.name, profile, seed: 1, runs: [[]] }
      const free = await play(base)
      const length = free.runs[0]!.operations.length
      if (free.violations.length) console.log('FREE', printSchedule(base), free.violations)
      if (profile === 'default') console.log(one.name, length, free.runs[0]!.operations.join(' '))
      for (let i = 0; i < length; i++)
        for (const kind of [...KINDS, 'list-short', 'list-stale'] as const) {
          const s: Schedule = { case: one.name, profile, seed: 1 + i, runs: [[{ index: i, kind }]] }
          const v = await play(s)
          n++
          req += v.requests
          if (v.violations.length) {
            bad++
            for (const x of v.violations) {
              const key = x.replace(/: .*/, '') + ' ' + kind
              const e = seen.get(key)
              if (e) e[0]++
              else seen.set(key, [1, printSchedule(s) + '  ' + x])
            }
          }
        }
    }
  const cpu = (process.cpuUsage().user - t0) / 1e6
  console.log(n, 'schedules', req, 'requests', bad, 'bad', cpu, 's cpu', n / cpu, '/s')
  for (const [k, [c, s]] of [...seen].sort()) console.log(c, k, '\n     ', s)
}
