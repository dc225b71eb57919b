import { describe, expect, test } from 'vitest'
import type { SandboxSeed } from '../../src/sandbox/index.ts'
import type { ApiRequest, ApiResponse, Transport } from '../../src/wire/transport.ts'
import { aPlace, SEED } from '../support/place.ts'

const id = (letter: string): `ws-${string}` => `ws-${letter.repeat(16)}`
const [A, B] = [id('a'), id('b')] as const
const P: `prj-${string}` = `prj-${'a'.repeat(16)}`
const PLACES: SandboxSeed = {
  ...SEED,
  projects: [{ name: 'core', id: P }],
  workspaces: [
    { name: 'api', id: A, project: 'core', tags: { env: 'prod' } },
    { name: 'web', id: B, project: 'core', tags: { env: 'prod' } },
  ],
}
const FAILURE: ApiResponse = { status: 500, headers: {}, body: '' }
const HIDDEN: ApiResponse = { status: 404, headers: {}, body: '' }

/** A service that answers some requests in another way. */
async function answering(
  files: Readonly<Record<string, string>>,
  instead: (request: ApiRequest) => ApiResponse | undefined,
  change: (body: string) => string = body => body,
) {
  const place = await aPlace(files)
  place.sandbox.restore(PLACES)
  const transport: Transport = async (request, signal) => {
    const answer = instead(request)
    if (answer !== undefined) return answer
    const response = await place.sandbox.transport(request, signal)
    return { ...response, body: change(response.body) }
  }
  return {
    ...place,
    setpoint: (argv: readonly string[]) => place.setpoint(argv, { io: { transport } }),
  }
}

describe('an id that could not be asked for', () => {
  /** Not on the first page of the list, which is read if nothing is told. */
  const MANY = { ...PLACES, workspaces: Array.from({ length: 200 }, (_, at) => ({ name: `a${at}` })) }
  const failing = async (files: Readonly<Record<string, string>>, also?: string) => {
    const place = await answering(files, ({ path }) =>
      path === `/api/v2/workspaces/${B}` || path === also ? FAILURE : undefined,
    )
    place.sandbox.restore({ ...MANY, workspaces: [...MANY.workspaces, { name: 'web', id: B }] })
    return place
  }

  test('is not said to be missing', async () => {
    const place = await failing({
      'sets/a.yaml': `variableSets:\n  a:\n    env: { A: 1 }\n    workspaces: [${B}]\n`,
    })
    const ran = await place.setpoint(['apply', '--auto-approve'])
    expect([ran.code, ran.stderr, place.live()]).toEqual([
      1,
      `sets/a.yaml:4:18  error no-look-up
  The workspace ${B} could not be looked up. GET /api/v2/workspaces/${B}: the service responded with 500.
  Run the command again when the service can be read.
`,
      [],
    ])
  })

  const GROUP = {
    'sets/a.yaml': 'variableSets:\n  a:\n    env: { A: 1 }\n    workspaces: ["group:prod"]\n',
    'groups.yaml': `groups:\n  prod:\n    workspaces: { web: ${B} }\n`,
  }
  test('is not left out of a group, nor said to be gone', async () => {
    const place = await failing(GROUP, '/api/v2/organizations/acme/workspaces/web')
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'])
    expect([code, stderr, place.live()]).toEqual([
      1,
      `groups.yaml:3:19  error no-look-up
  "web" of the group "prod" is ${B}, which could not be looked up. GET /api/v2/workspaces/${B}: the service responded with 500.
  Run the command again when the service can be read.
`,
      [],
    ])
  })

  test('is in its group if the service shows it with this name', async () => {
    const place = await failing(GROUP)
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'])
    expect([code, stderr, place.live()]).toEqual([0, '', ['a  env/A=1  -> web']])
  })
})

test('names that could not be asked for are an error that says why, and advises nothing about the token', async () => {
  const place = await answering(
    { 'sets/a.yaml': 'variableSets:\n  a:\n    projects: [core]\n    workspaces: [api]\n' },
    ({ path }) => (/\/(?:workspaces|projects)\b/.test(path) ? FAILURE : undefined),
  )
  const { code, stderr } = await place.setpoint(['plan'])
  const failed = (
    kind: string,
  ) => `The ${kind} of "acme" cannot be read. GET /api/v2/organizations/acme/${kind}: the service responded with 500.
  Run the command again when the service can be read.`
  expect([code, stderr]).toEqual([
    1,
    `sets/a.yaml:3:16  error no-look-up\n  ${failed('projects')}\nsets/a.yaml:4:18  error no-look-up\n  ${failed('workspaces')}\n`,
  ])
  const explained = await place.setpoint(['explain', 'api'])
  expect([explained.code, explained.stderr]).toEqual([
    1,
    `error no-look-up
  The workspaces cannot be read. GET /api/v2/organizations/acme/workspaces: the service responded with 500.
  Run the command again when the service can be read.
`,
  ])
})

describe('a selection that could not be asked', () => {
  const group = (select: string) => ({ 'groups.yaml': `groups:\n  prod:\n    select: ${select}\n` })
  const projectsAre =
    (answer: ApiResponse) =>
    ({ path }: ApiRequest) =>
      path === '/api/v2/organizations/acme/projects' ? answer : undefined

  test.each([
    [
      'hidden',
      HIDDEN,
      'The service has no projects, or does not list those of "acme" for this token.\n  Select by names or tags, by ids of projects, or use a token that may read the projects.',
    ],
    [
      'not readable',
      FAILURE,
      'The projects of "acme" cannot be read. GET /api/v2/organizations/acme/projects: the service responded with 500.\n  Run the command again when the service can be read.',
    ],
  ])('is an error, and matches nothing neither more nor less: projects are %s', async (_, answer, said) => {
    const place = await answering(group('{ projects: [core] }'), projectsAre(answer))
    const { code, stderr } = await place.setpoint(['groups', '--update'])
    expect([code, stderr]).toEqual([1, `groups.yaml:2:3  error no-look-up\n  ${said}\n`])
  })

  test.each([
    ['projects', `{ projects: [${P}] }`, 'projects', 'names or tags', /"project":/g],
    [
      'tags',
      '{ tags: { env: "" } }',
      'tags',
      'names or projects',
      /"(?:tag-names|effective-tag-bindings)":/g,
    ],
  ])('is an error if no workspace shows its %s', async (_, select, what, instead, member) => {
    const hide = (body: string): string => body.replace(member, '"other":')
    const place = await answering(group(select), projectsAre(HIDDEN), hide)
    const { code, stderr } = await place.setpoint(['groups'])
    expect([code, stderr]).toEqual([
      1,
      `groups.yaml:2:3  error no-look-up\n  The service does not show the ${what} of workspaces.\n  Select by ${instead}.\n`,
    ])
  })
})
