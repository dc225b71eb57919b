import { describe, expect, test } from 'vitest'
import { isObject } from '../../src/model/json.ts'
import { INVENTORY_PREFIX } from '../../src/model/names.ts'
import { type Transport, TransportError } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'

/** What a service makes of every name, key and value, and a file of which it changes all three. */
const FORMS = [
  {
    name: 'trims',
    form: (text: string) => text.trim(),
    set: ' net ',
    key: 'A_KEY ',
    value: ' x',
    others: '',
  },
  {
    name: 'folds the case',
    form: (text: string) => text.toLowerCase(),
    set: 'Net',
    key: 'A_KEY',
    value: 'Prod',
    others: '',
  },
  {
    name: 'squeezes whitespace',
    form: (text: string) => text.replace(/ +/g, ' '),
    set: 'the  net',
    key: 'A  KEY',
    value: 'x  y',
    others: '',
  },
  {
    name: 'composes',
    form: (text: string) => text.normalize('NFC'),
    set: 'cafe\u0301',
    key: 'CLE\u0301',
    value: 'e\u0301te\u0301',
    others: '',
  },
  {
    name: 'cuts at 90',
    form: (text: string) => text.slice(0, 90),
    set: 'n'.repeat(95),
    key: 'K'.repeat(95),
    value: 'v'.repeat(95),
    others: '',
  },
] as const

type Form = (typeof FORMS)[number]

/** A service behind a proxy that changes what is written. Inventories and secrets pass. */
function changing(inner: Transport, form: (text: string) => string): Transport {
  const attributes = (given: unknown): unknown => {
    if (!isObject(given)) return given
    const changed = Object.entries(given).map(([name, value]) => {
      const isText = (name === 'name' || name === 'key' || name === 'value') && typeof value === 'string'
      return [name, isText && !(name === 'value' && given.sensitive === true) ? form(value) : value]
    })
    return Object.fromEntries(changed)
  }
  const everywhere = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(everywhere)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        name === 'attributes' ? attributes(one) : everywhere(one),
      ]),
    )
  }
  return async (request, signal) => {
    const isOfInventory =
      request.body?.includes(INVENTORY_PREFIX) || /varset-[A-Za-z0-9]{16}\\?"/.test(request.body ?? '')
    const body =
      request.body === undefined || isOfInventory
        ? request.body
        : JSON.stringify(everywhere(JSON.parse(request.body)))
    return await inner(body === undefined ? request : { ...request, body }, signal)
  }
}

/** The key of a secret beside the key of a value. */
const secretKey = (key: string): string => `S_${key}`

const file = (set: string, key: string, value: string): string =>
  `variableSets:
  ${JSON.stringify(set)}:
    workspaces: [w]
    terraform:
      ${JSON.stringify(key)}: ${JSON.stringify(value)}
      ${JSON.stringify(secretKey(key))}: { secret: S }
`

/** A long value is not repeated. */
const toWrite = (text: string): string =>
  text.startsWith('vv') ? 'Write its first 90 characters.' : `Write ${JSON.stringify(text)}.`

const AUTO = ['apply', '--auto-approve']
const SECRETS = { SETPOINT_SECRET_S: 'the-secret' }

async function aService({ form, set, key, value }: Form, owner: string) {
  const place = await aPlace({ 'sets/a.yaml': file(set, key, value) })
  place.write({ 'setpoint.yaml': `organization: acme\n${owner}` })
  const transport = changing(place.sandbox.transport, form)
  const setpoint = (argv: readonly string[]) => place.setpoint(argv, { env: SECRETS, io: { transport } })
  const sets = () => place.live().filter(line => !line.startsWith(INVENTORY_PREFIX))
  return { place, setpoint, sets }
}

