import { describe, expect, test } from 'vitest'
import type { ProjectId, WorkspaceId } from '../../src/model/ids.ts'
import type { DesiredState, Directory, TargetRef } from '../../src/model/variable-set.ts'
import { resolveNames } from '../../src/plan/resolve-names.ts'

const at = (line: number) => ({ path: 'sets/a.yaml', line, column: 1 })

/** `ws-…` and `prj-…` are ids, everything else names. Each is on its own line. */
function desired(targets: { workspaces?: readonly string[]; projects?: readonly string[] }): DesiredState {
  const refs = <Id extends string>(written: readonly string[], isId: (text: string) => text is Id) =>
    written.map(
      (text, index): TargetRef<Id> =>
        isId(text) ? { id: text, source: at(index + 1) } : { name: text, source: at(index + 1) },
    )
  return {
    organization: 'acme',
    owns: [],
    prune: false,
    guards: { deletions: 30, losses: 30, protect: [] },
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
    files: 1,
  }
}

const LIVE: Directory = {
  workspaces: [
    { name: 'network-dev', id: 'ws-dev' },
    { name: 'network-prod', id: 'ws-prod', project: 'prj-platform' },
  ],
  projects: [{ name: 'platform', id: 'prj-platform' }],
}

function resolved(state: DesiredState, live: Partial<Directory> = LIVE) {
  const { value, diagnostics, needs } = resolveNames(state, { workspaces: [], projects: [], ...live })
  const [set] = value?.sets ?? []
  return {
    workspaces: set?.workspaces,
    projects: set?.projects,
    diagnostics: diagnostics.map(
      ({ code, message, hint, source }) => `${source?.line ?? '-'} ${code}: ${message} (${hint})`,
    ),
    needs,
  }
}

describe('names of workspaces and projects', () => {
  test('are not asked for if they are ids, which are sorted', () => {
    expect(resolved(desired({ workspaces: ['ws-b', 'ws-a'], projects: ['prj-b', 'prj-a'] }))).toEqual({
      workspaces: ['ws-a', 'ws-b'],
      projects: ['prj-a', 'prj-b'],
      diagnostics: [],
      needs: [
        { ids: { workspaces: [], projects: [], stacks: [] } },
        { names: { workspaces: [], projects: [], stacks: [] } },
        { all: [] },
      ],
    })
  })

  test('are asked for together', () => {
    const seen = resolved(desired({ workspaces: ['network-prod', 'network-dev'], projects: ['platform'] }))
    expect(seen).toMatchObject({
      workspaces: ['ws-dev', 'ws-prod'],
      projects: ['prj-platform'],
      diagnostics: [],
      needs: [
        {},
        { names: { workspaces: ['network-prod', 'network-dev'], projects: ['platform'], stacks: [] } },
        { all: [] },
      ],
    })
  })

  test('may have the form of an id: it is one if the service knows it, else a name', () => {
    const named = { ...LIVE, workspaces: [...LIVE.workspaces, { name: 'ws-team_a', id: 'ws-7' as const }] }
    const state = desired({ workspaces: ['ws-team_a', 'ws-prod', 'ws-nowhere'] })
    const unclear = {
      ...state,
      sets: state.sets.map(set => ({
        ...set,
        workspaces: (set.workspaces ?? []).map(one => ({ ...one, mayBeName: true as const })),
      })),
    }
    const seen = resolved(unclear, named)
    expect(seen).toMatchObject({ workspaces: ['ws-7', 'ws-nowhere', 'ws-prod'], diagnostics: [] })
    expect(seen.needs.slice(0, 2).map(({ ids, names }) => ids?.workspaces ?? names?.workspaces)).toEqual([
      ['ws-team_a', 'ws-prod', 'ws-nowhere'],
      ['ws-team_a', 'ws-nowhere'],
    ])
    // Where the service tells nothing, it is an id.
    const hidden = resolved(unclear, { hidden: ['workspaces'] })
    expect(hidden).toMatchObject({ workspaces: ['ws-nowhere', 'ws-prod', 'ws-team_a'], diagnostics: [] })
  })

  test('keep an empty list, and a missing list', () => {
    const seen = resolved(desired({ workspaces: [] }))
    expect([seen.workspaces, seen.projects]).toEqual([[], undefined])
  })

  test('are errors with a suggestion if they do not exist', () => {
    const seen = resolved(desired({ workspaces: ['network-prdo', 'zzz'] }))
    expect(seen.workspaces).toBeUndefined()
    expect(seen.needs.at(-1)).toEqual({ all: ['workspaces'] })
    expect(seen.diagnostics).toEqual([
      '1 unknown-name: There is no workspace "network-prdo". (Did you mean "network-prod"?)',
      '2 unknown-name: There is no workspace "zzz". (Correct the name, or write the id.)',
    ])
  })

  test('are errors if they are ids of another kind, which belong in another list', () => {
    const { diagnostics } = resolved(desired({ workspaces: ['prj-SihZTyXKfNXUWuUa', 'prj-short'] }))
    expect(diagnostics).toEqual([
      '1 unknown-name: There is no workspace "prj-SihZTyXKfNXUWuUa". (It has the form of the id of a project: write it under `projects`.)',
      '2 unknown-name: There is no workspace "prj-short". (Correct the name, or write the id.)',
    ])
  })

  test('are errors if two objects have the name', () => {
    const twice = [
      { name: 'platform', id: 'prj-1' },
      { name: 'platform', id: 'prj-2' },
    ] as const
    expect(resolved(desired({ projects: ['platform'] }), { projects: twice }).diagnostics).toEqual([
      '1 ambiguous-name: "platform" is the name of 2 projects: prj-1, prj-2. (Write the id of the one that you mean.)',
    ])
  })

  test('are errors if they resolve to the same id twice', () => {
    const seen = resolved(desired({ workspaces: ['network-prod', 'ws-a', 'ws-prod', 'ws-a'] }))
    expect(seen.diagnostics).toEqual([
      '3 duplicate-target: "ws-prod" is the same workspace as "network-prod" on line 1. (Remove one of the two.)',
      '4 duplicate-target: "ws-a" is the same workspace as "ws-a" on line 2. (Remove one of the two.)',
    ])
  })

  test('are one error for each kind that the service does not tell, at its first name', () => {
    const state = desired({ workspaces: ['network-prod', 'network-dev'], projects: ['platform'] })
    const { workspaces } = LIVE
    expect(resolved(state, { workspaces, hidden: ['projects'] }).diagnostics).toEqual([
      '1 no-look-up: The service has no projects, or does not list those of "acme" for this token. (If it has none, assign the set to workspaces. Otherwise write ids, or use a token that may read the projects.)',
    ])
    expect(resolved(state, { hidden: ['workspaces', 'projects'] }).diagnostics).toHaveLength(2)
    const ids = desired({ workspaces: ['ws-a'], projects: ['prj-a'] })
    expect(resolved(ids, { hidden: ['workspaces', 'projects'] })).toMatchObject({
      workspaces: ['ws-a'],
      projects: ['prj-a'],
      diagnostics: [],
    })
  })
})
