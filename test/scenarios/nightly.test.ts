import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { itemAt } from '../../src/model/lists.ts'
import { FORMATS } from '../../src/report/formats.ts'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place } from '../support/place.ts'

/**
 * A schedule checks 47 secrets of three sets: every third is external. By day somebody deletes them, makes them readable, or gives them other
 * values.
 */

const COUNT = 47
const SETS = ['a', 'b', 'c'] as const
const numbers = Array.from({ length: COUNT }, (_, at) => at)
const setOf = (at: number) => SETS[at % SETS.length] as string
const keyOf = (at: number) => `KEY_${at}`
const isExternal = (at: number) => Math.floor(at / 3) % 3 === 0
const EXTERNAL = numbers.filter(isExternal)
const OWN = numbers.filter(at => !isExternal(at))

/** Each value of the service and of the source says what it is, so that a report that shows one is found. */
const VALUE = /canary-(?:first|source|rotated)-\d+/
const SECRETS = {
  env: Object.fromEntries(OWN.map(at => [`SETPOINT_SECRET_S${at}`, `canary-source-${at}`])),
}

const declared = (at: number) =>
  isExternal(at) ? '{ external: true }' : `{ secret: { name: S${at}, version: "1" } }`
const FILES = `variableSets:\n${SETS.map(
  set => `  ${set}:
    workspaces: [w, x]
    env:
      LEVEL: info
${numbers
  .filter(at => setOf(at) === set)
  .map(at => `      ${keyOf(at)}: ${declared(at)}\n`)
  .join('')}`,
).join('')}`

type Deed = 'deleted' | 'readable' | 'rotated'

/** What somebody does to each of these variables in the service. */
function doToEach(place: Place, numbers: readonly number[], deedOf: (at: number) => Deed): void {
  const seed = place.sandbox.snapshot({ sensitive: true })
  const deeds = new Map(numbers.map(at => [keyOf(at), [deedOf(at), at] as const]))
  const sets = (seed.sets ?? []).map((set): SetSeed => {
    const variables = set.variables?.flatMap(one => {
      const [deed, at] = deeds.get(one.key) ?? []
      if (deed === undefined) return one
      if (deed === 'deleted') return []
      return deed === 'readable'
        ? { ...one, sensitive: false }
        : { ...one, value: `canary-rotated-${at}`, versionId: undefined }
    })
    return { ...set, variables }
  })
  place.sandbox.restore({ ...seed, sets })
}

/** The files are applied, and the external variables were set by somebody. */
async function aSchedule(owner = 'owner: us\n'): Promise<Place> {
  const place = await aPlace(
    {
      'setpoint.yaml': `organization: acme\n${owner}`,
      'sets/a.yaml': owner === '' ? FILES.replaceAll(', version: "1"', '') : FILES,
      'out/.keep': '',
    },
    {
      sets: SETS.map(name => ({
        name,
        workspaces: ['w', 'x'],
        variables: numbers
          .filter(at => setOf(at) === name && isExternal(at))
          .map(at => ({ key: keyOf(at), category: 'env', value: `canary-first-${at}`, sensitive: true })),
      })),
    },
  )
  expect((await place.setpoint(['apply', '--auto-approve', '--adopt', '*'], SECRETS)).code).toBe(0)
  expect(await night(place)).toEqual(QUIET)
  return place
}

const QUIET: Seen = { code: 0, missing: [], readable: [], changed: [], equal: '3' }

interface DriftReport {
  readonly exitCode: number
  readonly facts: {
    readonly findings: readonly { readonly kind: string; readonly key: string; readonly workspaces: number }[]
  }
  readonly steps: readonly {
    readonly operation: { readonly type: string; readonly after?: { readonly key?: string } }
  }[]
}

/** What the nightly check sees, in JSON and metrics. No output of it shows a value. */
async function night(place: Place): Promise<Seen> {
  const ran = await place.setpoint(
    [
      'drift',
      '--format',
      'json',
      ...FORMATS.flatMap(format => ['--report', `${format}=out/d.${format}`]),
    ].concat('--report', 'metrics=out/d.prom'),
  )
  expect(ran.stderr).toBe('')
  const report = JSON.parse(ran.stdout) as DriftReport
  const found = (kind: string) =>
    report.facts.findings.filter(one => one.kind === kind).map(({ key }) => key.replace('env/', ''))
  for (const file of readdirSync(join(place.cwd, 'out')))
    expect([file, VALUE.exec(readFileSync(join(place.cwd, 'out', file), 'utf8'))]).toEqual([file, null])
  for (const { workspaces } of report.facts.findings) expect(workspaces).toBe(2)
  const metrics = readFileSync(join(place.cwd, 'out/d.prom'), 'utf8')
  return {
    code: ran.code,
    missing: found('missing').toSorted(),
    readable: found('readable').toSorted(),
    changed: [
      ...new Set(report.steps.flatMap(({ operation: { after } }) => after?.key?.replace('env/', '') ?? [])),
    ].toSorted(),
    equal: /^setpoint_sets\{[^}]*state="equal"[^}]*\} (\d+)$/m.exec(metrics)?.[1],
  }
}

const keys = (some: readonly number[]) => some.map(keyOf).toSorted()

