import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { BUGS } from './bugs.ts'
import { outdated } from './plant.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

test('the text of every planted bug occurs exactly once in its file', () => {
  expect(outdated(BUGS, ROOT)).toEqual([])
})

test('every planted bug has a unique name and a check that must find it', () => {
  expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length)
  expect(BUGS.filter(({ caughtBy }) => 'schedules' in caughtBy && caughtBy.schedules.length === 0)).toEqual(
    [],
  )
})
