import { readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { pid } from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compile, scratch } from './compile.mjs'

/** Of this process alone: the tests may run twice at a time. */
const program = scratch(`sample-${pid}/program`)
const seed = Number(process.env.SETPOINT_SEED)
const names = readdirSync(resolve(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.family.ts'))
  .map(file => basename(file, '.family.ts'))

beforeAll(() => compile(program))
afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

test.each(names)('a sample of the proof by numbers: %s', async name => {
  const { families, jobsOf, prove }: typeof import('./run.ts') = await import(`${program}/test/proof/run.js`)
  const { brokenText, verdictOn }: typeof import('./verdict.ts') = await import(
    `${program}/test/proof/verdict.js`
  )
  const part = { size: 'sample', seed, slice: 1, of: 1 } as const
  const all = await families([name])
  const jobs = jobsOf(all, part)
  const verdict = verdictOn(all, await prove(part, jobs, availableParallelism()))
  expect(brokenText(verdict), `of seed ${seed}`).toBe('')
  expect(Object.keys(verdict.conclusions)).toEqual([name])
})
