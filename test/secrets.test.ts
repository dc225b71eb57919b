import { describe, expect, test } from 'vitest'
import { aPlace, type Place } from './cli/place.ts'
import { type Canary, formsOf, leaksIn, sinksOf } from './support/canary.ts'
import { ECHOES, echoing, TOKEN_ECHOES } from './support/echo.ts'
import type { Surroundings } from './support/program.ts'

const PLAIN = 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYCANARY'
const AWKWARD = 'first "line" of \\ it\nsecond <line> & 50% \u00e9\u4e16\u{1f512} of it\ttail'
const MOVED = 'moved-secret-3f61c2aa90'
const OLD = 'old-readable-value-of-a-secret-77ab'
const OLD_MOVED = 'old-readable-value-that-moves-51cd'
const HIDDEN = 'hidden-value-set-by-hand-9917ff'
const TOKEN = 'token-of-the-run-a9f1e07c55'

const CANARIES: readonly Canary[] = [
  { name: 'plain secret', text: PLAIN },
  { name: 'awkward secret', text: AWKWARD },
  { name: 'moved secret', text: MOVED },
  { name: 'old readable value', text: OLD },
  { name: 'old readable value that moves', text: OLD_MOVED },
  { name: 'hidden value', text: HIDDEN },
  { name: 'token', text: TOKEN },
]

const FILES = {
  'sets/a.yaml': `variableSets:
  new:
    workspaces: [w]
    env:
      PLAIN: { secret: PLAIN, description: A secret. }
      SHOWN: this may be seen
    terraform:
      AWKWARD: { secret: AWKWARD }
  changed:
    env:
      BECOMES: { secret: PLAIN }
      ROTATED: { secret: PLAIN, description: changed }
      OUTSIDE: { external: true, description: changed }
  target:
    global: true
    env:
      MOVES: { secret: MOVED }
  source:
    global: true
removed: [gone]
`,
}
const SETS = [
  {
    name: 'changed',
    variables: [
      { key: 'BECOMES', category: 'env', value: OLD },
      { key: 'ROTATED', category: 'env', value: HIDDEN, sensitive: true },
      { key: 'OUTSIDE', category: 'env', value: HIDDEN, sensitive: true },
    ],
  },
  { name: 'source', global: true, variables: [{ key: 'MOVES', category: 'env', value: OLD_MOVED }] },
  { name: 'target', global: true },
  { name: 'gone', variables: [{ key: 'G', category: 'env', value: HIDDEN, sensitive: true }] },
]
const SECRETS = {
  SETPOINT_SECRET_PLAIN: PLAIN,
  SETPOINT_SECRET_AWKWARD: AWKWARD,
  SETPOINT_SECRET_MOVED: MOVED,
  SETPOINT_TOKEN: TOKEN,
}

async function aPlaceWithSecrets(): Promise<Place> {
  const place = await aPlace(FILES, { sets: SETS })
  place.sandbox.ensure({ tokens: [{ token: TOKEN, permission: 'manage-workspaces' }] })
  return place
}

const FORMATS = ['text', 'json', 'markdown']
/** The rate only makes the tests quick: time is real, and waits are not. */
const EVERYWHERE = ['--verbose', '--color', '--rate', '10000']

/** One run, with each format, on a place of its own where it writes. */
async function inEachFormat(
  argv: readonly string[],
  other: Partial<Surroundings> = {},
  place?: Place,
): Promise<{ codes: number[]; leaks: string[] }> {
  const codes: number[] = []
  const leaks: string[] = []
  for (const format of FORMATS) {
    const here = place ?? (await aPlaceWithSecrets())
    const ran = await here.setpoint([...argv, '--format', format, ...EVERYWHERE], {
      ...other,
      env: { ...SECRETS, ...other.env },
    })
    codes.push(ran.code)
    leaks.push(...leaksIn(sinksOf(here.cwd, ran), CANARIES))
  }
  return { codes, leaks }
}

/** Applies with each format, while every write is answered by an echo of it. */
async function leaksOfEcho(name: string): Promise<string[]> {
  const leaks: string[] = []
  for (const format of FORMATS) {
    const place = await aPlaceWithSecrets()
    const url = await echoing(place.sandbox, { ...ECHOES, ...TOKEN_ECHOES }[name])
    const ran = await place.setpoint(['apply', '--auto-approve', '--format', format, ...EVERYWHERE], {
      env: { ...SECRETS, SETPOINT_ADDRESS: url },
    })
    expect([1, 3]).toContain(ran.code)
    leaks.push(...leaksIn(sinksOf(place.cwd, ran), CANARIES))
  }
  return leaks
}

describe('the search', () => {
  test.each(CANARIES)('finds $name in every form, alone and between other bytes', ({ name, text }) => {
    for (const [form, written] of formsOf(text))
      expect(leaksIn({ sink: `a${written}b` }, [{ name, text }])).toContain(`sink: ${name} (${form})`)
    for (const before of ['', 'x', 'xy'])
      expect(
        leaksIn({ sink: Buffer.from(`${before}${text}tail`).toString('base64') }, [{ name, text }]),
      ).not.toEqual([])
  })
})

