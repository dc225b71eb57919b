import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../src/report/formats.ts'
import { formsOf, leaksIn, sinksOf } from '../support/canary.ts'
import { ECHOES, echoing, repeating } from '../support/echo.ts'
import type { Place } from '../support/place.ts'
import type { Surroundings } from '../support/program.ts'
import {
  AWKWARD,
  aPlaceWithSecrets,
  CANARIES,
  MOVED,
  PLAIN,
  SECRETS,
  TOKEN,
} from '../support/secretive-place.ts'

/** The rate makes the tests fast, because rate limits wait in real time. */
const EVERYWHERE = ['--verbose', '--color', '--rate', '10000']

/** Runs the command with each format, in its own directory. */
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

/** Applies with each format to a service that repeats each write in its response. */
async function leaksOfEcho(name: string): Promise<string[]> {
  const leaks: string[] = []
  for (const format of FORMATS) {
    const place = await aPlaceWithSecrets()
    const url = await echoing(place.sandbox, ECHOES[name])
    const ran = await place.setpoint(['apply', '--auto-approve', '--format', format, ...EVERYWHERE], {
      env: { ...SECRETS, SETPOINT_ADDRESS: url },
    })
    expect([1, 3]).toContain(ran.code)
    leaks.push(...leaksIn(sinksOf(place.cwd, ran), CANARIES))
  }
  return leaks
}

describe('the search for canaries', () => {
  test.each(CANARIES)('finds $name in every form, alone and inside other bytes', ({ name, text }) => {
    for (const [form, written] of formsOf(text))
      expect(leaksIn({ sink: `a${written}b` }, [{ name, text }])).toContain(`sink: ${name} (${form})`)
    for (const before of ['', 'x', 'xy'])
      expect(
        leaksIn({ sink: Buffer.from(`${before}${text}tail`).toString('base64') }, [{ name, text }]),
      ).not.toEqual([])
  })
})

