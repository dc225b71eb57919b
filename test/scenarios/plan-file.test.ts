import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compareReviewed, digestOf, savedPlan } from '../../src/plan/reviewed-plan.ts'
import { aPlace, ONE, type Place } from '../support/place.ts'
import { planOf } from '../support/plans.ts'
import { aDirectory, run } from '../support/program.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const textOf = (place: Place, file = 'plan.json') => readFileSync(join(place.cwd, file), 'utf8')

/** A place with a saved plan for its files. */
async function reviewed(...given: Parameters<typeof aPlace>): Promise<Place> {
  const place = await aPlace(...given)
  const { code, stderr } = await place.setpoint(['plan', '--out', 'plan.json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return place
}

const apply = async (place: Place, ...flags: readonly string[]) => {
  const { code, stderr } = await place.setpoint(['apply', 'plan.json', ...flags])
  return { code, stderr, live: place.live() }
}

describe('plan --out', () => {
  test('writes a file that only its owner can read, and no other file', async () => {
    const place = await reviewed(ONE)
    expect(statSync(join(place.cwd, 'plan.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(place.cwd).toSorted()).toEqual(['plan.json', 'setpoint.yaml', 'sets'])
  })

  test('replaces an older plan, mode included', async () => {
    const place = await aPlace(ONE)
    writeFileSync(join(place.cwd, 'plan.json'), '{"checksum":"","digest":""}', { mode: 0o644 })
    await place.setpoint(['plan', '--out', 'plan.json'])
    expect(statSync(join(place.cwd, 'plan.json')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(textOf(place))).toMatchObject({ format: 2, organization: 'acme', address: place.url })
  })

  test('gives the same bytes for the same files and service', async () => {
    const place = await reviewed(ONE)
    await place.setpoint(['plan', '--out', 'again.json'])
    expect(textOf(place, 'again.json')).toBe(textOf(place))
  })

  test.each([
    ['a directory that does not exist', 'no/plan.json', 'its directory does not exist'],
    ['a directory', 'sets', 'it exists and is not a file'],
  ])(
    'reports before anything else that it cannot write to %s, and leaves no file',
    { tags: ['F-81'] },
    async (_, out, expected) => {
      const place = await aPlace(ONE)
      for (const command of ['plan', 'snapshot'])
        expect(await place.setpoint([command, '--out', out], { env: { SETPOINT_TOKEN: '' } })).toEqual({
          code: 1,
          stdout: '',
          stderr: `error bad-usage\n  --out "${out}": ${expected}.\n  Nothing was read or written. Write to another file, such as: --out setpoint-${command}.json\n`,
        })
      expect(readdirSync(place.cwd).toSorted()).toEqual(['setpoint.yaml', 'sets'])
    },
  )

  test('writes into a pipe, and does not replace it', { tags: ['F-81'] }, async () => {
    const place = await aPlace(ONE)
    const pipe = join(place.cwd, 'pipe')
    execFileSync('mkfifo', [pipe])
    const piped = readFile(pipe, 'utf8')
    expect((await place.setpoint(['plan', '--out', 'pipe'])).code).toBe(0)
    expect((await place.setpoint(['plan', '--out', 'plan.json'])).code).toBe(0)
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    expect(await piped).toBe(readFileSync(join(place.cwd, 'plan.json'), 'utf8'))
  })

  test('reports a full device, and does not replace it', async () => {
    const place = await aPlace(ONE)
    const { code, stderr } = await place.setpoint(['plan', '--out', '/dev/full'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('/dev/full could not be written (ENOSPC)'),
    })
    expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true)
  })
})

describe('apply PLANFILE', () => {
  test('applies the reviewed plan without asking', async () => {
    const place = await reviewed(ONE)
    expect(await apply(place)).toEqual({ code: 0, stderr: '', live: ['a  env/A=1'] })
  })

  test('reports on a second run what is already done', async () => {
    const place = await reviewed({ 'sets/a.yaml': 'variableSets: { a: {}, b: {} }\n' })
    await apply(place)
    expect(await apply(place)).toEqual({
      code: 0,
      stderr: 'already done: "create-set a"\nalready done: "create-set b"\n',
      live: ['a', 'b'],
    })
  })

  test('applies the rest of a partly applied plan', async () => {
    const place = await reviewed({ 'sets/a.yaml': 'variableSets: { a: {}, b: {} }\n' })
    place.change([{ name: 'a' }])
    expect(await apply(place)).toEqual({
      code: 0,
      stderr: 'already done: "create-set a"\n',
      live: ['a', 'b'],
    })
  })

  test('is refused if the service changed, and shows the reviewed and the current steps', {
    tags: ['F-25'],
  }, async () => {
    const variables = [{ key: 'A', category: 'env', value: '0' }]
    const place = await reviewed(ONE, { sets: [{ name: 'a', id: 'varset-AAAAAAAAAAAAAAA1', variables }] })
    place.change([
      {
        name: 'a',
        id: 'varset-AAAAAAAAAAAAAAA1',
        variables: [{ ...variables[0], key: 'A', category: 'env', value: '5' }],
      },
    ])
    expect(await apply(place)).toEqual({
      code: 4,
      stderr: [
        'error refused',
        '  The reviewed plan is out of date.',
        '  update-variable a env/A',
        '    reviewed: before.value.text "0"',
        '    now:      before.value.text "5"',
        '  Nothing was written. Make a new plan and have it reviewed.',
        '',
      ].join('\n'),
      live: ['a  env/A=5'],
    })
  })

  test('is refused if the files changed', async () => {
    const place = await reviewed(ONE)
    place.write({ 'sets/b.yaml': 'variableSets: { b: {} }\n' })
    const { code, stderr, live } = await apply(place)
    expect(stderr).toContain('create-set b\n    reviewed: nothing\n    now:      create-set b\n')
    expect({ code, live }).toEqual({ code: 4, live: [] })
  })

  test('does not pass a guard without --approve', async () => {
    const place = await reviewed(
      { 'sets/a.yaml': 'removed: [a]\n' },
      { sets: [{ name: 'a', workspaces: ['w'] }] },
    )
    const { code, stderr } = await apply(place)
    expect(stderr).toContain('The plan in "plan.json" is blocked')
    expect(code).toBe(4)
    const { digest } = JSON.parse(textOf(place))
    expect(await apply(place, '--approve', digest)).toEqual({ code: 0, stderr: '', live: [] })
  })

  test('keeps the selection of the plan, and cannot be combined with --only', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets: { a: {}, b: {} }\n' })
    await place.setpoint(['plan', '--only', 'a', '--out', 'plan.json'])
    const { code, stderr } = await apply(place, '--only', 'b')
    expect(stderr).toContain(
      'error bad-usage\n  --only cannot be combined with a plan file, which contains its selection.',
    )
    expect(code).toBe(1)
    expect(await apply(place)).toEqual({ code: 0, stderr: '', live: ['a'] })
  })

  test('is refused for another organization', async () => {
    const place = await reviewed(ONE)
    place.sandbox.ensure({ organizations: [{ name: 'other' }] })
    place.write({ 'setpoint.yaml': 'organization: other\n' })
    const { code, stderr, live } = await apply(place)
    expect(stderr).toContain(
      `The reviewed plan is for acme at ${place.url}, but this run is for other at ${place.url}.`,
    )
    expect({ code, live }).toEqual({ code: 4, live: [] })
  })

  test('is refused at another address', async () => {
    const place = await reviewed(ONE)
    const elsewhere = await place.sandbox.listen()
    const env = { SETPOINT_ADDRESS: elsewhere.url }
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], { env })
    expect(stderr).toContain(
      `The reviewed plan is for acme at ${place.url}, but this run is for acme at ${elsewhere.url}.`,
    )
    expect({ code, live: place.live() }).toEqual({ code: 4, live: [] })
  })
})

test('an apply tells the warnings of the files, unless whoever made the plan file has read them', async () => {
  const files = { 'sets/a.yaml': 'variableSets: { a: { env: { A: "\u201cquoted\u201d" } } }\n' }
  const place = await aPlace(files)
  expect((await place.setpoint(['plan', '--out', 'plan.json'])).stderr).toContain('warning odd-text')
  expect((await place.setpoint(['apply', 'plan.json', '--quiet'])).stderr).toBe('')
  expect((await place.setpoint(['apply', 'plan.json'])).stderr).not.toContain('odd-text')
  expect((await place.setpoint(['apply', '--auto-approve'])).stderr).toContain('warning odd-text')
})

describe('a modified plan file', () => {
  const EDITED = 'its checksum does not match'
  const MISTAKES: readonly (readonly [string, (text: string) => string, string])[] = [
    ['truncated in the middle', text => text.slice(0, text.length / 2), 'it was truncated'],
    ['without its last byte', text => text.slice(0, -1), EDITED],
    ['that is empty', () => '', 'it was truncated'],
    ['with one value edited', text => text.replace('"text": "1"', '"text": "2"'), EDITED],
    ['with its guards edited', text => text.replace('"blocked": false', '"blocked": true'), EDITED],
    [
      'with another digest',
      text => text.replace(/(?<="digest": ").(?=.)/, digit => (digit === '0' ? '1' : '0')),
      EDITED,
    ],
    ['with another order of lines', text => `${JSON.stringify(JSON.parse(text))}\n`, EDITED],
    ['with a member twice', text => text.replace('{\n', '{\n  "blocked": true,\n'), EDITED],
    ['with an unknown member', text => text.replace('{\n', '{\n  "force": true,\n'), 'not have the format'],
    ['with CRLF line endings', text => text.replaceAll('\n', '\r\n'), EDITED],
    ['that is a snapshot', () => '{"format": 3, "takenAt": "", "directory": {}}\n', 'not have the format'],
    ['of another kind', () => '{"format": 2}\n', 'not have the format'],
    [
      'of an older version',
      text => text.replace('"format": 2', '"format": 1'),
      'Another version of Setpoint',
    ],
  ]

  test.each(MISTAKES)('%s is refused by apply and by show', async (_, change, expected) => {
    const place = await reviewed(ONE)
    const text = textOf(place)
    expect(change(text)).not.toBe(text)
    writeFileSync(join(place.cwd, 'plan.json'), change(text))
    const { code, stderr, live } = await apply(place)
    expect(stderr).toContain(expected)
    expect({ code, live }).toEqual({ code: 4, live: [] })
    const shown = await run(['show', 'plan.json'], { cwd: place.cwd })
    expect(shown).toEqual({ code: 4, stdout: '', stderr })
  })
})

describe('a carefully forged plan file', () => {
  /** Changes a value and recomputes the checksum, and the digest unless it is kept. */
  async function forged(digest: 'kept' | 'recomputed') {
    const place = await reviewed(ONE)
    const { checksum: _, ...plan } = JSON.parse(textOf(place).replace('"text": "1"', '"text": "2"'))
    const other = { ...plan, digest: digest === 'kept' ? plan.digest : digestOf(plan) }
    writeFileSync(join(place.cwd, 'plan.json'), savedPlan(other))
    return await apply(place)
  }

  test('is refused if the digest does not match', async () => {
    const { code, stderr, live } = await forged('kept')
    expect(stderr).toContain('its checksum does not match')
    expect({ code, live }).toEqual({ code: 4, live: [] })
  })

  test('is refused if its digest matches, because it is not the current plan', {
    tags: ['I-21'],
  }, async () => {
    const { code, stderr, live } = await forged('recomputed')
    expect(stderr).toContain('create-set a\n    reviewed: after.variables')
    expect({ code, live }).toEqual({ code: 4, live: [] })
  })
})

/** What `show` and `comment` say about a saved plan. */
const CLAIMS = 'covers the operations; names of workspaces, effects, exposure and warnings are not verified'

describe('show PLANFILE', () => {
  test.each([
    ['text', `Digest  ${CLAIMS}\n`],
    ['markdown', `**Digest** ${CLAIMS}\n\n`],
  ])(
    'prints what plan printed, as %s, without a connection, and which parts the digest does not cover',
    async (format, claims) => {
      const place = await aPlace(ONE)
      const planned = await place.setpoint(['plan', '--out', 'plan.json', '--format', format])
      const { code, stdout, stderr } = await run(['show', 'plan.json', '--format', format], {
        cwd: place.cwd,
      })
      expect(stdout).toContain(claims)
      expect({ code, stdout: stdout.replace(claims, ''), stderr }).toEqual({
        code: 0,
        stdout: planned.stdout,
        stderr: '',
      })
    },
  )

  test('prints as json what plan printed, but for what only a new plan knows', async () => {
    const place = await aPlace(ONE)
    const report = JSON.parse(
      (await place.setpoint(['plan', '--out', 'plan.json', '--format', 'json'])).stdout,
    )
    const shown = await run(['show', 'plan.json', '--format', 'json'], { cwd: place.cwd })
    const { planned, run: ofPlan, ...others } = report
    expect(ofPlan.version).toBe('0.0.0-test')
    expect([shown.code, shown.stderr, JSON.parse(shown.stdout)]).toEqual([0, '', others])
    expect(planned.sets).toHaveLength(1)
  })

  test('calls other names and a missing exposure claims of the file, because the digest stays the same', async () => {
    const place = await reviewed({
      'sets/a.yaml': 'variableSets: { a: { workspaces: [w], env: { A: { secret: S } } } }\n',
    })
    expect((await run(['show', 'plan.json'], { cwd: place.cwd })).stdout).toContain('newly in w')
    const { checksum: _, ...plan } = JSON.parse(textOf(place).replace(/^( +"ws-\w+": )"w"/m, '$1"harmless"'))
    const facts = { ...plan.facts, exposure: [] }
    writeFileSync(join(place.cwd, 'plan.json'), savedPlan({ ...plan, facts }))
    const { code, stdout } = await run(['show', 'plan.json'], { cwd: place.cwd })
    expect([code, stdout.includes(plan.digest.slice(0, 12)), stdout.includes('newly in')]).toEqual([
      0,
      true,
      false,
    ])
    expect(stdout).toContain(CLAIMS)
  })
})

describe('a plan that only writes a secret again', () => {
  const SECRET = { 'sets/a.yaml': 'variableSets: { a: { env: { A: { secret: S } } } }\n' }
  const leaked = { name: 'a', variables: [{ key: 'A', value: 'leaked', category: 'env', sensitive: true }] }
  const env = { SETPOINT_SECRET_S: 'rotated' }

  test('is not covered by the approval of an empty plan', async () => {
    const place = await aPlace(SECRET, { sets: [leaked] })
    const { digest } = JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout)
    const { code } = await place.setpoint(['apply', '--rewrite', 'a/A', '--approve', digest], { env })
    expect({ code, live: place.live().join() }).toEqual({ code: 4, live: expect.stringContaining('leaked') })
  })

  test('contains the request to rewrite in its file', async () => {
    const place = await aPlace(SECRET, { sets: [leaked] })
    await place.setpoint(['plan', '--rewrite', 'a/A', '--out', 'plan.json'])
    const { code, stdout } = await place.setpoint(['apply', 'plan.json'], { env })
    expect({ code, live: place.live().join() }).toEqual({ code: 0, live: expect.stringContaining('rotated') })
    expect(stdout).toContain('1 updated')
  })
})

describe('a file that is no plan', () => {
  test.each([
    ['endless brackets', '['.repeat(50_000_000)],
    ['more values than any plan has', `[${'[],'.repeat(30_000_000)}[]]`],
  ])('is rejected by its size: %s', async (_, text) => {
    const cwd = aDirectory({ 'plan.json': text, 'setpoint.yaml': 'organization: acme\n', ...ONE })
    const shown = await run(['show', 'plan.json'], { cwd })
    expect([shown.code, shown.stderr]).toEqual([4, expect.stringContaining('too large')])
    const planned = await run(['plan', '--snapshot', 'plan.json'], { cwd })
    expect([planned.code, planned.stderr]).toEqual([1, expect.stringContaining('larger than any snapshot')])
  })

  test('lists only some of the steps that differ if there are thousands', () => {
    const variables = (text: string) =>
      Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`env/K${at}`, text]))
    const before = (text: string) => anObservedState(anObserved('1', 'a', { variables: variables(text) }))
    const files = aDesiredState(aSet('a', { variables: variables('new') }))
    const now = planOf(files, before('old'))
    const steps = planOf(files, before('older')).steps.map((step, at) => ({ ...step, id: `x${at}` }))
    const { conflicts } = compareReviewed([{ ...now, steps }], now, before('old'))
    expect(conflicts).toHaveLength(10_000)
    expect(conflicts[0]?.now).toMatch(
      /^(?:update-variable a env\/K\d+, ){4}update-variable a env\/K\d+ and 4995 more$/,
    )
  })
})