describe('no secret, no token and no old value of a secret is in any output or file', () => {
  test('validate, also with its sets resolved', async () => {
    const place = await aPlaceWithSecrets()
    const checked = await place.setpoint(['validate', '--verbose', '--color'], { env: SECRETS })
    const resolved = await place.setpoint(['validate', '--resolved'], { env: SECRETS })
    expect([checked.code, resolved.code]).toEqual([0, 0])
    expect(leaksIn(sinksOf(place.cwd, checked, resolved), CANARIES)).toEqual([])
  })

  test.each([
    ['plan', 0],
    ['drift', 2],
  ])('%s', async (command, code) => {
    expect(await inEachFormat([command])).toEqual({ codes: [code, code, code], leaks: [] })
  })

  test('a saved plan, shown and applied', async () => {
    const place = await aPlaceWithSecrets()
    const env = SECRETS
    const planned = await place.setpoint(['plan', '--out', 'plan.json'], { env })
    const shown = await Promise.all(
      FORMATS.map(format => place.setpoint(['show', 'plan.json', '--format', format], { env })),
    )
    const stale = await place.setpoint(['apply', 'plan.json', '--verbose'], {
      env: { ...env, SETPOINT_SECRET_PLAIN: '' },
    })
    const applied = await place.setpoint(['apply', 'plan.json', '--verbose'], { env })
    expect([planned, ...shown, stale, applied].map(ran => ran.code)).toEqual([0, 0, 0, 0, 1, 0])
    expect(leaksIn(sinksOf(place.cwd, planned, ...shown, stale, applied), CANARIES)).toEqual([])
  })

  test('a saved plan that is refused because the old value of a secret moved', async () => {
    const place = await aPlaceWithSecrets()
    await place.setpoint(['plan', '--out', 'plan.json'], { env: SECRETS })
    place.change([{ name: 'changed', variables: [{ key: 'BECOMES', category: 'env', value: MOVED }] }])
    place.sandbox.ensure({ tokens: [{ token: TOKEN, permission: 'manage-workspaces' }] })
    const refused = await place.setpoint(['apply', 'plan.json', '--verbose'], { env: SECRETS })
    expect(refused.code).toBe(4)
    expect(leaksIn(sinksOf(place.cwd, refused), CANARIES)).toEqual([])
  })

  test('an apply that succeeds, which did send them', async () => {
    expect(await inEachFormat(['apply', '--auto-approve'])).toEqual({ codes: [0, 0, 0], leaks: [] })
    const place = await aPlaceWithSecrets()
    await place.setpoint(['apply', '--auto-approve'], { env: SECRETS })
    const live = place.live().join('\n')
    for (const sent of [PLAIN, AWKWARD, MOVED]) expect(live).toContain(`(${sent})`)
  })

  test.each(Object.keys(ECHOES))('an apply that is answered with %s', async name => {
    expect(await leaksOfEcho(name)).toEqual([])
  })

  // A service that repeats the token to its owner is not guarded against yet.
  test.fails.each(Object.keys(TOKEN_ECHOES))('an apply that is answered with %s', async name => {
    expect(await leaksOfEcho(name)).toEqual([])
  })

  test('an apply that is cut off, and one that reaches nobody', async () => {
    const place = await aPlace(FILES, {
      sets: SETS,
      faults: {
        matches: ({ method }) => method !== 'GET',
        probability: 1,
        faults: [{ kind: 'close', commit: 'before' }],
      },
    })
    place.sandbox.ensure({ tokens: [{ token: TOKEN, permission: 'manage-workspaces' }] })
    const cut = await inEachFormat(['apply', '--auto-approve'], {}, place)
    expect(cut.leaks).toEqual([])
    expect(new Set(cut.codes).has(0)).toBe(false)
    const env = { SETPOINT_ADDRESS: 'http://127.0.0.1:1' }
    const unreachable = await inEachFormat(['apply', '--auto-approve'], { env })
    expect(unreachable).toEqual({ codes: [1, 1, 1], leaks: [] })
  })

  test('an apply that is interrupted', async () => {
    for (const format of FORMATS) {
      const stop = new AbortController()
      const matches = ({ method }: { method: string }): boolean => {
        if (method === 'POST') stop.abort()
        return false
      }
      const place = await aPlace(FILES, { sets: SETS, faults: { matches } })
      place.sandbox.ensure({ tokens: [{ token: TOKEN, permission: 'manage-workspaces' }] })
      const argv = ['apply', '--auto-approve', '--concurrency', '1', '--format', format, ...EVERYWHERE]
      const ran = await place.setpoint(argv, { stop, env: SECRETS })
      expect(ran.code).toBe(130)
      expect(leaksIn(sinksOf(place.cwd, ran), CANARIES)).toEqual([])
    }
  })

  test('a wrong token, a token that cannot be one, and missing secrets', async () => {
    const place = await aPlaceWithSecrets()
    const wrong = `${TOKEN}-wrong`
    const rans = [
      await place.setpoint(['plan', ...EVERYWHERE], { env: { ...SECRETS, SETPOINT_TOKEN: wrong } }),
      await place.setpoint(['plan', ...EVERYWHERE], { env: { ...SECRETS, SETPOINT_TOKEN: `${TOKEN}\nx` } }),
      await place.setpoint(['apply', '--auto-approve'], { env: { ...SECRETS, SETPOINT_SECRET_MOVED: '' } }),
      await place.setpoint(['plan', '--address', `https://me:${TOKEN}@example.com`], { env: SECRETS }),
    ]
    expect(rans.map(({ code }) => code)).toEqual([1, 1, 1, 1])
    expect(leaksIn(sinksOf(place.cwd, ...rans), CANARIES)).toEqual([])
  })

  test('directory', async () => {
    const place = await aPlaceWithSecrets()
    const ran = await place.setpoint(['directory', ...EVERYWHERE], { env: SECRETS })
    expect(ran.code).toBe(0)
    expect(leaksIn(sinksOf(place.cwd, ran), CANARIES)).toEqual([])
  })

  test('what may be seen is seen', async () => {
    const place = await aPlaceWithSecrets()
    const { stdout } = await place.setpoint(['plan'], { env: SECRETS })
    expect(stdout).toContain('this may be seen')
  })
})
