import { expect, test } from 'vitest'
import type { ApiRequest, Transport } from '../../src/wire/transport.ts'
import { aPlace, ONE } from '../support/place.ts'

const APPLY = ['apply', '--auto-approve']

/** A service that refuses requests with 429. `refuses` gets a request and how often it was sent. */
async function throttled(refuses: (request: ApiRequest, times: number) => boolean, hint = '0') {
  const place = await aPlace(ONE)
  const sent = new Map<string, number>()
  const transport: Transport = async (request, signal) => {
    const what = `${request.method} ${request.path} ${JSON.stringify(request.query ?? {})}`
    const times = (sent.get(what) ?? 0) + 1
    sent.set(what, times)
    if (refuses(request, times)) return { status: 429, headers: { 'retry-after': hint }, body: '' }
    return await place.sandbox.transport(request, signal)
  }
  const setpoint = async (argv: readonly string[]) => {
    const { stderr, ...ran } = await place.setpoint(argv, { io: { transport } })
    const waits = /^waiting \d+ s: the rate limit of the service \(\d+ s so far, at most 900 s\)\n/gm
    return { ...ran, stderr: stderr.replace(waits, '') }
  }
  return { ...place, sent, setpoint }
}

test('a service that refuses each request nine times with 429 costs an apply nothing but time', {
  tags: ['F-10', '8.2'],
}, async () => {
  const { setpoint, live } = await throttled((_, times) => times % 10 !== 0)
  const { code, stdout, stderr } = await setpoint(APPLY)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('Applied: 1 created.')
  expect(live()).toEqual(['a  env/A=1'])
})

test.each(['0', '60'])(
  'a service that refuses everything ends a plan after a quarter of an hour, whatever it asks for: %s',
  { tags: ['F-10', '8.2'] },
  async hint => {
    const { setpoint, sent } = await throttled(() => true, hint)
    const { code, stderr } = await setpoint(['plan'])
    expect([code, stderr]).toEqual([
      1,
      'error service-failure\n  GET /api/v2/organizations/acme/varsets: not sent: the service asked to wait for more than 15 minutes in total.\n  Other clients may be using up the rate limit of this token. Run the command later, or with a lower --rate.\n',
    ])
    expect(Math.max(...sent.values())).toBeLessThan(120)
  },
)

test('a service that refuses all writes ends an apply after a quarter of an hour, and it wrote nothing', {
  tags: ['F-10', '8.2'],
}, async () => {
  const { setpoint, live } = await throttled(({ method }) => method !== 'GET', '60')
  const { code, stdout } = await setpoint(APPLY)
  expect(stdout).toContain('the service asked to wait too long')
  expect([code, live()]).toEqual([1, []])
})
