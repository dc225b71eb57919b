import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { compile, scratch } from './compile.mjs'
import { figuresOf, rareCells } from './figures.ts'
import { expectSection } from './page.ts'
import { UNITS } from './plan.ts'
import { simulate } from './simulate.ts'
import { commandOf } from './story.ts'

const THREADS = Math.min(4, availableParallelism())

test('an apply under faults loses, doubles and claims nothing, on services that behave as the interface leaves open', async () => {
  const directory = scratch('schedules')
  compile(directory)
  const sum = await simulate(directory, UNITS, THREADS)
  expect(sum.broken.map(commandOf).sort().join('')).toBe('')
  expect(rareCells(sum, 100)).toEqual([])
  expect(sum.schedules).toBe(UNITS.reduce((all, { count }) => all + count, 0))
  expect(sum.schedules).toBeGreaterThanOrEqual(100_000)
  expect(sum.fewest).toBeGreaterThanOrEqual(8)
  expect(new Set(UNITS.map(({ profile }) => profile)).size).toBeGreaterThanOrEqual(8)
  expectSection('schedules', figuresOf(sum, UNITS))
})
