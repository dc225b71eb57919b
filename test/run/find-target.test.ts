import { expect, test } from 'vitest'
import { lookUpsOf } from '../../src/api/look-ups.ts'
import type { Directory } from '../../src/model/variable-set.ts'
import { findWorkspace } from '../../src/run/find-target.ts'

const ID = 'ws-AAAAAAAAAAAAAAA1'
const OTHER = 'ws-AAAAAAAAAAAAAAA2'
const TWINS: Directory = {
  workspaces: [
    { id: ID, name: 'web' },
    { id: OTHER, name: 'web' },
  ],
  projects: [],
}

test('a name that two workspaces have is an error', async () => {
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
  expect(await findWorkspace('web', lookUpsOf(TWINS))).toEqual(refused)
  expect((await findWorkspace(OTHER, lookUpsOf(TWINS))).value).toEqual({
    id: OTHER,
    name: 'web',
    isTold: true,
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
  expect((await findWorkspace(OTHER, lookUpsOf(live))).value?.name).toBe('web')
  const alone: Directory = { workspaces: [{ id: ID, name: OTHER }], projects: [] }
  expect((await findWorkspace(OTHER, lookUpsOf(alone))).value?.id).toBe(ID)
})
