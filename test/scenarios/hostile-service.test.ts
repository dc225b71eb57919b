import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.ts'
import type { ApiRequest, ApiResponse, Transport } from '../../src/wire/transport.ts'
import { aPlace, type Place, TO_FINISH } from '../support/place.ts'
import type { Ran } from '../support/program.ts'

/** What a service does with each request, after or before it acts, is asked by the schedules of the proof; here is what is then printed. */
const SECRET = 'canary-of-a-secret'
const FILES = {
  'sets/a.yaml': `variableSets:
  network: { description: after, workspaces: [w], env: { REGION: two } }
  fresh:
    workspaces: [x]
    env: { NEW: { secret: NEW }, PLAIN: "1.10" }
removed: [old]
`,
}
const SETS = [
  {
    name: 'network',
    workspaces: ['x'],
    variables: [
      { key: 'REGION', value: 'one', category: 'env' },
      { key: 'GONE', value: 'x', category: 'env' },
    ],
  },
  { name: 'old' },
]

const apply = (place: Place, transport: Transport, ...more: string[]): Promise<Ran> =>
  place.setpoint(['apply', '--auto-approve', ...more], {
    env: { SETPOINT_SECRET_NEW: SECRET },
    io: { transport },
  })

describe('a service that always', () => {
  const isCreate = ({ method, path, body = '' }: ApiRequest): boolean =>
    method === 'POST' && path.endsWith('/varsets') && body.includes('"fresh"')
  /** As a proxy does that sends a request again. */
  const twice =
    ({ transport }: Sandbox): Transport =>
    async (request, signal) => {
      if (isCreate(request)) await transport(request, signal)
      return await transport(request, signal)
    }

  test.each(['organization: acme\n', 'organization: acme\nowner: team\n'])(
    'creates sets twice causes an error that says how to choose one, and no set is deleted: %j',
    { tags: ['F-20', 'F-35'] },
    async configuration => {
      const place = await aPlace(
        { ...FILES, 'setpoint.yaml': configuration },
        { sets: SETS, profile: { duplicates: 'second' } },
      )
      const isOwned = configuration.includes('owner')
      const first = await apply(place, twice(place.sandbox), ...(isOwned ? ['--adopt', '*'] : []))
      expect(first.code).toBe(3)
      const [, mine = 'none'] = /This repository manages (varset-\w+)\./.exec(first.stdout) ?? []
      const fresh = () => (place.sandbox.snapshot().sets ?? []).filter(({ name }) => name === 'fresh')
      const made = fresh().map(({ id }) => id)
      expect(made).toHaveLength(2)
      expect(made).toContain(mine)
      const before = place.live()
      const { code, stderr } = await apply(place, place.sandbox.transport)
      expect(code).toBe(1)
      expect(stderr).toContain('The service has 2 sets named "fresh": varset-')
      expect(place.live()).toEqual(before)
      const others = made.filter(id => id !== mine)
      if (isOwned) {
        expect(stderr).toContain(`This repository manages ${mine}.`)
        expect(stderr).toContain(
          `Add \`id: ${mine}\` to the set. To delete the others, add \`removed: [${others}]\` to the file as well.`,
        )
      } else expect(stderr).toContain('The report of the apply that created a set names its id.')
      place.write({
        'sets/a.yaml': FILES['sets/a.yaml']
          .replace('  fresh:\n', `  fresh:\n    id: ${mine}\n`)
          .replace('removed: [old]', `removed: [${others}]`),
      })
      const repaired = await apply(place, place.sandbox.transport)
      expect({ code: repaired.code, stderr: repaired.stderr.replace(TO_FINISH, '') }).toEqual({
        code: 0,
        stderr: '',
      })
      expect(fresh()).toHaveLength(1)
    },
  )
})

describe('a refusal that quotes the token, the request, control characters and a workflow command', () => {
  const PLACES: Readonly<Record<string, (request: ApiRequest, earlier: number, writes: number) => boolean>> =
    {
      'every request': () => true,
      'the first read': (_, earlier) => earlier === 0,
      'the first write': ({ method }, _, writes) => method !== 'GET' && writes === 0,
      'every write': ({ method }) => method !== 'GET',
      'the closing read': ({ method }, _, writes) => method === 'GET' && writes > 0,
    }
  /** A busy service is asked again, and a write that may have been executed is read back: then the run ends with 0. */
  const quoting = (status: number, { headers, body = '' }: ApiRequest): ApiResponse => ({
    status,
    headers: { 'content-type': 'application/vnd.api+json', location: 'https://elsewhere.invalid/x' },
    body: JSON.stringify({
      errors: [{ title: `\u001b[2J\n::error::${headers.authorization}`, detail: body }],
    }),
  })

  test.each([
    [303, 1, 1, 0, 3, 3],
    [307, 1, 1, 0, 3, 3],
    [401, 1, 1, 3, 3, 3],
    [403, 1, 1, 3, 1, 3],
    [404, 1, 1, 3, 3, 3],
    [408, 1, 0, 0, 3, 3],
    [409, 1, 1, 3, 1, 3],
    [422, 1, 0, 3, 1, 3],
    [423, 1, 1, 3, 1, 3],
    [429, 1, 0, 0, 1, 3],
    [500, 1, 0, 0, 3, 3],
    [502, 1, 0, 0, 3, 3],
    [503, 1, 0, 0, 3, 3],
  ])(
    'is not printed, whatever it meets: %i',
    { tags: ['F-12', 'I-17', 'exit-0', 'exit-1', 'exit-3'] },
    async (status, ...ends) => {
      const codes: number[] = []
      for (const meets of Object.values(PLACES)) {
        const place = await aPlace(FILES, { sets: SETS })
        const before = place.live()
        let [earlier, writes] = [0, 0]
        const transport: Transport = async (request, signal) => {
          expect(request.headers.authorization).toContain(place.sandbox.token)
          const isMet = meets(request, earlier++, writes)
          if (request.method !== 'GET') writes++
          return isMet ? quoting(status, request) : await place.sandbox.transport(request, signal)
        }
        const { code, stdout, stderr } = await apply(place, transport)
        const printed = stdout + stderr
        const hidden = [place.sandbox.token, SECRET, '\u001b', '\n    at ', 'internal error', 'undefined']
        expect(hidden.filter(text => printed.includes(text))).toEqual([])
        expect(printed).not.toMatch(/^\s*::/m)
        if (code === 1) expect(place.live()).toEqual(before)
        codes.push(code)
      }
      expect(codes).toEqual(ends)
    },
  )
})
