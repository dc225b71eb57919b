import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { TELLING } from '../support/formats.ts'
import { aPlace, type Place, SEED, SILENT } from '../support/place.ts'

const [W, X, Y] = ['ws-AAAAAAAAAAAAAAA1', 'ws-AAAAAAAAAAAAAAA2', 'ws-AAAAAAAAAAAAAAA3'] as const
const P = 'prj-AAAAAAAAAAAAAAA1'
const TARGETS = {
  workspaces: [
    { id: W, name: 'payments-prod', project: 'core' },
    { id: X, name: 'sandbox-of-eve' },
  ],
  projects: [{ id: P, name: 'core' }],
}
const SECRET = { SETPOINT_SECRET_DB: 'only-for-this-test' }

const setsFile = (rest: string) =>
  `variableSets:\n  payments:\n    env: { DB_PASSWORD: { secret: DB } }\n    ${rest}\n`

/** A service with these workspaces and projects, and files. */
async function places(rest: string, more: Parameters<typeof aPlace>[1] = {}) {
  const { sets = [], ...listen } = more
  const place = await aPlace({ 'sets/a.yaml': setsFile(rest) }, listen)
  place.sandbox.restore({ ...SEED, ...TARGETS, sets })
  return place
}

/** A plan in every format, and which of `texts` each one contains. */
async function shown(place: Place, texts: readonly string[], argv: readonly string[] = ['plan']) {
  const reports = TELLING.filter(form => form !== 'text').flatMap(form => [
    '--report',
    `${form}=plan.${form}`,
  ])
  const { code, stdout, stderr } = await place.setpoint([...argv, ...reports])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const printed = TELLING.map(form =>
    form === 'text' ? stdout : readFileSync(join(place.cwd, `plan.${form}`), 'utf8'),
  )
  return { stdout, seen: printed.map(text => texts.filter(one => text.includes(one))) }
}

const each = (...texts: readonly string[]) => TELLING.map(() => texts)

describe('a name that a plan newly assigns', () => {
  test('is shown in every report', async () => {
    const place = await places('workspaces: [payments-prod]')
    const { stdout, seen } = await shown(place, ['payments-prod', W])
    expect(seen.map(([name]) => name)).toEqual(TELLING.map(() => 'payments-prod'))
    expect(stdout).toContain('  secret  payments DB_PASSWORD  newly in workspace payments-prod\n')
    // The sets, the workspace and its project.
    expect(stdout).toContain('4 reads')
  })

  test('is shown in a plan from a snapshot, which carries what the service told', async () => {
    const place = await places('workspaces: [payments-prod]\n    projects: [core]')
    await place.setpoint(['snapshot', '--out', 'snapshot.json'])
    const { code, stdout } = await place.setpoint(['plan', '--snapshot', 'snapshot.json'])
    expect([code, stdout.includes('payments-prod'), stdout.includes(W)]).toEqual([0, true, false])
    expect(stdout).toContain('newly in project core (1)')
  })

  test('is looked up again by the apply of a reviewed plan', async () => {
    const place = await places('workspaces: [payments-prod]')
    await place.setpoint(['plan', '--out', 'plan.json'])
    place.sandbox.restore({
      ...SEED,
      ...TARGETS,
      workspaces: [
        { id: W, name: 'renamed' },
        { id: X, name: 'payments-prod' },
      ],
    })
    const { code } = await place.setpoint(['apply', 'plan.json'], { env: SECRET })
    expect([code, place.live()]).toEqual([4, []])
  })

  test('is a located error if the service does not show this token the kind', async () => {
    const place = await places('workspaces: [payments-prod]', SILENT)
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'sets/a.yaml:4:18  error no-look-up',
        '  The service does not list the workspaces of "acme" for this token.',
        '  Write ids, or use a token that may read the workspaces.',
        '',
      ].join('\n'),
    })
  })
})

test('a token that may not look names up plans and applies files with ids, and reports show ids', async () => {
  const place = await places(`workspaces: [${W}, ${X}]\n    projects: [${P}]`, SILENT)
  const { stdout, seen } = await shown(place, ['payments-prod', 'sandbox-of-eve', W, X, P])
  expect(seen).toEqual(each(W, X, P))
  expect(stdout).toContain('the service does not show this token which workspaces these are')
  expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
})

