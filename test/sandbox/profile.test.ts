import { describe, expect, test } from 'vitest'
import { AXES, DEFAULT_PROFILE, PROFILES } from '../../src/sandbox/index.ts'
import { openInProcess } from '../contract/subject.ts'
import { answerChecks } from './profile-answers.ts'
import { clock, listChecks } from './profile-lists.ts'
import { otherChecks } from './profile-others.ts'
import { type Check, writeChecks } from './profile-writes.ts'

const CHECKS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  ...writeChecks,
  ...answerChecks,
  ...listChecks,
  ...otherChecks,
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

  /** A value of a switch that no other one changes; the rest is checked above. */
  test('the profiles with a name set switches to other values than the defaults', () => {
    for (const profile of Object.values(PROFILES)) {
      for (const [name, value] of Object.entries(profile)) {
        const axis = AXES.find(candidate => candidate.name === name)
        expect(axis?.values.map(one => one.value).slice(1)).toContain(value)
      }
    }
  })

  test('with the defaults a client must converge, except for outsideProject and lengths', () => {
    const defaults = AXES.filter(
      axis => axis.values.find(({ value }) => value === DEFAULT_PROFILE[axis.name])?.expect !== 'converges',
    )
    expect(defaults.map(axis => axis.name)).toEqual(['outsideProject', 'lengths'])
  })
})
