import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const TITLES = [
  'Start-up: whole processes',
  'Files loaded',
  'Load and validate: loadDesired, cold, without imports',
  'Plan: createPlan, cold, both states decoded already',
  'Plan over the network: whole processes',
  'Effects on workspaces: whole processes',
  'Apply at a limit: whole process',
  'Requests, counted at the transport',
  'Peak memory: whole processes',
  'Package',
  'Large: files to a plan, cold, without imports',
  'Scale: what a thousand sets more cost',
  'Scale: what a thousand workspaces more cost',
  'Scale: what a thousand operations more cost',
  'A changed value of 256 KB: plan, text, Markdown and HTML in one stretch',
]

// `npm test` builds first; a run of the tests by themselves may have nothing to measure.
test.skipIf(!existsSync(resolve(ROOT, 'dist/bundle/setpoint.js')))(
  'the quick bench runs, prints every table, and its exact figures hold',
  async () => {
    const args = ['bench/main.mjs', '--quick', '--node', process.execPath]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
    const [machine, ...tables] = stdout.trimEnd().split('\n\n')
    expect(machine).toMatch(/^\d+ cores .*, Node \d+\./)
    expect(tables.map(table => table.split('\n')[0])).toEqual(TITLES)
    const started = tables[0]?.split('\n').slice(2) ?? []
    const node = `, Node ${process.versions.node}`
    expect(started.map(row => row.includes(node))).toEqual([false, false, false, true, true, true])
    expect(stdout).toMatch(/1000 sets: apply, 1 % changed +20 \+ 200 +20 \+ 200 +equal\n/)
  },
  240_000,
)
