import { expect, test } from 'vitest'
import type { Profile } from '../../src/sandbox/index.ts'
import { aPlace, ONE, SEED } from './place.ts'

/** An apply with a token that may read: its first write is answered as `missingPermission` says. */
async function appliedByReader(missingPermission: Profile['missingPermission']) {
  const place = await aPlace(ONE, { profile: { missingPermission } })
  place.sandbox.restore({ ...SEED, tokens: [{ token: 'reader', permission: 'read-variables' }] })
  const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], {
    env: { SETPOINT_TOKEN: 'reader' },
  })
  return { code, next: stdout.split('\n').find(line => line.startsWith('Next: ')) }
}

const NEXT =
  'Next: give this job a token that is valid and may write (SETPOINT_TOKEN, or TFE_TOKEN), then run this job again, or setpoint apply --only a'

test('a token that the service refuses while it is used is what has to be changed, not only run again', async () => {
  // Something before the service may have carried the write out and refused the answer: nothing can be read to tell.
  expect(await appliedByReader('unauthorized')).toEqual({ code: 3, next: NEXT })
  expect(await appliedByReader('not-found')).toEqual({ code: 1, next: NEXT })
})
