import { describe, expect, test } from 'vitest'
import type { ListenOptions, SandboxOptions } from '../../src/sandbox/index.ts'
import { aPlace, SEED, SILENT } from '../support/place.ts'

const TARGETS = {
  workspaces: [{ id: 'ws-AAAAAAAAAAAAAAA1', name: 'payments-prod' }],
  projects: [{ id: 'prj-AAAAAAAAAAAAAAA1', name: 'core' }],
} as const

/** A service with one workspace and one project, and files with one set. */
async function places(
  set: string,
  server: Pick<SandboxOptions, 'profile' | 'traits'>,
  listen: ListenOptions = {},
) {
  const files = { 'sets/a.yaml': `variableSets:\n  a:\n    env: { A: 1 }\n    ${set}\n` }
  const place = await aPlace(files, { ...listen, ...server })
  place.sandbox.restore({ ...SEED, ...TARGETS, sets: [] })
  return place
}

const NO_PROJECTS = { profile: { server: 'otf' } } as const
const NO_WORKSPACES =
  'sets/a.yaml:4:18  error no-look-up\n  The service does not list the workspaces of "acme" for this token.\n'

describe('a service that does not tell its projects', () => {
  test('plans and applies files with names of workspaces', async () => {
    const place = await places('workspaces: [payments-prod]', NO_PROJECTS)
    expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({ code: 0, stderr: '' })
    expect(await place.setpoint(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('is an error at the first project that a file names, and at nothing else', async () => {
    const place = await places('projects: [core, other]\n    workspaces: [payments-prod]', NO_PROJECTS)
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toBe(`sets/a.yaml:4:16  error no-look-up
  The service has no projects, or does not list those of "acme" for this token.
  If it has none, assign the set to workspaces. Otherwise write ids, or use a token that may read the projects.
`)
    expect(stderr).not.toMatch(/unknown-name|There is no/)
  })

  test.each([
    ['a project', 'projects: [core]\n    workspaces: [payments-prod]', '4:16'],
    ['a project, after an id', 'projects: [prj-AAAAAAAAAAAAAAA1, core]', '4:16'],
    ['the owner', 'project: core', '4:14'],
  ])(
    'says of %s that there are none, if no set of the service says anything about projects',
    async (_, set, at) => {
      const place = await places(set, NO_PROJECTS)
      place.sandbox.restore({ ...SEED, ...TARGETS, sets: [{ name: 'other' }] })
      expect(await place.setpoint(['plan'])).toMatchObject({
        code: 1,
        stderr: `sets/a.yaml:${at}  error no-projects
  The service has no projects.
  Remove \`project\` and \`projects\` from the files, and assign the sets to workspaces.
`,
      })
    },
  )

  test('is an error at the project that owns a set', async () => {
    const place = await places('project: core', NO_PROJECTS)
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toContain('sets/a.yaml:4:14  error no-look-up\n')
  })

  test('is an error at the first project by id, if no set of the service says anything about projects', async () => {
    const place = await places('projects: [prj-AAAAAAAAAAAAAAA1]', NO_PROJECTS)
    place.sandbox.restore({ ...SEED, ...TARGETS, sets: [{ name: 'other' }] })
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `sets/a.yaml:4:16  error no-projects
  The service has no projects.
  Remove \`project\` and \`projects\` from the files, and assign the sets to workspaces.
`,
    })
  })

  test('is one error for a set that a project owns, and nothing advises to assign it to the project', async () => {
    const place = await places('project: prj-AAAAAAAAAAAAAAA1', NO_PROJECTS)
    place.sandbox.restore({ ...SEED, ...TARGETS, sets: [{ name: 'other' }] })
    const { code, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `sets/a.yaml:4:14  error no-project-sets
  The service does not say which project owns a set. Older versions have no sets of projects.
  Remove \`project\` from the files.
`,
    })
  })

  test('says that a workspace is missing only if it is', async () => {
    const place = await places('workspaces: [payments-prd]', NO_PROJECTS)
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toContain(
      'error unknown-name\n  There is no workspace "payments-prd".\n  Did you mean "payments-prod"?',
    )
    expect(stderr).not.toContain('no-look-up')
  })

  test.each([
    ['a project', 'set.workspaces.all(w, w.project == "core")', 'error  rules/a.yaml:2:29  rule-failed'],
    ['no project', 'set.workspaces.all(w, w.name == "payments-prod")', undefined],
  ])('blocks by a rule that asks for %s, and by no other', async (_, require, error) => {
    const place = await places('workspaces: [payments-prod]', NO_PROJECTS)
    const rule = `rules:\n  one: { for: set, require: '${require}', message: no, level: error }\n`
    place.write({ 'rules/a.yaml': rule })
    const { code, stderr, stdout } = await place.setpoint(['plan'])
    if (error === undefined) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    else expect(stdout + stderr).toContain(error)
  })

  test('explains a workspace and lists it', async () => {
    const place = await places('workspaces: [payments-prod]', NO_PROJECTS)
    expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({ code: 0 })
    expect(await place.setpoint(['explain', 'payments-prod'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a service without look-ups', () => {
  test('is an error at the first name, and nothing is said to be missing', async () => {
    const place = await places('workspaces: [payments-prod, other]', SILENT)
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toContain(NO_WORKSPACES)
    expect(stderr).not.toMatch(/unknown-name|There is no/)
  })

  test('plans and applies files with ids of projects, because its sets show projects', async () => {
    const place = await places('projects: [prj-AAAAAAAAAAAAAAA1]', SILENT)
    place.sandbox.restore({ ...SEED, ...TARGETS, sets: [{ name: 'other' }] })
    expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('plans and applies files with ids', async () => {
    const place = await places('workspaces: [ws-AAAAAAAAAAAAAAA1]', SILENT)
    expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a list of workspaces without page sizes', () => {
  test('gives the names of workspaces', async () => {
    const place = await places('workspaces: [payments-prod]', { traits: { placeLists: 'unsized' } })
    expect(await place.setpoint(['apply', '--auto-approve'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('look-ups of names that cannot be read', () => {
  const broken: ListenOptions = {
    faults: {
      matches: ({ path }) => /\/(?:workspaces|projects)\b/.test(path),
      probability: 1,
      faults: [{ kind: 'html', commit: 'before' }],
    },
  }

  test('cost a plan with ids only the names', async () => {
    const place = await places('workspaces: [ws-AAAAAAAAAAAAAAA1]', {}, broken)
    const { code, stdout, stderr } = await place.setpoint(['plan'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('ws-AAAAAAAAAAAAAAA1')
  })

  test('fail a plan that needs a name, without a word about the address', async () => {
    const place = await places('workspaces: [payments-prod]', {}, broken)
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toContain('the content type is not JSON')
    expect(stderr).not.toMatch(/address|unknown-name/)
  })
})
