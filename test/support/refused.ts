import { expect } from 'vitest'
import type { Place } from './place.ts'
import type { Ran } from './program.ts'

/** Checks that an attempt changes nothing in the service and prints no stack trace. */
export async function refused(place: Place, attempt: () => Promise<Ran>): Promise<Ran> {
  const before = place.sandbox.snapshot({ sensitive: true })
  const ran = await attempt()
  expect(place.sandbox.snapshot({ sensitive: true })).toEqual(before)
  expect(ran.stdout + ran.stderr).not.toMatch(/^\s+at |internal error/m)
  return ran
}

export const applied = (place: Place, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  refused(place, () => place.setpoint(['apply', '--auto-approve'], { env }))