describe.each(FORMS)('a service that $name names, keys and values', form => {
  const stored = [form.set, form.key, form.value].map(form.form) as [string, string, string]
  const written = file(...stored).replace(
    JSON.stringify(secretKey(stored[1])),
    JSON.stringify(form.form(secretKey(form.key))),
  )

  test('with an inventory: the first apply ends well, says what to write, and no later one sends, creates or deletes', async () => {
    const { place, setpoint, sets } = await aService(form, 'owner: me\n')
    const first = await setpoint(AUTO)
    expect([first.code, first.stdout + first.stderr]).toEqual([
      0,
      expect.stringContaining('stored-otherwise'),
    ])
    for (const text of stored) expect(first.stdout + first.stderr).toContain(toWrite(text))
    const made = sets()
    expect(made).toHaveLength(1)
    for (const _ of [2, 3]) {
      const plan = await setpoint(['plan', '--detailed-exitcode'])
      expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('No changes')])
      for (const text of stored) expect(plan.stdout + plan.stderr).toContain(toWrite(text))
      const again = await setpoint(AUTO)
      expect([again.code, sets()]).toEqual([0, made])
      expect((await setpoint(['drift'])).code).toBe(0)
    }
    place.write({ 'sets/a.yaml': written })
    expect([(await setpoint(AUTO)).code, sets()]).toEqual([0, made])
    const end = await setpoint(['plan', '--detailed-exitcode'])
    expect([end.code, end.stderr]).toEqual([0, expect.not.stringContaining('stored-otherwise')])
  })

  test('without one: what would be created beside itself is an error with the text to write', async () => {
    const { place, setpoint, sets } = await aService(form, '')
    const first = await setpoint(AUTO)
    expect([first.code, first.stdout + first.stderr]).toEqual([
      0,
      expect.stringContaining('stored-otherwise'),
    ])
    const made = sets()
    expect(made).toHaveLength(1)
    for (const _ of [2, 3]) {
      const again = await setpoint(AUTO)
      expect([again.code, sets()]).toEqual([1, made])
      expect(again.stderr).toContain('sets/a.yaml:2:3  error stored-otherwise')
      expect(again.stderr).toContain(`Write ${JSON.stringify(stored[0])}.`)
    }
    // The name alone, and then the keys.
    place.write({ 'sets/a.yaml': file(stored[0], form.key, form.value) })
    const keys = await setpoint(AUTO)
    expect([keys.code, sets()]).toEqual([1, made])
    expect(keys.stderr).toContain('sets/a.yaml:5:7  error stored-otherwise')
    expect(keys.stderr).toContain(`Write ${JSON.stringify(stored[1])}.`)
    place.write({ 'sets/a.yaml': written })
    expect([(await setpoint(AUTO)).code, sets()]).toEqual([0, made])
    const end = await setpoint(['plan', '--detailed-exitcode'])
    expect([end.code, end.stderr]).toEqual([0, expect.not.stringContaining('stored-otherwise')])
  })
})

/** Values of Terraform variables that a service stores in another form. `form`: of their texts. */
const VALUES = [
  {
    name: 'lays out HCL',
    form: (text: string) => text.replace('["a","b"]', '[\n  "a",\n  "b",\n]\n'),
    line: `{ hcl: '["a","b"]' }`,
    isKnown: true,
    said: 'in another layout',
  },
  {
    name: 'drops quotes',
    form: (text: string) => text.replace(/^"(.*)"$/, '$1'),
    line: `'"x"'`,
    isKnown: true,
    said: 'without its quotes: "x" instead of "\\"x\\""',
  },
  {
    name: 'does something else',
    form: (text: string) => [...text].reverse().join(''),
    line: 'abc',
    isKnown: false,
    said: '',
  },
]

describe.each(VALUES)('a service that $name', ({ form, line, isKnown, said }) => {
  test.each([
    ['with an inventory', 'owner: me\n'],
    ['without one', ''],
  ])('%s: each apply says what it shows, and never to run it again', async (_, owner) => {
    const place = await aPlace({
      'setpoint.yaml': `organization: acme\n${owner}`,
      'sets/a.yaml': 'variableSets: { net: {} }\n',
    })
    expect((await place.setpoint(AUTO)).code).toBe(0)
    place.write({ 'sets/a.yaml': `variableSets: { net: { terraform: { V: ${line} } } }\n` })
    const transport = changing(place.sandbox.transport, text =>
      /^[a-z_]*$|net|V/.test(text) && text !== 'abc' ? text : form(text),
    )
    for (const time of [1, 2, 3]) {
      const { code, stdout, stderr } = await place.setpoint(AUTO, { io: { transport } })
      const all = stdout + stderr
      expect(all).not.toContain('run the same apply again')
      if (isKnown) {
        expect([time, code, all]).toEqual([time, 0, expect.stringContaining(said)])
        expect(all.includes('applying it again cannot help')).toBe(owner === '')
      } else {
        expect([time, code]).toEqual([time, 3])
        expect(all).toContain(
          'the service does not keep the value of "V": "abc" was sent, and it shows "cba". Write what it shows; applying this again cannot help',
        )
      }
    }
  })
})

/** The first creation is carried out, and its response is lost. */
function losing(inner: Transport, isCreation: (path: string) => boolean): Transport {
  let isLost = false
  return async (request, signal) => {
    const response = await inner(request, signal)
    if (isLost || request.method !== 'POST' || !isCreation(request.path)) return response
    isLost = true
    throw new TransportError('the connection ended', { sent: 'maybe', code: 'ECONNRESET' })
  }
}

test.each(FORMS)(
  'a lost response of a service that $name makes no second set and no second variable',
  async form => {
    for (const [what, isCreation] of [
      ['set', (path: string) => path.endsWith('/varsets')],
      ['variable', (path: string) => path.endsWith('/vars')],
    ] as const) {
      const place = await aPlace({
        'setpoint.yaml': 'organization: acme\nowner: me\n',
        'sets/a.yaml': what === 'set' ? file(form.set, form.key, form.value) : 'variableSets: { net: {} }\n',
      })
      const transport = changing(place.sandbox.transport, form.form)
      const setpoint = (over: Transport) => place.setpoint(AUTO, { env: SECRETS, io: { transport: over } })
      if (what === 'variable') {
        expect((await setpoint(transport)).code).toBe(0)
        place.write({ 'sets/a.yaml': file('net', form.key, form.value) })
      }
      const codes = [
        await setpoint(losing(transport, isCreation)),
        await setpoint(transport),
        await setpoint(transport),
      ]
      const sets = place.live().filter(line => !line.startsWith(INVENTORY_PREFIX))
      expect([what, codes.map(({ code }) => code)]).toEqual([what, [0, 0, 0]])
      expect([what, sets.length, sets[0]?.split(' terraform/').length]).toEqual([what, 1, 3])
    }
  },
)

