import { expect, test } from 'vitest'
import { titled } from './skipped.ts'
import { reasonIn, summaryText } from './summary.ts'

const CHROMIUM = { name: 'a page > prints', reason: 'no Chromium' }

test('the summary lists passed and skipped tests with reasons, and how to run more', () => {
  const zsh = ['offers kinds', 'offers files'].map(name => ({ name, reason: 'no zsh on the path' }))
  expect(summaryText(3_949, 0, [CHROMIUM, ...zsh], '7')).toBe(`3,949 passed, 0 failed, 3 skipped.
Skipped, no Chromium: a page > prints.
Skipped, no zsh on the path: 2 tests.
The samples of the proof used seed 7. Repeat them: SETPOINT_SEED=7 npm test
Run the whole proof: npm run proof
`)
})

test('a test that is skipped without a reason is reported', () => {
  expect(summaryText(1, 0, [{ name: 'x', reason: undefined }], '7')).toContain(
    'Skipped, NO REASON IS GIVEN: x.',
  )
})

test('the reason of a skipped test is found in its title', () => {
  expect(reasonIn(`completion > ${titled('zsh', true, 'no zsh on the path')} > offers files`)).toBe(
    'no zsh on the path',
  )
  expect(reasonIn(titled('zsh', false, 'no zsh on the path'))).toBeUndefined()
})
