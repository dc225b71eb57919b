import { describe, expect, test } from 'vitest'
import { NOWHERE, secretRefs, targetNames } from '../../src/export/desired-set.ts'
import { fileNames } from '../../src/export/new-files.ts'
import type { DesiredSet, Directory } from '../../src/model/variable-set.ts'

const A = 'ws-AAAAAAAAAAAAAAA1'
const B = 'ws-AAAAAAAAAAAAAAA2'
const directory = (...workspaces: readonly (readonly [string, `ws-${string}`])[]): Directory => ({
  workspaces: workspaces.map(([name, id]) => ({ name, id })),
  projects: [],
})

describe('a workspace is written', () => {
  test.each([
    ['by its name', directory(['web', A]), { name: 'web' }],
    ['by its id, if two workspaces have the name', directory(['web', A], ['web', B]), { id: A }],
    ['by its id, if it has no name', directory(['web', B]), { id: A }],
    ['by its id, if a file cannot contain its name', directory([' \0', A]), { id: A }],
    ['by a name that looks like an id', directory([B, A]), { name: B }],
  ] as const)('%s', (_, told, written) => {
    expect(targetNames(told).workspaces(A)).toEqual({ ...written, source: NOWHERE })
  })
})

const named = (name: string, id?: `varset-${string}`): DesiredSet => ({
  name,
  description: '',
  global: false,
  priority: false,
  variables: [],
  previousNames: [],
  source: NOWHERE,
  ...(id === undefined ? {} : { id }),
})
const filesOf = (...names: readonly string[]): (string | undefined)[] => {
  const sets = names.map(name => named(name))
  return sets.map(set => fileNames(sets).get(set))
}

describe('a file name', () => {
  test.each([
    ['aws-credentials', 'aws-credentials.yaml'],
    ['AWS Keys (prod)', 'aws-keys-prod.yaml'],
    ['../../etc/passwd', 'etc-passwd.yaml'],
    ['..', expect.stringMatching(/^set-[0-9a-f]{8}\.yaml$/)],
    ['.hidden', 'hidden.yaml'],
    ['C:\\x', 'c-x.yaml'],
    ['con', 'set-con.yaml'],
    ['LPT1.txt', 'set-lpt1.txt.yaml'],
    ['Zürich', 'zurich.yaml'],
    ['Außenstelle', 'aussenstelle.yaml'],
    ['日本', expect.stringMatching(/^set-[0-9a-f]{8}\.yaml$/)],
    ['x'.repeat(300), `${'x'.repeat(80)}.yaml`],
    ['a\0b\n', 'a-b.yaml'],
  ])('of %j', (name, file) => {
    expect(filesOf(name)).toEqual([file])
  })

  test('that is the name of a set belongs to that set', () => {
    expect(filesOf('newsroom prod', 'newsroom-prod', 'Newsroom Prod')).toEqual([
      expect.stringMatching(/^newsroom-prod-[0-9a-f]{8}\.yaml$/),
      'newsroom-prod.yaml',
      expect.stringMatching(/^newsroom-prod-[0-9a-f]{8}\.yaml$/),
    ])
  })

  test('is unique, even on file systems that ignore case', () => {
    const names = filesOf('a', 'A', 'a ', 'é', 'e', '日', '月', 'x'.repeat(90), `${'x'.repeat(90)}y`)
    expect(new Set(names).size).toBe(names.length)
    expect(names.slice(0, 2)).toEqual(['a.yaml', expect.stringMatching(/^a-[0-9a-f]{8}\.yaml$/)])
  })
})

test('a secret gets a name of its own if another file has a secret of this name', () => {
  const sets = [{ name: 'web', variables: [{ id: 1, key: 'env/DB_PASSWORD' as const }] }]
  const nameWith = (...used: readonly string[]) => secretRefs(sets, () => true, undefined, used).get(1)?.name
  expect(nameWith()).toBe('DB_PASSWORD')
  expect(nameWith('DB_PASSWORD')).toBe('WEB_DB_PASSWORD')
  expect(nameWith('DB_PASSWORD', 'WEB_DB_PASSWORD')).toBe('WEB_DB_PASSWORD_2')
})
