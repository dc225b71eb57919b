import { describe, expect, test } from 'vitest'
import { readDirectory } from '../../src/api/directory.ts'
import { resolveNames } from '../../src/api/names.ts'
import { createReader } from '../../src/api/reader.ts'
import type { Checked } from '../../src/model/diagnostic.ts'
import type { ProjectId, WorkspaceId } from '../../src/model/ids.ts'
import type { DesiredState, Directory, TargetRef } from '../../src/model/variable-set.ts'
import { liveSandbox, printed } from './live.ts'

const at = (line: number) => ({ path: 'sets/a.yaml', line, column: 1 })

/** `ws-…` and `prj-…` are ids, everything else names. Each is on its own line. */
function desired(
  targets: { workspaces?: readonly string[]; projects?: readonly string[] },
  directory: Partial<Directory> = {},
): DesiredState {
  const refs = <Id extends string>(written: readonly string[], isId: (text: string) => text is Id) =>
    written.map(
      (text, index): TargetRef<Id> =>
        isId(text) ? { id: text, source: at(index + 1) } : { name: text, source: at(index + 1) },
    )
  return {
    organization: 'acme',
    owns: [],
    prune: false,
    guards: { deletions: 30, protect: [] },
    sets: [
      {
        name: 'a',
        description: '',
        global: false,
        priority: false,
        variables: [],
        previousNames: [],
        source: at(1),
        ...(targets.workspaces === undefined
          ? {}
          : { workspaces: refs(targets.workspaces, (text): text is WorkspaceId => text.startsWith('ws-')) }),
        ...(targets.projects === undefined
          ? {}
          : { projects: refs(targets.projects, (text): text is ProjectId => text.startsWith('prj-')) }),
      },
    ],
    removed: [],
    directory: { workspaces: [], projects: [], ...directory },
    files: 1,
  }
}

const LIVE: Directory = {
  workspaces: [
    { name: 'network-dev', id: 'ws-dev' },
    { name: 'network-prod', id: 'ws-prod', project: 'platform' },
  ],
  projects: [{ name: 'platform', id: 'prj-platform' }],
}

async function resolved(state: DesiredState, live: Checked<Directory> = { value: LIVE, diagnostics: [] }) {
  let lookUps = 0
  const { value, diagnostics } = await resolveNames(state, {
    places: async () => {
      lookUps++
      return live
    },
    stacks: async () => undefined,
  })
  const [set] = value?.sets ?? []
  return {
    workspaces: set?.workspaces,
    projects: set?.projects,
    diagnostics: diagnostics.map(
      ({ code, message, hint, source }) => `${source?.line ?? '-'} ${code}: ${message} (${hint})`,
    ),
    lookUps,
  }
}

