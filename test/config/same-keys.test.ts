import { expect, test } from 'vitest'
import { checkSameKeys } from '../../src/config/same-keys.ts'
import { Findings } from '../../src/model/findings.ts'
import { aSet, asWritten } from '../support/states.ts'

const AT = { path: 'setpoint.yaml', line: 1, column: 1 }

/** The warnings about sets with these keys. */
function warnings(...keys: readonly (readonly string[])[]): readonly string[] {
  const sets = keys.map((some, n) => {
    const variables = Object.fromEntries(some.map(key => [`env/${key}`, '']))
    const { variables: written, ...rest } = aSet(`s${n}`, { variables })
    return asWritten({ ...rest, variables: written })
  })
  const findings = new Findings()
  checkSameKeys([{ text: 's*', source: AT }], sets, 1000, findings)
  return findings.diagnostics.map(({ message }) => message)
}

test('up to six keys that a set lacks are named, and more are counted', () => {
  expect(warnings([], ['A', 'B', 'C', 'D', 'E', 'F'])).toEqual([
    '"s0" has no env/A, env/B, env/C, env/D, env/E, env/F, but "s1" has.',
  ])
  expect(warnings([], ['A', 'B', 'C', 'D', 'E', 'F', 'G'])).toEqual([
    '"s0" has no env/A, env/B, env/C, env/D, env/E and 2 more, but "s1" has.',
  ])
})

test('a set that lacks keys of up to five kinds has a warning for each, and one for all beyond', () => {
  const of = (name: string, all: readonly string[]) => all.filter(message => message.startsWith(`"${name}"`))
  const letters = ['A', 'B', 'C', 'D', 'E', 'F']
  const [five, six] = [5, 6].map(count =>
    of('s0', warnings([], ...letters.slice(0, count).map(key => [key]))),
  )
  expect(five).toEqual(letters.slice(0, 5).map((key, n) => `"s0" has no env/${key}, but "s${n + 1}" has.`))
  expect(six).toEqual([expect.stringContaining('which other sets have')])
})

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