/** Everything else that can be asked, and prints no value either. */
async function showsNothing(place: Place): Promise<void> {
  const asked = [
    ...FORMATS.map(format => ['plan', '--verbose', '--format', format]),
    ...['text', 'markdown', 'json'].flatMap(format =>
      [[], ['--from', 'live'], ['--from', 'files']].map(from => [
        'explain',
        'w',
        '--format',
        format,
        ...from,
      ]),
    ),
    ['explain', '--key', 'KEY_0', '--verbose'],
    ['snapshot', '--out', 'snapshot.json'],
    ['plan', '--out', 'plan.json'],
    ['show', 'plan.json'],
  ]
  for (const argv of asked) {
    const { stdout, stderr } = await place.setpoint(argv)
    expect([argv, VALUE.exec(stdout + stderr)]).toEqual([argv, null])
  }
  for (const file of ['snapshot.json', 'plan.json'])
    expect([file, VALUE.exec(readFileSync(join(place.cwd, file), 'utf8'))]).toEqual([file, null])
}

interface Seen {
  readonly code: number
  readonly missing: readonly string[]
  readonly readable: readonly string[]
  readonly changed: readonly string[]
  readonly equal: string | undefined
}

/** By night, and what no apply can mend by the night after it. Another value of an external variable is what "external" means. */
const NOTICED: Readonly<Record<Deed, { readonly before: Partial<Seen>; readonly after: Partial<Seen> }>> = {
  deleted: {
    before: { missing: keys(EXTERNAL), changed: keys(OWN) },
    after: { code: 2, missing: keys(EXTERNAL), equal: '0' },
  },
  readable: { before: { readable: keys(EXTERNAL), changed: keys(OWN) }, after: {} },
  rotated: { before: { changed: keys(OWN) }, after: {} },
}

test.each(['deleted', 'readable', 'rotated'] as const)('every secret is %s', async deed => {
  const place = await aSchedule()
  doToEach(place, numbers, () => deed)
  const { before, after } = NOTICED[deed]
  expect(await night(place)).toEqual({ ...QUIET, code: 2, equal: '0', ...before })
  await showsNothing(place)
  const applied = await place.setpoint(['apply', '--auto-approve'], SECRETS)
  expect([applied.code, VALUE.exec(applied.stdout + applied.stderr)]).toEqual([0, null])
  expect(applied.stdout.includes('external and not in the service')).toBe(deed === 'deleted')
  expect(await night(place)).toEqual({ ...QUIET, ...after })
})

test('each secret has another fate, and what is missing is set again one by one', async () => {
  const place = await aSchedule()
  const applied = place.sandbox.snapshot({ sensitive: true })
  const DEEDS = ['deleted', 'readable', 'rotated'] as const
  const deedOf = (at: number): Deed => itemAt(DEEDS, (at * 7 + Math.floor(at / 5)) % 3)
  const of = (some: readonly number[], ...deeds: readonly Deed[]) =>
    keys(some.filter(at => deeds.includes(deedOf(at))))
  doToEach(place, numbers, deedOf)
  const missing = of(EXTERNAL, 'deleted')
  const readable = of(EXTERNAL, 'readable')
  expect([missing.length > 3, readable.length > 3]).toEqual([true, true])
  expect(await night(place)).toEqual({ code: 2, missing, readable, changed: keys(OWN), equal: '0' })
  await showsNothing(place)
  expect((await place.setpoint(['apply', '--auto-approve'], SECRETS)).code).toBe(0)
  expect(await night(place)).toEqual({ ...QUIET, code: 2, missing, equal: '0' })
  const before = new Map(applied.sets?.map(({ name, variables }) => [name, variables]))
  const seed = place.sandbox.snapshot({ sensitive: true })
  const sets = (seed.sets ?? []).map((set): SetSeed => {
    const here = new Set(set.variables?.map(({ key }) => key))
    const gone = before.get(set.name)?.filter(({ key }) => key.startsWith('KEY_') && !here.has(key))
    return { ...set, variables: [...(set.variables ?? []), ...(gone ?? [])] }
  })
  place.sandbox.restore({ ...seed, sets })
  expect(await night(place)).toEqual(QUIET)
})

test.each(numbers.filter(at => at % 6 === 0))('one secret of 47 is deleted: %i', async at => {
  const place = await aSchedule()
  doToEach(place, [at], () => 'deleted')
  const seen = isExternal(at) ? { missing: [keyOf(at)] } : { changed: [keyOf(at)] }
  expect(await night(place)).toEqual({ ...QUIET, code: 2, equal: '2', ...seen })
})

test('without an owner, what is missing and what is readable of our own is noticed all the same', async () => {
  const place = await aSchedule('')
  doToEach(place, numbers, () => 'deleted')
  const missing = keys(EXTERNAL)
  expect(await night(place)).toEqual({ code: 2, missing, readable: [], changed: keys(OWN), equal: '0' })
  expect((await place.setpoint(['apply', '--auto-approve'], SECRETS)).code).toBe(0)
  expect(await night(place)).toEqual({ ...QUIET, code: 2, missing, equal: '0' })
  doToEach(place, OWN, () => 'readable')
  expect(await night(place)).toEqual({ code: 2, missing, readable: [], changed: keys(OWN), equal: '0' })
  await showsNothing(place)
})
