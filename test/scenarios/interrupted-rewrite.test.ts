import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { TransportError } from '../../src/wire/transport.ts'
import { aPlace, type Place } from '../support/place.ts'

/** Six secrets in two sets, and a variable that changes as well. */
const NAMES = ['A', 'B', 'C']
const SETS = ['one', 'two words']
const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': `variableSets:\n${SETS.map(
    set =>
      `  ${set}:\n    env:\n      PLAIN: new\n${NAMES.map(name => `      ${name}: { secret: ${name} }\n`).join('')}`,
  ).join('')}`,
}
const live: SetSeed[] = SETS.map(name => ({
  name,
  variables: [
    { key: 'PLAIN', value: 'old', category: 'env' },
    ...NAMES.map(key => ({ key, value: 'leaked', category: 'env', sensitive: true })),
  ],
}))
const ROTATED = Object.fromEntries(NAMES.map(name => [`SETPOINT_SECRET_${name}`, `rotated-${name}`]))

/** A place whose apply is interrupted when the write with this number arrives. */
async function interruptedAt(number: number, argv: readonly string[]) {
  let writes = 0
  const stop = new AbortController()
  const place = await aPlace(FILES, {
    sets: live,
    faults: {
      matches: ({ method }) => {
        if (method === 'PATCH' && ++writes === number) stop.abort()
        return false
      },
    },
  })
  const ran = await place.setpoint(['apply', '--auto-approve', '--concurrency', '1', ...argv], {
    stop,
    env: ROTATED,
  })
  return { place, ...ran }
}

const secretsIn = (place: Place): string[] =>
  (place.sandbox.snapshot({ sensitive: true }).sets ?? []).flatMap(({ name, variables }) =>
    (variables ?? [])
      .filter(({ sensitive }) => sensitive)
      .map(({ key, value }) => `${name}/env/${key} ${value}`),
  )

const nextIn = (stdout: string): string => /^Next: (.*)$/m.exec(stdout)?.[1] ?? ''

describe('an interrupted apply --rewrite', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'names the secrets that were not written, and the same apply writes them: stopped at write %i',
    async number => {
      const asked = ['--rewrite', '*']
      const { place, code, stdout } = await interruptedAt(number, asked)
      const left = secretsIn(place).flatMap(line => (line.endsWith(' leaked') ? [line.slice(0, -7)] : []))
      expect(code).toBe(130)
      if (left.length === 0) return
      for (const place of left) expect(stdout).toMatch(new RegExp(`(?:[Ss]till to do: .*| and .*)"?${place}`))
      expect(stdout).not.toContain('nothing left to do')
      expect(nextIn(stdout)).toBe('run the same apply again')
      const again = await place.setpoint(['apply', '--auto-approve', ...asked], { env: ROTATED })
      expect(again.code).toBe(0)
      expect(secretsIn(place).filter(line => line.endsWith(' leaked'))).toEqual([])
    },
  )
})

test('a new set that no inventory lists yet is finished by the printed plan, without another approval', async () => {
  const place = await aPlace({
    'setpoint.yaml': 'organization: acme\nowner: net\n',
    'sets/a.yaml': 'variableSets: { new: { workspaces: [w], env: { PLAIN: x, A: { secret: A } } } }\n',
  })
  // The response to the creation is lost, and everything after it.
  let isGone = false
  const transport: Transport = async (request, signal) => {
    if (isGone) throw new TransportError('the connection was closed', { sent: 'maybe', code: 'LOST' })
    const response = await place.sandbox.transport(request, signal)
    if (request.method !== 'POST') return response
    isGone = true
    throw new TransportError('the connection was closed', { sent: 'maybe', code: 'LOST' })
  }
  const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], {
    env: ROTATED,
    io: { transport },
  })
  expect(code).toBe(3)
  const next = nextIn(stdout)
  expect(next).toContain('setpoint plan --rewrite new/env/A --out rest.json')
  const planned = await place.setpoint(['plan', '--rewrite', 'new/env/A', '--out', 'rest.json'], {
    env: ROTATED,
  })
  expect([planned.code, planned.stdout]).toEqual([0, expect.not.stringContaining('blocked')])
  const applied = await place.setpoint(['apply', 'rest.json'], { env: ROTATED })
  expect([applied.code, secretsIn(place)]).toEqual([0, ['new/env/A rotated-A']])
})