describe('an id in a set file', () => {
  test('is shown with its name in the service', async () => {
    const place = await places(`workspaces: [${W}]`)
    expect((await shown(place, ['payments-prod'])).seen).toEqual(each('payments-prod'))
  })

  test('is an error at its line if it does not exist, and all such errors are reported', async () => {
    const place = await places(`workspaces: [${W}, ${Y}]\n    projects: [prj-AAAAAAAAAAAAAAA9]`)
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    expect({ code, stderr, live: place.live() }).toEqual({
      code: 1,
      stderr: [
        'sets/a.yaml:4:39  error unknown-id',
        `  The service shows no workspace ${Y} to this token.`,
        '  Correct the id or remove it. If the workspace exists, give the token access to it.',
        'sets/a.yaml:5:16  error unknown-id',
        '  The service shows no project prj-AAAAAAAAAAAAAAA9 to this token.',
        '  Correct the id or remove it. If the project exists, give the token access to it.',
        '',
      ].join('\n'),
      live: [],
    })
  })

  test('is an error if it belongs to another organization', async () => {
    // A single id is read by itself, which works for ids of every organization.
    const place = await places(`workspaces: [${Y}]`)
    const workspaces = (organization: string) =>
      place.sandbox.restore({
        organizations: [{ name: 'acme' }, { name: 'evil' }],
        workspaces: [{ id: Y, name: 'payments-prod', organization }],
      })
    workspaces('evil')
    expect((await place.setpoint(['plan'])).stderr).toContain(
      `error unknown-id\n  The service shows no workspace ${Y}`,
    )
    workspaces('acme')
    expect((await place.setpoint(['plan'])).stdout).toContain('newly in workspace payments-prod\n')
  })
})

describe('a workspace that a plan mentions and does not newly assign', () => {
  const EXISTS = { sets: [{ name: 'payments', workspaces: [W, X], variables: [] }] }

  test('is shown with its name, also where the file does not name it', async () => {
    const place = await places('workspaces: [payments-prod]', EXISTS)
    const { seen } = await shown(place, ['payments-prod', 'sandbox-of-eve'])
    expect(seen).toEqual(each('payments-prod', 'sandbox-of-eve'))
    const { stdout } = await place.setpoint(['drift'])
    expect([stdout.includes('sandbox-of-eve'), stdout.includes(X)]).toEqual([true, false])
  })
})

describe('a workspace that is deleted between the look-up and the write', () => {
  const EXISTING: SetSeed = { id: 'varset-AAAAAAAAAAAAAAA1', name: 'payments' }
  const LEFT = { workspaces: TARGETS.workspaces.slice(1), projects: TARGETS.projects }

  /** An apply whose first request with workspaces finds that the first of them is gone. */
  async function applied(rest: string, sets: readonly SetSeed[], wrongTargets: 422 | 404) {
    let left: (() => void) | undefined
    const place = await places(rest, {
      sets,
      traits: { wrongTargets },
      faults: {
        matches: ({ method, body }) => {
          if (method === 'POST' && body?.includes(W)) left?.()
          return false
        },
      },
    })
    left = () => {
      left = undefined
      const { sets: now = [] } = place.sandbox.snapshot()
      place.sandbox.restore({ ...SEED, ...LEFT, sets: now })
    }
    const ran = await place.setpoint(['apply', '--auto-approve', '--concurrency', '1'], { env: SECRET })
    return { place, ...ran }
  }

  test.each([
    ['by its id', W, 'unknown-id'],
    ['by its name', 'payments-prod', 'unknown-name'],
  ])('is refused by the service, and the next plan names its line: %s', async (_, written, code) => {
    for (const sets of [[], [EXISTING]])
      for (const wrongTargets of [422, 404] as const) {
        const { place, ...ran } = await applied(`workspaces: [${written}]`, sets, wrongTargets)
        expect(ran.code).toBe(sets.length === 0 ? 1 : 3)
        const again = await place.setpoint(['plan'])
        expect([again.code, again.stderr]).toEqual([
          1,
          expect.stringContaining(`sets/a.yaml:4:18  error ${code}\n`),
        ])
      }
  })

  test('does not stop the other sets, whatever the status of the response', async () => {
    const more = `workspaces: [payments-prod]\n  z: { env: { A: 1 } }`
    for (const wrongTargets of [422, 404] as const) {
      const { code, place } = await applied(more, [], wrongTargets)
      expect([code, place.live()]).toEqual([3, ['z  env/A=1']])
    }
  })
})