describe('no secret, no token and no old value of a secret is in any output or file', () => {
  test('validate, with and without --resolved', async () => {
    const place = await aPlaceWithSecrets()
    const checked = await place.setpoint(['validate', '--color'], { env: SECRETS })
    const resolved = await place.setpoint(['validate', '--resolved'], { env: SECRETS })
    expect([checked.code, resolved.code]).toEqual([0, 0])
    expect(leaksIn(sinksOf(place.cwd, checked, resolved), CANARIES)).toEqual([])
  })

  test.each([
    ['plan', 0],
    ['drift', 2],
  ])('%s', async (command, code) => {
    expect(await inEachFormat([command])).toEqual({ codes: FORMATS.map(() => code), leaks: [] })
  })

  test('a saved plan, with show and apply', async () => {
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
    expect(shown.filter(({ code }) => code !== 0)).toEqual([])
    expect([planned, stale, applied].map(ran => ran.code)).toEqual([0, 1, 0])
    expect(leaksIn(sinksOf(place.cwd, planned, ...shown, stale, applied), CANARIES)).toEqual([])
  })

  test('a saved plan that is refused because the old value of a secret changed', async () => {
    const place = await aPlaceWithSecrets()
    await place.setpoint(['plan', '--out', 'plan.json'], { env: SECRETS })
    place.change([{ name: 'changed', variables: [{ key: 'BECOMES', category: 'env', value: MOVED }] }])
    place.sandbox.ensure({ tokens: [{ token: TOKEN, permission: 'manage-workspaces' }] })
    const refused = await place.setpoint(['apply', 'plan.json', '--verbose'], { env: SECRETS })
    expect(refused.code).toBe(4)
    expect(leaksIn(sinksOf(place.cwd, refused), CANARIES)).toEqual([])
  })

  test('an apply that succeeds and sends the secrets', async () => {
    expect(await inEachFormat(['apply', '--auto-approve'])).toEqual({
      codes: FORMATS.map(() => 0),
      leaks: [],
    })
    const place = await aPlaceWithSecrets()
    await place.setpoint(['apply', '--auto-approve'], { env: SECRETS })
    const live = place.live().join('\n')
    for (const sent of [PLAIN, AWKWARD, MOVED]) expect(live).toContain(`(${sent})`)
  })

  test.each(Object.keys(ECHOES))('an apply that receives %s', { tags: ['I-17'] }, async name => {
    expect(await leaksOfEcho(name)).toEqual([])
  })

  test.each(['plan', 'drift', 'apply', 'snapshot', 'explain', 'export'])(
    '%s, with a service that puts secrets and token, in any form, into all texts of its responses',
    { tags: ['I-17'] },
    async command => {
      const known = CANARIES.filter(({ name }) => /^(?:(?:plain|awkward|moved) secret|token)$/.test(name))
      // Commands that open no secrets know only the token.
      const canaries = ['plan', 'drift', 'apply'].includes(command)
        ? known
        : known.filter(({ name }) => name === 'token')
      const place = await aPlaceWithSecrets()
      const url = await repeating(
        place.sandbox,
        canaries.map(({ text }) => text),
        text => [...formsOf(text).values()],
      )
      const files = ['--report', 'html=r.html', '--report', 'json=r.json', '--report', 'gitlab=r.gitlab']
      const other = {
        plan: [...files, '--out', 'plan.json'],
        drift: files,
        apply: ['--auto-approve', ...files],
        explain: ['w'],
        export: ['--out', 'exported'],
        snapshot: ['--out', 's.json'],
      }[command]
      const env = { ...SECRETS, SETPOINT_ADDRESS: url }
      for (const format of [undefined, 'json', 'markdown']) {
        if (format !== undefined && !['plan', 'drift', 'apply', 'explain'].includes(command)) continue
        const shown = format === undefined ? [] : ['--format', format]
        const ran = await place.setpoint([command, ...(other ?? []), ...shown, '--rate', '10000'], { env })
        expect(leaksIn(sinksOf(place.cwd, ran), canaries)).toEqual([])
        if (format === 'json' && command !== 'explain') expect(ran.stdout).toContain('[secret ')
      }
    },
  )

  test('an apply whose writes lose their connection, and one without a connection', async () => {
    const place = await aPlaceWithSecrets({
      faults: {
        matches: ({ method }) => method !== 'GET',
        probability: 1,
        faults: [{ kind: 'close', commit: 'before' }],
      },
    })
    const cut = await inEachFormat(['apply', '--auto-approve'], {}, place)
    expect(cut.leaks).toEqual([])
    expect(new Set(cut.codes).has(0)).toBe(false)
    const env = { SETPOINT_ADDRESS: 'http://127.0.0.1:1' }
    const unreachable = await inEachFormat(['apply', '--auto-approve'], { env })
    expect(unreachable).toEqual({ codes: FORMATS.map(() => 1), leaks: [] })
  })

  test('an apply that a signal interrupts', async () => {
    for (const format of FORMATS) {
      const stop = new AbortController()
      const matches = ({ method }: { method: string }): boolean => {
        if (method === 'POST') stop.abort()
        return false
      }
      const place = await aPlaceWithSecrets({ faults: { matches } })
      const argv = ['apply', '--auto-approve', '--concurrency', '1', '--format', format, ...EVERYWHERE]
      const ran = await place.setpoint(argv, { stop, env: SECRETS })
      expect(ran.code).toBe(130)
      expect(leaksIn(sinksOf(place.cwd, ran), CANARIES)).toEqual([])
    }
  })

  test('a wrong token, a malformed token, and missing secrets', async () => {
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

  test.each(['text', 'github', 'gitlab', 'dotenv'])('secrets, as %s', async format => {
    const place = await aPlaceWithSecrets()
    const ran = await place.setpoint(['secrets', '--format', format], { env: SECRETS })
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('AWKWARD')
    expect(leaksIn(sinksOf(place.cwd, ran), CANARIES)).toEqual([])
  })

  test('an inventory, with a secret that changes', async () => {
    for (const format of FORMATS) {
      const place = await aPlaceWithSecrets()
      place.write({
        'setpoint.yaml': 'organization: acme\nowner: us\n',
        'sets/a.yaml': 'variableSets: { new: { env: { PLAIN: { secret: PLAIN } } } }\n',
      })
      const shown = ['--format', format, ...EVERYWHERE]
      const other = { ...SECRETS, SETPOINT_SECRET_PLAIN: MOVED }
      const rans = [
        await place.setpoint(['apply', '--auto-approve', ...shown], { env: SECRETS }),
        await place.setpoint(['plan', '--out', 'plan.json', ...shown], { env: other }),
        await place.setpoint(['apply', 'plan.json', ...shown], { env: other }),
        await place.setpoint(['drift', ...shown], { env: other }),
      ]
      expect(rans.map(({ code }) => code)).toEqual([0, 0, 0, 0])
      expect(place.live().join('\n')).toContain(`env/PLAIN=(${MOVED})`)
      expect(leaksIn(sinksOf(place.cwd, ...rans), CANARIES)).toEqual([])
    }
  })

  test('visible values are shown', async () => {
    const place = await aPlaceWithSecrets()
    const { stdout } = await place.setpoint(['plan'], { env: SECRETS })
    expect(stdout).toContain('this may be seen')
  })
})
