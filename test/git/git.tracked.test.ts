import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTracked, isTrackedHere } from '../../src/git/git.ts'
import { workTreeRoot, workTreesAround } from '../../src/git/work-tree.ts'
import { aRepository, git } from '../support/hostile-repository.ts'
import { aDirectory } from '../support/program.ts'

const env = { PATH: process.env.PATH }

/** A repository in a directory of another one, which tracked `infra/sets/a.yaml` before. `mine.yaml` is in the index of the inner one. */
function nested(): { readonly outer: string; readonly inner: string; readonly at: (name: string) => string } {
  const outer = aRepository()
  const inner = join(outer, 'infra/sets')
  git(inner, 'init', '-q')
  for (const name of ['mine.yaml', 'none.yaml']) writeFileSync(join(inner, name), '')
  git(inner, 'add', 'mine.yaml')
  return { outer, inner, at: name => join(inner, name) }
}

describe('the work trees around a path', () => {
  test('are all of them, the nearest first', () => {
    const { outer, inner, at } = nested()
    expect(workTreesAround(at('mine.yaml'))).toEqual([inner, outer])
    expect([workTreeRoot(inner), workTreeRoot(join(outer, 'infra'))]).toEqual([inner, outer])
    expect(workTreesAround(join(outer, 'infra'))).toEqual([outer])
  })

  test('are none without a repository', () => {
    const place = aDirectory()
    expect([workTreesAround(place), workTreeRoot(place), workTreeRoot('/')]).toEqual([
      [],
      undefined,
      undefined,
    ])
  })
})

describe('a file that Git tracks', () => {
  test('is told by each repository around it, unless the search ends before', () => {
    const { outer, inner, at } = nested()
    const found = (name: string, within?: string) => isTracked(at(name), env, within)
    expect([found('mine.yaml'), found('a.yaml'), found('none.yaml')]).toEqual([true, true, false])
    expect([found('mine.yaml', inner), found('a.yaml', inner), found('a.yaml', outer)]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('is told of a directory by what is below it', () => {
    const root = aRepository()
    mkdirSync(join(root, 'empty'))
    expect([isTracked(join(root, 'infra'), env), isTracked(join(root, 'empty'), env)]).toEqual([true, false])
  })

  test('is unknown if Git cannot be asked, unless another repository around it tells', () => {
    const { outer, inner, at } = nested()
    expect(isTracked(at('mine.yaml'), { PATH: aDirectory() })).toBe('git is not in the PATH')
    rmSync(join(inner, '.git/HEAD'))
    expect(isTracked(at('a.yaml'), env)).toBe(true)
    expect(isTracked(at('none.yaml'), env)).toContain('not a git repository')
    expect(isTrackedHere(inner, 'none.yaml', env)).toContain('not a git repository')
    expect(isTrackedHere(outer, 'infra/setpoint.yaml', env)).toBe(true)
  })

  test('counts by its name as well, be it a link to something else', () => {
    const root = aRepository()
    const elsewhere = join(aDirectory({ secrets: '' }), 'secrets')
    symlinkSync(elsewhere, join(root, 'link'))
    expect(isTrackedHere(root, 'link', env)).toBe(false)
    git(root, 'add', 'link')
    expect([isTrackedHere(root, 'link', env), isTrackedHere(root, elsewhere, env)]).toEqual([true, false])
  })
})
