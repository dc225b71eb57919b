import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isInside, isOfGit, linkInTheWay } from '../../src/git/work-tree.ts'
import { aRepository } from '../support/hostile-repository.ts'
import { aDirectory } from '../support/program.ts'

test('a path must not be a link, nor lead through one out of the repository or into its .git', () => {
  const root = realpathSync(aRepository())
  const outside = realpathSync(aDirectory({ file: '' }))
  for (const [name, target] of [
    ['inward', 'infra'],
    ['outward', outside],
    ['broken', 'nowhere'],
    ['internals', '.git'],
  ] as const)
    symlinkSync(target, join(root, name))
  symlinkSync(join(root, 'infra'), join(outside, 'into'))
  symlinkSync('file', join(outside, 'link'))
  symlinkSync('nowhere', join(outside, 'dead'))
  const why = (...parts: readonly string[]) => linkInTheWay(join(root, 'infra'), join(...parts))
  expect([
    why(root, 'infra/sets/a.yaml'),
    why(root, 'infra/new/deep'),
    why(root, 'inward/sets/a.yaml'),
  ]).toEqual([undefined, undefined, undefined])
  expect(why(root, 'inward')).toBe('it is a symbolic link')
  expect(why(root, 'outward/file')).toBe('its path contains a symbolic link out of the repository')
  expect(why(root, 'broken/file')).toBe('its path contains a broken symbolic link')
  expect([why(root, '.git/config'), why(root, 'internals/config')]).toEqual([
    'it belongs to the files of Git itself',
    'it belongs to the files of Git itself',
  ])
  // What is outside is the user's, with its links.
  const elsewhere = ['link', 'file', 'dead/file', 'into/sets/a.yaml']
  expect(elsewhere.map(path => why(outside, path))).toEqual(elsewhere.map(() => undefined))
})

test('without a repository, the directory itself is the place that links must not leave', () => {
  const place = realpathSync(aDirectory({ 'here/file': '', 'there/file': '' }))
  symlinkSync('../there', join(place, 'here/link'))
  mkdirSync(join(place, 'here/below'))
  const why = (path: string) => linkInTheWay(join(place, 'here'), join(place, path))
  expect([why('here/below/file'), why('there/file'), why('here/link/file')]).toEqual([
    undefined,
    undefined,
    'its path contains a symbolic link out of the repository',
  ])
})

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['/a/b', '/a', false],
  ['/', '/a', true],
])('in %s, %s is inside: %s', (root, path, is) => expect(isInside(root, path)).toBe(is))

test.each([
  ['/r/.git', true],
  ['/r/.git/config', true],
  ['/r/sub/.GIT/x', true],
  ['/r/.gitignore', false],
  ['/r/a.git/x', false],
])('%s belongs to Git: %s', (path, is) => expect(isOfGit('/r', path)).toBe(is))