test('a creation that a service carried out in another case and refused is not reported as failed', async () => {
  const place = await aPlace({ 'sets/a.yaml': 'variableSets: { Net: { env: { A: 1 } }, Other: {} }\n' })
  const transport = changing(place.sandbox.transport, text => text.toLowerCase())
  const refusing: Transport = async (request, signal) => {
    const response = await transport(request, signal)
    if (request.method !== 'POST' || request.body?.includes('"Net"') !== true) return response
    return { ...response, status: 422, body: '{"errors":[{"status":"422","title":"no"}]}' }
  }
  const { code, stdout } = await place.setpoint(AUTO, { io: { transport: refusing } })
  expect([code, stdout]).toEqual([3, expect.not.stringMatching(/[1-9]\d* failed/)])
  expect(place.live().map(line => line.split(' ')[0])).toEqual(['net', 'other'])
})

describe('a service of which a name shows that it keeps the case', () => {
  const live = (...names: string[]) => ({ sets: names.map(name => ({ name })) })
  const NEW = { 'sets/a.yaml': 'variableSets: { App: {} }\n' }

  test('creates a set beside one in another case', async () => {
    const place = await aPlace(NEW, live('app', 'Other'))
    expect((await place.setpoint(AUTO)).code).toBe(0)
    expect(place.live()).toContain('App')
  })

  test('and without such a name, it is an error that names both ways out', async () => {
    const place = await aPlace(NEW, live('app', 'other'))
    const ran = await place.setpoint(AUTO)
    expect([ran.code, place.live()]).toEqual([1, ['app', 'other']])
    expect(ran.stderr).toContain(`sets/a.yaml:1:17  error stored-otherwise
  The service has a set "app" and no "App", and may store "App" as "app" (in lower case).
  Write "app". If it is another set, give this one a name that differs in more than this, or delete the other one first.
`)
  })

  test('a key that the file changes to another case is another key, if the inventory shows that it was sent as it is', async () => {
    const place = await aPlace({
      'setpoint.yaml': 'organization: acme\nowner: me\n',
      'sets/a.yaml': 'variableSets: { net: { env: { http_proxy: a } } }\n',
    })
    expect((await place.setpoint(AUTO)).code).toBe(0)
    place.write({ 'sets/a.yaml': 'variableSets: { net: { env: { HTTP_PROXY: a } } }\n' })
    expect((await place.setpoint(AUTO)).code).toBe(0)
    expect(place.live().filter(line => line.startsWith('net'))).toEqual(['net  env/HTTP_PROXY=a'])
    place.write({ 'sets/a.yaml': 'variableSets: { net: { env: { HTTP_PROXY: a, http_proxy: a } } }\n' })
    expect((await place.setpoint(AUTO)).code).toBe(0)
    expect(place.live().filter(line => line.startsWith('net'))).toEqual([
      'net  env/HTTP_PROXY=a env/http_proxy=a',
    ])
  })
})

describe.each([
  ['otf', 'A_KEY '],
  ['terrence', 'A_KEY'],
  ['loose', 'A_KEY'],
] as const)('the sandbox as %s, with a name and a key %j', (server, key) => {
  test.each([
    ['with an inventory', 'owner: me\n'],
    ['without one', ''],
  ])('%s: no later apply makes anything more', async (_, owner) => {
    const set = (name: string) =>
      `  ${JSON.stringify(name)}: { workspaces: [w], terraform: { ${JSON.stringify(key)}: x, S: { secret: S } } }\n`
    const files = (...names: string[]) => ({ 'sets/a.yaml': `variableSets:\n${names.map(set).join('')}` })
    const place = await aPlace(
      { 'setpoint.yaml': `organization: acme\n${owner}`, ...files(' Net ') },
      { profile: { server } },
    )
    const apply = () => place.setpoint(AUTO, { env: SECRETS })
    const sets = () => place.live().filter(line => !line.startsWith(INVENTORY_PREFIX))
    expect((await apply()).code).toBe(0)
    const made = sets()
    expect(made).toHaveLength(1)
    for (const _ of [2, 3]) expect([(await apply()).code, sets()]).toEqual([owner === '' ? 1 : 0, made])
    if (owner === '') return
    // A second one, whose name is not yet shown in the other form.
    place.write(files(' Net ', ' Other '))
    for (const _ of [1, 2]) expect([(await apply()).code, sets().length]).toEqual([0, 2])
  })
})
