import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WorkspaceSeed } from '../../src/sandbox/seed.ts'
import { aPlace, SEED, SILENT } from './place.ts'

const idOf = (letter: string) => `ws-${letter.repeat(16)}`
const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')] as const
const API = { id: A, name: 'payments-api' }
const WEB = { id: B, name: 'payments-web' }
const OTHER = { id: C, name: 'sandbox-of-eve' }
const SECRET = { SETPOINT_SECRET_DB: 'only-for-this-test' }

const GROUPS = `groups:
  prod:
    workspaces:
      payments-api: ${A}
      payments-web: ${B}
`
const SETS = `variableSets:
  db:
    workspaces: ["group:prod"]
    env: { DB_PASSWORD: { secret: DB } }
`

/** A repository with a group of two workspaces, and a service with these. */
async function aGroup(
  workspaces: readonly WorkspaceSeed[] = [API, WEB, OTHER],
  more: Parameters<typeof aPlace>[1] = {},
) {
  const { sets = [], ...listen } = more
  const place = await aPlace({ 'groups.yaml': GROUPS, 'sets/a.yaml': SETS }, listen)
  const become = (now: readonly WorkspaceSeed[]) => {
    const { sets: live = [] } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...SEED, workspaces: now, sets: live })
  }
  place.sandbox.restore({ ...SEED, workspaces, sets })
  return { ...place, become }
}

describe('a set that names a group', () => {
  test('is assigned to its workspaces, and the plan shows who newly receives which secret', async () => {
    const place = await aGroup()
    const { code, stdout, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(
      '! secret  db DB_PASSWORD newly reaches 2 workspaces (payments-api, payments-web)\n',
    )
    // The sets, and one list of workspaces with the names of both.
    expect(stdout).toContain('2 reads, 0 writes')
    expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
    expect(place.sandbox.snapshot().sets?.map(({ workspaces }) => workspaces)).toEqual([[A, B]])
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('may name workspaces of two groups, and others', async () => {
    const place = await aGroup()
    place.write({
      'groups.yaml': `${GROUPS}  api:\n    workspaces: { payments-api: ${A} }\n`,
      'sets/a.yaml': SETS.replace('"group:prod"', `payments-api, "group:api", sandbox-of-eve, "group:prod"`),
    })
    expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRET })).code).toBe(0)
    expect(place.sandbox.snapshot().sets?.[0]?.workspaces?.toSorted()).toEqual([A, B, C])
  })

  test('is not assigned to a workspace that was renamed: a located error', async () => {
    const place = await aGroup([{ ...API, name: 'api' }, WEB])
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `groups.yaml:4:7  error renamed-member\n  "payments-api" of the group "prod" is ${A}, which the service calls "api".\n` +
        '  Run `setpoint groups --update`, and review who is in the group before you plan again.\n',
    })
  })

  test('is not assigned to a workspace that took the name of a member', async () => {
    const place = await aGroup([{ ...OTHER, name: 'payments-api' }, WEB])
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    expect([code, place.live()]).toEqual([1, []])
    expect(stderr).toContain(
      `groups.yaml:4:7  error renamed-member\n  "payments-api" of the group "prod" is ${A}, but in the service ${C} has this name.\n`,
    )
  })

  test('is not assigned to a member that the service no longer shows: a warning', async () => {
    const place = await aGroup([WEB])
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    expect(stdout).toContain(
      `groups.yaml:4:7  warning gone-member\n  "payments-api" of the group "prod" is ${A}, which the service no longer shows. The set is not assigned to it.\n` +
        '  Run `setpoint groups --update` to remove it from the list, or give the token access to it.\n',
    )
    expect([code, place.sandbox.snapshot().sets?.[0]?.workspaces]).toEqual([0, [B]])
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
  })

  test('keeps its assignment to a member that was renamed or moved since, and asks nothing about it', async () => {
    const place = await aGroup()
    await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    place.become([{ ...API, name: 'api', project: 'p' }, { ...OTHER, name: 'payments-api' }, WEB])
    const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 read, 0 writes')])
  })

  test('is refused by an apply of a reviewed plan if a member was renamed since the review', async () => {
    const place = await aGroup()
    await place.setpoint(['plan', '--out', 'plan.json'])
    place.become([{ ...API, name: 'api' }, { ...OTHER, name: 'payments-api' }, WEB])
    const { code } = await place.setpoint(['apply', 'plan.json'], { env: SECRET })
    expect([code, place.live()]).toEqual([1, []])
  })

  test('is not planned if this token may not read workspaces', async () => {
    const place = await aGroup([API, WEB], SILENT)
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'groups.yaml:4:7  error no-look-up\n  The service does not list the workspaces of "acme" for this token, so the names in groups cannot be compared.\n' +
        '  Use a token that may read the workspaces.\n',
    })
  })

  test('is compared with the group as it was in the base', async () => {
    const place = await aGroup()
    const git = (...argv: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...argv], { cwd: place.cwd })
    git('init', '--quiet', '--initial-branch=main')
    git('add', '.')
    git('commit', '--quiet', '--message=one')
    await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    place.write({ 'groups.yaml': `${GROUPS}      sandbox-of-eve: ${C}\n` })
    const { code, stdout } = await place.setpoint(['plan', '--base', 'main'])
    expect(code).toBe(0)
    expect(stdout).toContain('+ workspace  sandbox-of-eve')
    expect(stdout).not.toContain('drift')
    // What the base has and the service lost is no part of this change.
    const { sets = [] } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({
      ...SEED,
      workspaces: [API, WEB, OTHER],
      sets: sets.map(set => ({ ...set, workspaces: [A] })),
    })
    const both = await place.setpoint(['plan', '--base', 'main'])
    expect(both.stdout).toContain('+ workspace  payments-web, different before this change\n')
    expect(both.stdout).toContain('+ workspace  sandbox-of-eve, this change\n')
  })

  test('is planned with the sandbox, which then has the workspaces of the group', async () => {
    const place = await aGroup()
    const { code, stderr, stdout } = await place.setpoint(['plan', '--sandbox'], { env: {} })
    expect([code, stderr]).toEqual([
      0,
      'The sandbox now has 2 workspaces that the files name. With a seed (SETPOINT_SANDBOX_SEED), other names are unknown.\n',
    ])
    expect(stdout).toContain('2 workspaces (payments-api, payments-web)')
  })

  test('keeps the group in its file when live values are written to it, unless the set lost one of its workspaces', async () => {
    const place = await aGroup()
    await place.setpoint(['apply', '--auto-approve'], { env: SECRET })
    const change = (workspaces: readonly string[]) => {
      const { sets = [] } = place.sandbox.snapshot({ sensitive: true })
      place.sandbox.restore({
        ...SEED,
        workspaces: [API, WEB, OTHER],
        sets: sets.map(set => ({ ...set, workspaces })),
      })
    }
    const updated = async () => {
      await place.setpoint(['export', '--update', 'db'])
      return readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8').split('\n')[2]
    }
    change([A, B, C])
    expect(await updated()).toBe('    workspaces: ["group:prod", sandbox-of-eve]')
    change([A, C])
    expect(await updated()).toBe('    workspaces: [sandbox-of-eve, payments-api]')
  })
})
