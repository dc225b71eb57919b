import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place, SEED, SILENT } from './place.ts'

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
const DIRECTORY = `organization: acme
workspaces:
  payments-prod: { id: ${W}, project: core }
  sandbox-of-eve: ${X}
projects:
  core: ${P}
`

const setsFile = (rest: string) =>
  `variableSets:\n  payments:\n    env: { DB_PASSWORD: { secret: DB } }\n    ${rest}\n`

/** A service with these workspaces and projects, and files with a directory file. */
async function places(rest: string, directory: string, more: Parameters<typeof aPlace>[1] = {}) {
  const { sets = [], ...listen } = more
  const place = await aPlace({ 'sets/a.yaml': setsFile(rest), 'directory.yaml': directory }, listen)
  place.sandbox.restore({ ...SEED, ...TARGETS, sets })
  return place
}

const FORMS = ['text', 'markdown', 'html', 'json'] as const

/** A plan in every format, and which of `texts` each one contains. */
async function shown(place: Place, texts: readonly string[], argv: readonly string[] = ['plan']) {
  const reports = FORMS.filter(form => form !== 'text').flatMap(form => ['--report', `${form}=plan.${form}`])
  const { code, stdout, stderr } = await place.setpoint([...argv, ...reports])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const printed = FORMS.map(form =>
    form === 'text' ? stdout : readFileSync(join(place.cwd, `plan.${form}`), 'utf8'),
  )
  return { stdout, seen: printed.map(text => texts.filter(one => text.includes(one))) }
}

const each = (...texts: readonly string[]) => FORMS.map(() => texts)

describe('a name that a plan newly assigns', () => {
  test('is shown in every report if the service has the same name for the id', async () => {
    const place = await places('workspaces: [payments-prod]', DIRECTORY)
    const { stdout, seen } = await shown(place, ['payments-prod', W])
    expect(seen.map(([name]) => name)).toEqual(FORMS.map(() => 'payments-prod'))
    expect(stdout).toContain('! secret  payments DB_PASSWORD newly reaches workspace payments-prod\n')
    expect(stdout).toContain('2 reads, 0 writes')
  })

  test('is an error at its line if the directory gives it the id of another workspace', async () => {
    const swapped = DIRECTORY.replace(W, Y).replace(X, W).replace(Y, X)
    const place = await places('workspaces: [payments-prod]', swapped)
    for (const command of [['plan'], ['apply', '--auto-approve'], ['drift']]) {
      const { code, stdout, stderr } = await place.setpoint(command, { env: SECRET })
      expect({ code, stdout, stderr, live: place.live() }).toEqual({
        code: 1,
        stdout: '',
        stderr: [
          'directory.yaml:3:3  error stale-name',
          `  The directory file gives the workspace "payments-prod" the id ${X}, but the service calls it "sandbox-of-eve". The workspace with this name is ${W}.`,
          '  Write the directory file again: setpoint directory',
          '',
        ].join('\n'),
        live: [],
      })
    }
  })

  test.each([
    ['a set that exists', [{ name: 'payments', variables: [] }], []],
    [
      'a set that is adopted',
      [{ name: 'payments', variables: [{ key: 'X', category: 'env' }] }],
      ['--adopt', 'payments'],
    ],
  ])('is checked for %s', async (_, sets, flags) => {
    const place = await places('projects: [core]', DIRECTORY.replace(P, 'prj-AAAAAAAAAAAAAAA9'), { sets })
    place.write({ 'setpoint.yaml': 'organization: acme\nowner: me\n' })
    const { code, stderr } = await place.setpoint(['plan', ...flags])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'directory.yaml:6:3  error stale-name',
        `  The directory file gives the project "core" the id prj-AAAAAAAAAAAAAAA9, but the service shows no project with this id to this token. The project with this name is ${P}.`,
        '  Write the directory file again: setpoint directory',
        '',
      ].join('\n'),
    })
  })

  test('is shown as an id in every report if the service has no look-ups', async () => {
    const place = await places(
      'workspaces: [payments-prod, sandbox-of-eve]\n    projects: [core]',
      DIRECTORY.replace(X, `{ id: ${X}, project: core }`),
      SILENT,
    )
    const { stdout, seen } = await shown(place, ['payments-prod', 'sandbox-of-eve', W, X, P])
    expect(seen).toEqual(each(W, X, P))
    expect(stdout).toMatch(/newly reaches 2 workspaces in the directory file \(project prj-/)
    expect(stdout).toContain(
      'workspaces and their projects come from the directory file and were not checked with the service',
    )
    expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
  })

  test('is shown as an id in a plan from a snapshot, because it cannot be checked', async () => {
    const place = await places('workspaces: [payments-prod]', DIRECTORY)
    await place.setpoint(['snapshot', '--out', 'snapshot.json'])
    const { code, stdout } = await place.setpoint(['plan', '--snapshot', 'snapshot.json'])
    expect([code, stdout.includes('payments-prod'), stdout.includes(W)]).toEqual([0, false, true])
  })

  test('is checked once more by the apply of a reviewed plan', async () => {
    const place = await places('workspaces: [payments-prod]', DIRECTORY)
    await place.setpoint(['plan', '--out', 'plan.json'])
    place.sandbox.restore({
      ...SEED,
      ...TARGETS,
      workspaces: [
        { id: W, name: 'renamed' },
        { id: X, name: 'payments-prod' },
      ],
    })
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], { env: SECRET })
    expect([code, stderr.split('\n')[0], place.live()]).toEqual([
      1,
      'directory.yaml:3:3  error stale-name',
      [],
    ])
  })
})

