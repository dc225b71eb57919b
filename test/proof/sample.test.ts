import { readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { pid } from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compile, scratch } from './compile.mjs'
import type { Findings } from './run.ts'

/** One directory per process, because the tests may run twice at the same time. */
const program = scratch(`sample-${pid}/program`)
const seed = Number(process.env.SETPOINT_SEED)
const part = { size: 'sample', seed, slice: 1, of: 1 } as const
const names = readdirSync(resolve(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.family.ts'))
  .map(file => basename(file, '.family.ts'))
  // `delivery` makes an executable of 100 MB, which only CI does, and `servers` has tests of its own.
  .filter(name => name !== 'delivery' && name !== 'servers')

const proof = (): Promise<typeof import('./run.ts')> => import(`${program}/test/proof/run.js`)
let findings: Findings

/** Runs all families at once, because a thread that has loaded the program can run any of them. */
beforeAll(async () => {
  compile(program)
  const { families, jobsOf, prove } = await proof()
  findings = await prove(part, jobsOf(await families(), part), availableParallelism())
})
afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

test.each(names)('a sample of the proof by numbers: %s', async name => {
  const { families } = await proof()
  const { brokenText, verdictOn }: typeof import('./verdict.ts') = await import(
    `${program}/test/proof/verdict.js`
  )
  const verdict = verdictOn(await families([name]), findings)
  expect(brokenText(verdict), `of seed ${seed}`).toBe('')
  expect(Object.keys(verdict.conclusions)).toEqual([name])
})
