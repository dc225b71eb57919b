import { expect, test } from 'vitest'
import type { Directory } from '../../src/model/variable-set.ts'
import { findWorkspace } from '../../src/run/find-target.ts'

const ID = 'ws-AAAAAAAAAAAAAAA1'
const OTHER = 'ws-AAAAAAAAAAAAAAA2'
const NONE: Directory = { workspaces: [], projects: [] }
const TWINS: Directory = {
  workspaces: [
    { id: ID, name: 'web' },
    { id: OTHER, name: 'web' },
  ],
  projects: [],
}
const answers = (value: Directory) => async () => ({ value, diagnostics: [] })

test('a name that two workspaces have is an error, in the directory file and in the service', async () => {
  const refused = {
    value: undefined,
    diagnostics: [
      {
        severity: 'error',
        code: 'ambiguous-name',
        message: `2 workspaces are named "web": ${ID}, ${OTHER}.`,
        hint: 'Use the id of one of them.',
      },
    ],
  }
  expect(await findWorkspace('web', NONE, answers(TWINS))).toEqual(refused)
  expect(await findWorkspace('web', TWINS, answers(NONE))).toEqual(refused)
  expect((await findWorkspace(OTHER, NONE, answers(TWINS))).value).toEqual({
    id: OTHER,
    name: 'web',
    live: true,
  })
})

test('a word in the form of an id is an id, unless it exists only as a name', async () => {
  const live: Directory = {
    workspaces: [
      { id: ID, name: OTHER },
      { id: OTHER, name: 'web' },
    ],
    projects: [],
  }
  expect((await findWorkspace(OTHER, NONE, answers(live))).value?.name).toBe('web')
  const alone: Directory = { workspaces: [{ id: ID, name: OTHER }], projects: [] }
  expect((await findWorkspace(OTHER, NONE, answers(alone))).value?.id).toBe(ID)
})
