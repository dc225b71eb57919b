import { describe, expect, test } from 'vitest'
import { UNITS } from './plan.ts'
import { sweep } from './unit.ts'

/** Of each case the first services, with every kind of fault at the first requests: what a change has to pass each time. */
const SOME = UNITS.filter((_, index) => index % 9 === 0).map(unit => ({ ...unit, count: 60 }))

describe('an apply under faults, on services that behave as the interface leaves open', () => {
  test.each(SOME)('$case on $profile', async unit => {
    const { broken, schedules } = await sweep(unit)
    expect(broken).toEqual([])
    expect(schedules).toBe(unit.count)
  })
})
