import { expect, test } from 'vitest'
import type { WorkspaceId } from '../../src/model/ids.ts'
import type { DesiredState } from '../../src/model/variable-set.ts'
import { plannedFor } from '../support/prepare.ts'
import { aDesiredState, aSet, asWritten, SOMEWHERE } from '../support/states.ts'
import { aWorld } from '../support/world.ts'

const [WORKSPACES, SETS, PROJECTS] = [20_000, 3_000, 40]
const range = (count: number) => Array.from({ length: count }, (_, at) => at)
const idOf = (at: number): WorkspaceId => `ws-${String(at).padStart(16, '0')}`
/** Each set has seven workspaces, some of them with others. */
const workspacesOf = (set: number) => range(7).map(at => (set * 7 + at) % WORKSPACES)

const world = () =>
  aWorld([], {
    seed: {
      organizations: [{ name: 'acme' }],
      projects: range(PROJECTS).map(at => ({ name: `project-${at}` })),
      workspaces: range(WORKSPACES).map(at => ({
        id: idOf(at),
        name: `workspace-${at}`,
        project: `project-${at % PROJECTS}`,
      })),
      sets: range(SETS).map(at => ({
        name: `set-${at}`,
        workspaces: workspacesOf(at).map(idOf),
        variables: [{ key: 'A', category: 'env', value: at % 500 === 0 ? 'by hand' : '1' }],
      })),
    },
  })

const filesOf = (sets: readonly number[]): DesiredState => ({
  ...aDesiredState(),
  sets: sets.map(at => ({
    ...asWritten(aSet(`set-${at}`, { variables: { 'env/A': '1' } })),
    workspaces: workspacesOf(at).map(one => ({ name: `workspace-${one}`, source: SOMEWHERE })),
  })),
})

const one = ([set]: DesiredState['sets']): DesiredState['sets'] =>
  set === undefined ? [] : [{ ...set, name: 'new', workspaces: set.workspaces?.slice(0, 1) }]

test('a plan of one set with one workspace takes at most 40 reads', async () => {
  const service = await world()
  const files = filesOf([7])
  const { value: prepared } = await plannedFor({ ...files, sets: one(files.sets) }, service)
  expect(prepared?.plan.steps.map(({ id }) => id)).toEqual(['create-set new'])
  expect(prepared?.plan.names).toMatchObject({ [idOf(49)]: 'workspace-49' })
  // The sets, the workspace by its name, and its project.
  expect(service.requests()).toEqual({ reads: 32, writes: 0 })
})

test('a comparison of everything takes at most 240 reads', async () => {
  const service = await world()
  const { value: prepared } = await plannedFor(filesOf(range(SETS)), service)
  expect(prepared?.plan.steps).toHaveLength(6)
  const project = prepared?.plan.projectOf[idOf(0)] ?? ''
  expect(prepared?.plan.names[project]).toBe('project-0')
  // 30 pages of sets, 200 of workspaces, of which the first was read twice, and one of projects.
  expect(service.requests()).toEqual({ reads: 232, writes: 0 })
})
