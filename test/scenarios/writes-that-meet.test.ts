import { expect, test } from 'vitest'
import { aPlace } from '../support/place.ts'

const files = (count: number, after: boolean): string =>
  [
    'variableSets:',
    ...Array.from(
      { length: count },
      (_, at) =>
        `  s${at}: { description: ${after && at % 2 === 0 ? 'after' : 'before'}, workspaces: [w${after && at % 2 === 1 ? ', x' : ''}] }`,
    ),
    '',
  ].join('\n')

test('an apply ends with 0 on a server whose database refuses writes that meet', async () => {
  const place = await aPlace({ 'sets/a.yaml': files(40, false) }, { traits: { writesThatMeet: 'deadlock' } })
  expect((await place.setpoint(['apply', '--auto-approve', '--rate', '1000'])).code).toBe(0)
  place.write({ 'sets/a.yaml': files(40, true) })
  const ran = await place.setpoint(['apply', '--auto-approve', '--rate', '1000', '--verbose'])
  const refused = ran.stderr.split('\n').filter(line => / 500 \d+ ms$/.test(line))
  expect(ran.code).toBe(0)
  // At first eight writes meet, then four, then two.
  expect(refused.length).toBeLessThan(14)
  expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
})