describe('names of workspaces and projects', () => {
  test('need no look-up if they are ids, and are sorted', async () => {
    expect(await resolved(desired({ workspaces: ['ws-b', 'ws-a'], projects: ['prj-b', 'prj-a'] }))).toEqual({
      workspaces: ['ws-a', 'ws-b'],
      projects: ['prj-a', 'prj-b'],
      diagnostics: [],
      lookUps: 0,
    })
  })

  test('need no look-up if the directory file lists them', async () => {
    expect(await resolved(desired({ workspaces: ['network-prod', 'network-dev'] }, LIVE))).toEqual({
      workspaces: ['ws-dev', 'ws-prod'],
      projects: undefined,
      diagnostics: [],
      lookUps: 0,
    })
  })

  test('take one look-up together if the directory file does not list them', async () => {
    const seen = await resolved(
      desired({ workspaces: ['network-prod', 'network-dev'], projects: ['platform'] }),
    )
    expect(seen).toMatchObject({
      workspaces: ['ws-dev', 'ws-prod'],
      projects: ['prj-platform'],
      diagnostics: [],
      lookUps: 1,
    })
  })

  test('keep an empty list, and a missing list', async () => {
    const seen = await resolved(desired({ workspaces: [] }))
    expect([seen.workspaces, seen.projects]).toEqual([[], undefined])
  })

  test('are errors with a suggestion if they do not exist', async () => {
    const seen = await resolved(desired({ workspaces: ['network-prdo', 'zzz'] }))
    expect(seen.workspaces).toBeUndefined()
    expect(seen.diagnostics).toEqual([
      '1 unknown-name: There is no workspace "network-prdo". (Did you mean "network-prod"?)',
      '2 unknown-name: There is no workspace "zzz". (Correct the name, or write the id.)',
    ])
  })

  test('are errors if two objects have the name', async () => {
    const twice = [
      { name: 'platform', id: 'prj-1' },
      { name: 'platform', id: 'prj-2' },
    ] as const
    expect((await resolved(desired({ projects: ['platform'] }, { projects: twice }))).diagnostics).toEqual([
      '1 ambiguous-name: "platform" is the name of 2 projects: prj-1, prj-2. (Write the id of the one that you mean.)',
    ])
    expect(
      (
        await resolved(desired({ projects: ['platform'] }), {
          value: { workspaces: [], projects: twice },
          diagnostics: [],
        })
      ).diagnostics,
    ).toHaveLength(1)
  })

  test('are errors if the directory file has an outdated id, once the service was asked', async () => {
    const old = {
      workspaces: [
        { name: 'network-prod', id: 'ws-old', source: { path: 'directory.yaml', line: 31, column: 3 } },
        { name: 'gone', id: 'ws-gone', source: { path: 'directory.yaml', line: 32, column: 3 } },
      ],
    } as const
    expect((await resolved(desired({ workspaces: ['network-prod', 'gone'] }, old))).diagnostics).toEqual([])
    expect(
      (await resolved(desired({ workspaces: ['network-prod', 'gone', 'network-dev'] }, old))).diagnostics,
    ).toEqual([
      '31 stale-name: The directory file lists workspace "network-prod" as ws-old, but the service lists ws-prod. (Write the directory file again: setpoint directory)',
      '32 stale-name: The directory file lists workspace "gone" as ws-gone, but the service has no workspace of this name. (Write the directory file again: setpoint directory)',
    ])
  })

  test('are errors if they resolve to the same id twice', async () => {
    const seen = await resolved(desired({ workspaces: ['network-prod', 'ws-a', 'ws-prod', 'ws-a'] }))
    expect(seen.diagnostics).toEqual([
      '3 duplicate-target: "ws-prod" is the same workspace as "network-prod" on line 1. (Remove one of the two.)',
      '4 duplicate-target: "ws-a" is the same workspace as "ws-a" on line 2. (Remove one of the two.)',
    ])
  })

  test('report the diagnostics of a look-up that failed', async () => {
    const noLookUp = {
      severity: 'error',
      code: 'no-look-up',
      message: 'no list',
      hint: 'write ids',
    } as const
    const seen = await resolved(desired({ workspaces: ['network-prod'] }), {
      value: undefined,
      diagnostics: [noLookUp],
    })
    expect(seen.diagnostics).toEqual([
      '- no-look-up: no list (write ids)',
      '1 unknown-name: There is no workspace "network-prod". (Correct the name, or write the id.)',
    ])
  })
})

describe('the directory of a service', () => {
  const seed = {
    organizations: [{ name: 'acme' }],
    projects: [{ id: 'prj-1111111111111111', name: 'platform' }],
    workspaces: [
      { id: 'ws-2222222222222222', name: 'b', project: 'platform' },
      { id: 'ws-1111111111111111', name: 'a' },
    ],
  }

  test('takes two requests and includes the project of each workspace', async () => {
    const { transport, requests } = await liveSandbox(seed)
    const { value, diagnostics } = await readDirectory(createReader(transport), 'acme')
    expect(diagnostics).toEqual([])
    expect(value?.workspaces.at(-1)).toEqual({
      name: 'b',
      id: 'ws-2222222222222222',
      project: 'platform',
    })
    expect(value?.workspaces.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(value?.projects).toContainEqual({ name: 'platform', id: 'prj-1111111111111111' })
    expect(printed(requests).sort()).toEqual([
      'GET organizations/acme/projects?page[size]=100',
      'GET organizations/acme/workspaces?page[size]=100',
    ])
  })

  test('is one diagnostic if the token may not read it', async () => {
    const { transport } = await liveSandbox(seed)
    const hidden = createReader(async (request, signal) =>
      request.path.endsWith('/varsets') ? transport(request, signal) : { status: 404, headers: {}, body: '' },
    )
    const { value, diagnostics } = await readDirectory(hidden, 'acme')
    expect(value).toBeUndefined()
    expect(diagnostics).toEqual([
      {
        severity: 'error',
        code: 'no-look-up',
        message: 'The service does not list the workspaces and projects of "acme" for this token.',
        hint: 'Write ids, or keep names and ids in the directory file.',
      },
    ])
  })
})
