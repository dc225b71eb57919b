import { expect, test } from 'vitest'
import { checkSameKeys } from '../../src/config/same-keys.ts'
import { Findings } from '../../src/model/findings.ts'
import { aSet, asWritten } from '../support/states.ts'

const AT = { path: 'setpoint.yaml', line: 1, column: 1 }

test('a family with little in common causes one warning per set, however many keys are missing', () => {
  const sets = Array.from({ length: 8 }, (_, n) => {
    const { name, variables, ...rest } = aSet(`s${n}`, { variables: { [`env/K${n}`]: '' } })
    return asWritten({ ...rest, name, variables })
  })
  const findings = new Findings()
  checkSameKeys([{ text: 's*', source: AT }], sets, 1000, findings)
  expect(findings.diagnostics.map(({ message }) => message)).toEqual([
    '"s0" has no env/K1, env/K2, env/K3, env/K4, env/K5 and 2 more, which other sets have.',
    '"s1" has no env/K0, env/K2, env/K3, env/K4, env/K5 and 2 more, which other sets have.',
    ...Array.from({ length: 3 }, (_, n) => expect.stringContaining(`"s${n + 2}" has no`)),
    ...Array.from({ length: 3 }, (_, n) => expect.stringContaining(`"s${n + 5}" has no`)),
  ])
})
