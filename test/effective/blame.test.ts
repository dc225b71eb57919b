import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Explanation, ValueLine } from '../../src/plan/effective/explanation.ts'
import { run } from '../support/program.ts'
import { aYear, type Told, WORKSPACE } from './year.ts'

async function blamed(root: string, workspace = WORKSPACE): Promise<Map<string, readonly ValueLine[]>> {
  const argv = ['explain', workspace, '--sandbox', '--from', 'files', '--blame', '--format', 'json']
  const { code, stdout, stderr } = await run(argv, { cwd: join(root, 'infra') })
  if (code !== 0) throw new Error(stderr)
  const { variables } = JSON.parse(stdout) as Explanation
  return new Map(variables.map(({ key, after }) => [key.replace(/^\w+\//, ''), after?.blame ?? []]))
}

const told = (lines: readonly ValueLine[], ...parts: readonly ValueLine['part'][]): Told | undefined => {
  const line = lines.find(({ part }) => parts.includes(part))
  return line && { author: line.author ?? line.state, date: line.date ?? '' }
}

describe('a year of history', () => {
  const seed = Number(process.env.SETPOINT_SEED)
  test.each([seed, seed + 1, seed + 2])('every value has the author who gave it (seed %i)', async seed => {
    const year = aYear(seed, 300)
    const found = await blamed(year.root)
    const clean = ({ author, date }: Told): Told => ({ author: author.replaceAll('<', ''), date })
    const expected = new Map([...year.values].map(([key, by]) => [key, clean(by)]))
    const got = new Map(
      [...found].map(([key, lines]) => [key, told(lines, 'file') ?? told(lines, 'value', 'base')]),
    )
    expect(Object.fromEntries([...got].toSorted())).toEqual(Object.fromEntries([...expected].toSorted()))
    for (const [key, by] of year.named)
      expect([key, told(found.get(key) ?? [], 'value')]).toEqual([key, clean(by)])
    expect(year.values.size).toBeGreaterThan(40)
    for (const [key, by] of year.taken)
      expect([key, told(found.get(key) ?? [], 'from')]).toEqual([key, clean(by)])
  })
})
