import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  AXES,
  createSandbox,
  DEFAULT_PROFILE,
  parseFaults,
  parseSeed,
  profileOf,
  withFaults,
} from '../../src/sandbox/index.ts'
import { openInProcess } from '../contract/subject.ts'
import { answerChecks } from './profile-answers.ts'
import { clock, listChecks } from './profile-lists.ts'
import { serverChecks } from './profile-servers.ts'
import { type Check, writeChecks } from './profile-writes.ts'

const CHECKS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  ...writeChecks,
  ...answerChecks,
  ...listChecks,
  ...serverChecks,
}

describe('each value of each switch works', () => {
  for (const axis of AXES) {
    for (const { value } of axis.values) {
      test(`${axis.name}: ${value}`, async () => {
        clock.now = Date.UTC(2026, 0, 1)
        const subject = await openInProcess({
          profile: { [axis.name]: value },
          now: () => new Date(clock.now),
          tokens: [{ token: 'token-none', permission: 'none' }],
        })
        await CHECKS[axis.name]?.[value]?.(subject)
        await subject.close()
      })
    }
  }

  test('the table of switches is complete, and contains each default', () => {
    expect(AXES.map(axis => axis.name).toSorted()).toEqual(Object.keys(DEFAULT_PROFILE).toSorted())
    expect(Object.keys(CHECKS).toSorted()).toEqual(Object.keys(DEFAULT_PROFILE).toSorted())
    for (const axis of AXES) {
      expect(axis.values.map(({ value }) => value)).toContain(DEFAULT_PROFILE[axis.name])
    }
  })

  test('a server has its own values of the other switches, and a given one wins', () => {
    const otf = profileOf({ server: 'otf' })
    expect([otf.text, otf.pageData, otf.lists]).toEqual(['trim', 'unpaged', 'immediate'])
    expect(profileOf({ server: 'otf', text: 'verbatim' })).toEqual({ ...otf, text: 'verbatim' })
    expect(profileOf({ server: 'enterprise' })).toEqual({ ...DEFAULT_PROFILE, server: 'enterprise' })
  })

  test('an unknown switch or value is an error that lists the known ones', async () => {
    for (const [profile, message] of [
      [{ stacks: 'refused' }, 'Unknown switch "stacks". Known switches: server, setNames, '],
      [{ toString: 'any' }, 'Unknown switch "toString".'],
      [{ text: 'trimmed' }, '"text" must be one of verbatim, unix-newlines, trim.'],
    ] as const)
      await expect(createSandbox({ profile: profile as object })).rejects.toThrow(message)
  })

  test('with the defaults a client must converge, except for wrongTarget and lengths', () => {
    const defaults = AXES.filter(
      axis => axis.values.find(({ value }) => value === DEFAULT_PROFILE[axis.name])?.expect !== 'converges',
    )
    expect(defaults.map(axis => axis.name)).toEqual(['wrongTarget', 'lengths'])
  })
})

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(found => found[1] ?? '')

test('the example of docs/sandbox.md runs and prints the output that is shown there', async () => {
  const [example = ''] = blocks('ts')
  const printed: unknown[][] = []
  const code = example.replace(/^import .*$/m, '')
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const run = new AsyncFunction('createSandbox', 'withFaults', 'console', code)
  await run(createSandbox, withFaults, { log: (...values: unknown[]) => printed.push(values) })
  expect(printed).toEqual([[200], ['TransportError', 'maybe'], [['aws', 'gcp']]])
})

test('the seed and the fault schedule of docs/sandbox.md are valid', async () => {
  const seed = blocks('yaml').find(text => text.includes('sets:')) ?? ''
  const faults = blocks('yaml').find(text => text.includes('probability:')) ?? ''
  const sandbox = await createSandbox({ seed: parseSeed(seed) })
  expect(sandbox.snapshot().sets?.map(set => [set.name, set.variables?.length])).toEqual([
    ['aws', 2],
    ['platform-only', 0],
  ])
  expect(parseFaults(faults).probability).toBe(0.05)
  await sandbox.close()
})
