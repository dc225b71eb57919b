import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { EVENT_FORMAT } from '../../src/run/commands/apply-approved.ts'
import { start } from '../support/child.ts'
import { aPlace, ONE, REFUSED, SILENT } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

const SCHEMA = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../schemas/event.schema.json'), 'utf8'),
)
const isEvent = new Ajv2020({ strict: true }).compile(SCHEMA)

const APPLY = ['apply', '--auto-approve', '--events', 'events.ndjson', '--concurrency', '1']

type Event = Readonly<Record<string, unknown>>

/** Every line, checked against the published schema. */
function eventsIn(text: string): Event[] {
  expect(text.endsWith('\n')).toBe(true)
  return text
    .slice(0, -1)
    .split('\n')
    .map(line => {
      const event: Event = JSON.parse(line)
      isEvent(event)
      expect(isEvent.errors).toBeNull()
      expect(Object.keys(event).filter(key => !(key in SCHEMA.properties))).toEqual([])
      return event
    })
}

const short = ({ event, step, outcome, exitCode, closing, outcomes, steps }: Event): unknown =>
  JSON.parse(JSON.stringify({ event, step, outcome, exitCode, closing, outcomes, steps }))

describe('apply --events', () => {
  test('writes one line per event, in order', async () => {
    const place = await aPlace(
      {
        'sets/a.yaml': `variableSets: { ${REFUSED}, b: { env: { B: 2 } } }\n`,
      },
      SILENT,
    )
    const { code } = await place.setpoint(APPLY)
    const events = eventsIn(readFileSync(join(place.cwd, 'events.ndjson'), 'utf8'))
    expect(code).toBe(3)
    expect(events.map(short)).toEqual([
      { event: 'start', steps: 2 },
      { event: 'step-start', step: 'create-set a' },
      {
        event: 'step-end',
        step: 'create-set a',
        outcome: { status: 'failed', message: expect.stringContaining('No workspace') },
      },
      { event: 'step-start', step: 'create-set b' },
      { event: 'step-end', step: 'create-set b', outcome: { status: 'succeeded' } },
      {
        event: 'end',
        exitCode: 3,
        closing: 'differs',
        outcomes: { succeeded: 1, failed: 1, skipped: 0, unknown: 0 },
      },
    ])
    expect(events.map(({ requests }) => (requests as { writes: number }).writes)).toEqual([0, 0, 1, 1, 2, 2])
    expect(events[0]).toMatchObject({
      format: EVENT_FORMAT,
      time: '2026-01-01T00:00:00.000Z',
      organization: 'acme',
      address: place.url,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('writes no value, secret or readable', async () => {
    const place = await aPlace({
      'sets/a.yaml': 'variableSets: { a: { env: { A: readable-value, S: { secret: S } } } }\n',
    })
    await place.setpoint(APPLY, { env: { SETPOINT_SECRET_S: 'hidden-value' } })
    expect(place.live()).toHaveLength(1)
    expect(readFileSync(join(place.cwd, 'events.ndjson'), 'utf8')).not.toMatch(/readable-value|hidden-value/)
  })

  test('appends to the file, after an incomplete last line', async () => {
    const place = await aPlace(ONE)
    const file = join(place.cwd, 'events.ndjson')
    appendFileSync(file, '{"format":"1.0","eve')
    await place.setpoint(APPLY)
    const [incomplete, ...rest] = readFileSync(file, 'utf8').split('\n')
    expect(incomplete).toBe('{"format":"1.0","eve')
    expect(eventsIn(rest.join('\n')).map(({ event }) => event)).toEqual([
      'start',
      'step-start',
      'step-end',
      'end',
    ])
  })

  test('has every step that was sent, even if the program is killed', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `set-${at}`)
    let kill = (): void => {}
    let writes = 0
    const place = await aPlace(
      { 'sets/a.yaml': `variableSets: { ${names.map(name => `${name}: {}`).join(', ')} }\n` },
      {
        faults: {
          matches: ({ method }) => {
            if (method === 'POST' && ++writes === 5) kill()
            return false
          },
        },
      },
    )
    const child = start(APPLY, { cwd: place.cwd, env: place.env })
    kill = () => child.process.kill('SIGKILL')
    expect((await child.ended).signal).toBe('SIGKILL')
    const events = eventsIn(readFileSync(join(place.cwd, 'events.ndjson'), 'utf8'))
    expect(events.filter(({ event }) => event === 'step-start')).toHaveLength(5)
    expect(events.filter(({ event }) => event === 'step-end')).toHaveLength(4)
  })

  test.each<readonly [string, string, (path: string) => void]>([
    ['the directory does not exist', 'no/events', () => {}],
    ['it is a directory', 'folder', path => mkdirSync(path)],
    ['it is a link', 'link', path => symlinkSync(join(aDirectory({ a: '' }), 'a'), path)],
    ['it is a pipe', 'pipe', path => spawnSync('mkfifo', [path])],
    ['it is also a report', 'plan.json', () => {}],
  ])('is refused before anything is written if %s', async (_, file, prepare) => {
    const place = await aPlace(ONE)
    prepare(join(place.cwd, file))
    const argv = ['apply', '--auto-approve', '--events', file, '--report', 'json=plan.json']
    const { code, stdout, stderr } = await place.setpoint(argv)
    expect({ code, stdout, live: place.live() }).toEqual({ code: 1, stdout: '', live: [] })
    expect(stderr).toMatch(
      /--events "[^"]+" cannot be written \(|it is also the file of --events|--events "link": it is a symbolic link/,
    )
  })

  test('writes nothing if there are no changes or no consent', async () => {
    const place = await aPlace(ONE)
    await place.setpoint(['apply', '--events', 'events.ndjson'])
    await place.setpoint(['apply', '--auto-approve'])
    await place.setpoint(APPLY)
    expect(readFileSync(join(place.cwd, 'events.ndjson'), 'utf8')).toBe('')
  })
})
