import { expect, test } from 'vitest'
import { targetNames } from '../../src/export/desired-set.ts'
import { exportedSets } from '../../src/export/exported-sets.ts'
import { exportText } from '../../src/export/new-files.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import type { ObservedSet } from '../../src/model/variable-set.ts'
import { anObserved, anObservedState } from '../support/states.ts'

const names = targetNames({
  workspaces: [
    { name: 'web', id: 'ws-AAAAAAAAAAAAAAA1' },
    { name: 'ws-team', id: 'ws-B' },
  ],
  projects: [],
})

function exported(...sets: readonly ObservedSet[]) {
  const result = exportedSets(anObservedState(...sets), { only: [], owns: [], names })
  return {
    yaml: exportText(result.sets, '').split('\n').slice(1).join('\n'),
    reported: result.diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message}`),
  }
}

test('everything that files can express is written, without diagnostics', () => {
  expect(
    exported(
      anObserved('AAAAAAAAAAAAAAA1', 'web', {
        description: 'All of it: "quoted".',
        priority: true,
        workspaces: ['ws-AAAAAAAAAAAAAAA1', 'ws-AAAAAAAAAAAAAAA2'],
        projects: ['prj-AAAAAAAAAAAAAAA1'],
        variables: {
          'env/HCL': { value: '[1]', hcl: true },
          'env/S': { value: { hidden: true }, description: 'Rotated.' },
          'env/LINES': 'one\r\ntwo\n',
          'env/__proto__': 'yes',
          'terraform/code': { value: '{ a = "b" }', hcl: true },
          'terraform/num': '1.10',
          'terraform/text': 'one\n  two\n',
          'terraform/empty': '',
        },
      }),
      anObserved('AAAAAAAAAAAAAAA2', 'everywhere', { global: true }),
    ),
  ).toEqual({
    reported: [],
    yaml: `variableSets:
  everywhere:
    global: true
  web:
    description: 'All of it: "quoted".'
    priority: true
    workspaces:
      - web
      - ws-AAAAAAAAAAAAAAA2
    projects:
      - prj-AAAAAAAAAAAAAAA1
    env:
      HCL: "[1]"
      LINES: "one\\r\\ntwo\\n"
      S:
        description: Rotated.
        external: true
      __proto__: "yes"
    terraform:
      code:
        hcl: '{ a = "b" }'
      empty: ""
      num: "1.10"
      text: |
        one
          two
`,
  })
})

test('everything that files cannot express is left out or external, and reported', () => {
  const { yaml, reported } = exported(
    anObserved('AAAAAAAAAAAAAAA1', 'same', { variables: { 'env/A': 'first' } }),
    anObserved('AAAAAAAAAAAAAAA2', 'same', { variables: { 'env/A': 'second' } }),
    anObserved('AAAAAAAAAAAAAAA3', 'nul \0 name'),
    {
      ...anObserved('AAAAAAAAAAAAAAA4', 'twice', { variables: { 'env/A': '1' } }),
      variables: [1, 2].map(n => ({
        id: `var-${n}` as const,
        key: 'env/A' as const,
        value: { text: String(n) },
        ...NO_FIELDS,
      })),
    },
    anObserved('AAAAAAAAAAAAAAA5', 'odd', {
      variables: { 'env/NUL': 'a\0b', 'env/TOKEN': 'ghp_0a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXy' },
      foreignVariables: [{ id: 'var-x', key: 'P', category: 'policy' }],
    }),
    anObserved('AAAAAAAAAAAAAAA6', 'global-1', { global: true, variables: { 'env/A': '1' } }),
    anObserved('AAAAAAAAAAAAAAA7', 'global-2', { global: true, variables: { 'env/A': '1' } }),
    anObserved('AAAAAAAAAAAAAAA9', 'look-alike', { variables: { 'env/\u00e9': '1', 'env/e\u0301': '2' } }),
    anObserved('AAAAAAAAAAAAAAA8', 'of a project', { parent: 'prj-AAAAAAAAAAAAAAA1' }),
  )
  expect(yaml).toBe(`variableSets:
  odd:
    workspaces: []
    projects: []
    env:
      NUL:
        external: true
      TOKEN:
        external: true
  of a project:
    project: prj-AAAAAAAAAAAAAAA1
    workspaces: []
    projects: []
  same:
    id: varset-AAAAAAAAAAAAAAA1
    workspaces: []
    projects: []
    env:
      A: first
`)
  expect(reported).toEqual([
    'warning global-conflict "global-1" is left out: it is global and has env/A, as the global set "global-2" does.',
    'warning global-conflict "global-2" is left out: it is global and has env/A, as the global set "global-1" does.',
    'warning not-written "look-alike" (varset-AAAAAAAAAAAAAAA9) is left out. "\u00e9" looks the same as the key on line 6. They differ only in Unicode form.',
    'warning not-written "nul \0 name" (varset-AAAAAAAAAAAAAAA3) is left out. A string cannot contain the character U+0000.',
    'warning not-written "odd" has variables of an unknown category: P (policy).',
    'warning not-written env/NUL of "odd" is written without its value (external: true). It contains the character U+0000 or half of a surrogate pair, which no file can contain.',
    'warning looks-like-a-secret env/TOKEN of "odd" is written without its value (external: true). The value of "TOKEN" contains a GitHub token.',
    'warning ambiguous-set varset-AAAAAAAAAAAAAAA2 is left out: varset-AAAAAAAAAAAAAAA1 has the same name "same" and the same owner, and is written with its id.',
    'warning not-written "twice" (varset-AAAAAAAAAAAAAAA4) is left out: it has env/A twice, and a file can declare it only once.',
  ])
})

test('ids of every service are written, and a name in the form of an id says that it is a name', () => {
  const ids = {
    workspaces: ['ws-3f2b1c9e-1d2f-4a5b-9c8d-7e6f5a4b3c2d', 'ws-B'] as const,
    parent: 'prj-a_b' as const,
  }
  const { yaml, reported } = exported(anObserved('AAAAAAAAAAAAAAA1', 'theirs', ids))
  expect(yaml).toBe(`variableSets:
  theirs:
    project: prj-a_b
    workspaces:
      - ws-3f2b1c9e-1d2f-4a5b-9c8d-7e6f5a4b3c2d
      - { name: ws-team }
    projects: []
`)
  expect(reported).toEqual([])
})