describe('an id in a set file', () => {
  test('is shown with its name in the service', async () => {
    const place = await places(`workspaces: [${W}]`, 'organization: acme\n')
    expect((await shown(place, ['payments-prod'])).seen).toEqual(each('payments-prod'))
  })

  test('is an error at its line if it does not exist, and all such errors are reported', async () => {
    const place = await places(
      `workspaces: [${W}, ${Y}]\n    projects: [prj-AAAAAAAAAAAAAAA9]`,
      'organization: acme\n',
    )
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
    // With so many lines, Setpoint reads each id by itself, which works for ids of every organization.
    const lines = Array.from({ length: 101 }, (_, i) => `  w${i}: ws-BBBBBBBBBBBBB${100 + i}\n`)
    const place = await places(`workspaces: [${Y}]`, `organization: acme\nworkspaces:\n${lines.join('')}`)
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
    expect((await place.setpoint(['plan'])).stdout).toContain('newly reaches workspace payments-prod\n')
  })
})

describe('a workspace that a plan mentions and does not newly assign', () => {
  const EXISTS = { sets: [{ name: 'payments', workspaces: [W], variables: [] }] }

  test('is shown as an id if there is a directory file, and takes no request', async () => {
    const place = await places('workspaces: [payments-prod]', DIRECTORY, EXISTS)
    const { stdout, seen } = await shown(place, ['payments-prod', W])
    expect(seen).toEqual(each(W))
    expect(stdout).toContain('1 read, 0 writes')
  })

  test('is shown with its name if the list of the service is read anyway', async () => {
    const place = await places('workspaces: [payments-prod]', 'organization: acme\n', EXISTS)
    const { stdout, seen } = await shown(place, ['payments-prod', W, 'directory file'])
    expect(seen.map(texts => texts.includes('payments-prod'))).toEqual([true, true, true, true])
    expect(stdout).toContain('3 reads, 0 writes')
  })
})

test('an outdated line in the directory file is no error if the plan does not newly assign it', async () => {
  const place = await places('workspaces: [payments-prod]', `${DIRECTORY.replace(X, Y)}`)
  expect((await place.setpoint(['plan'])).code).toBe(0)
})

describe('a workspace that is deleted between the look-up and the write', () => {
  const EXISTING: SetSeed = { id: 'varset-AAAAAAAAAAAAAAA1', name: 'payments' }
  const LEFT = { workspaces: TARGETS.workspaces.slice(1), projects: TARGETS.projects }

  /** An apply whose first request with workspaces finds that the first of them is gone. */
  async function applied(
    rest: string,
    directory: string,
    sets: readonly SetSeed[],
    unknownTarget: 'refuse' | 'not-found',
  ) {
    let left: (() => void) | undefined
    const place = await places(rest, directory, {
      sets,
      profile: { unknownTarget },
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

  const FILED = `the service no longer shows workspace "payments-prod" (${W}) (directory.yaml:3:3); write the directory file again: setpoint directory`
  const BARE = 'organization: acme\n'
  const WRITTEN = `the service no longer shows workspace "payments-prod" (${W}) (sets/a.yaml:4:18); correct it there, or plan again`

  test.each([
    ['from the directory file', 'payments-prod', DIRECTORY, FILED],
    ['by its id', W, BARE, WRITTEN],
    ['by a name that was looked up', 'payments-prod', BARE, WRITTEN],
  ])('is reported with its line: %s', async (_, written, directory, expected) => {
    for (const sets of [[], [EXISTING]])
      for (const unknownTarget of ['refuse', 'not-found'] as const) {
        const { code, stdout } = await applied(`workspaces: [${written}]`, directory, sets, unknownTarget)
        expect(code).toBe(sets.length === 0 ? 1 : 3)
        expect(stdout.replaceAll(/\s+/g, ' ')).toContain(expected)
      }
  })

  test('does not stop the other sets, whatever the status of the response', async () => {
    const more = `workspaces: [payments-prod]\n  z: { env: { A: 1 } }`
    for (const unknownTarget of ['refuse', 'not-found'] as const) {
      const { code, place } = await applied(more, DIRECTORY, [], unknownTarget)
      expect([code, place.live()]).toEqual([3, ['z  env/A=1']])
    }
  })
})
