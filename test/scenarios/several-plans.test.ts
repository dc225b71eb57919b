import { expect, test } from 'vitest'
import { aPlace, type Place } from '../support/place.ts'

/**
 * A pipeline passes the plans of several merged pull requests to one apply. The service has the sets a and b, each with A=1.
 */
const file = (name: string, values: Readonly<Record<string, number>>) => ({
  [`sets/${name}.yaml`]: `variableSets: { ${name}: { env: ${JSON.stringify(values)} } }\n`,
})
const BEFORE = { ...file('a', { A: 1 }), ...file('b', { A: 1 }) }

async function aRepository(): Promise<Place> {
  const place = await aPlace(BEFORE)
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  return place
}

/** The plan of a branch with these files. Restores the files afterwards. */
async function branch(place: Place, name: string, files: Readonly<Record<string, string>>): Promise<string> {
  place.write(files)
  expect((await place.setpoint(['plan', '--out', name])).code).toBe(0)
  place.write(BEFORE)
  return name
}

async function apply(place: Place, plans: readonly string[], more: readonly string[] = []) {
  const before = place.live()
  const { code, stdout, stderr } = await place.setpoint(['apply', ...plans, ...more])
  return { code, stdout, stderr, live: place.live(), isUntouched: place.live().join() === before.join() }
}

test('two plans are applied together if they contain the whole current plan', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2 }))
  const two = await branch(place, 'two.json', file('b', { A: 2, B: 1 }))
  place.write({ ...file('a', { A: 2 }), ...file('b', { A: 2, B: 1 }) })
  const { code, live } = await apply(place, [one, two])
  expect(code).toBe(0)
  expect(live.join('\n')).toContain('A=2')
  const again = await apply(place, [one, two])
  expect([again.code, again.isUntouched]).toEqual([0, true])
})

test('an apply with only one of them is refused, and shows the current plan', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2 }))
  place.write({ ...file('a', { A: 2 }), ...file('b', { A: 2 }) })
  const { code, stdout, stderr, isUntouched } = await apply(place, [one])
  expect([code, isUntouched]).toEqual([4, true])
  expect(stderr).toContain('reviewed: nothing')
  expect(stdout).toContain('~ b  ~ env A  1 -> 2')
})

test('a later plan for the same variable replaces the earlier one', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2, B: 1 }))
  const two = await branch(place, 'two.json', file('a', { A: 3 }))
  place.write(file('a', { A: 3 }))
  const { code, live } = await apply(place, [one, two])
  expect(code).toBe(0)
  expect(live.join('\n')).toContain('A=3')
  expect(live.join('\n')).not.toContain('B=1')
})

test('two plans that now need one request are applied only if the request does exactly what both plans contain', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 1, B: 1 }))
  const two = await branch(place, 'two.json', file('a', { A: 1, C: 1 }))
  place.write(file('a', { A: 1, B: 1, C: 2 }))
  const other = await apply(place, [one, two])
  expect([other.code, other.isUntouched]).toEqual([4, true])
  expect((await apply(place, [one])).code).toBe(4)
  place.write(file('a', { A: 1, B: 1, C: 1 }))
  const { code, live } = await apply(place, [one, two])
  expect([code, live[0]]).toEqual([0, 'a  env/A=1 env/B=1 env/C=1'])
  const again = await apply(place, [one, two])
  expect([again.code, again.isUntouched]).toEqual([0, true])
})

test('a change that no later plan replaces and that is no longer needed is a conflict', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2 }))
  const two = await branch(place, 'two.json', file('b', { A: 2 }))
  place.write(file('b', { A: 2 }))
  const { code, stderr, isUntouched } = await apply(place, [one, two])
  expect([code, isUntouched]).toEqual([4, true])
  expect(stderr).toContain('no longer needed')
})

test('if the first plan is already applied, the second one is applied', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2 }))
  const two = await branch(place, 'two.json', file('b', { A: 2 }))
  place.write(file('a', { A: 2 }))
  expect((await apply(place, [one])).code).toBe(0)
  place.write({ ...file('a', { A: 2 }), ...file('b', { A: 2 }) })
  const { code, stderr } = await apply(place, [one, two])
  expect(code).toBe(0)
  expect(stderr).toContain('already done')
})

test('a value that is in neither plan is refused, and so is a plan that a guard blocks', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2 }))
  const two = await branch(place, 'two.json', file('a', { A: 3 }))
  place.write(file('a', { A: 4 }))
  const other = await apply(place, [one, two])
  expect([other.code, other.isUntouched]).toEqual([4, true])
  const removal = await branch(place, 'removal.json', {
    'sets/a.yaml': 'removed: [a, b]\n',
    'sets/b.yaml': 'removed: []\n',
  })
  place.write({ 'sets/a.yaml': 'removed: [a, b]\n', 'sets/b.yaml': 'removed: []\n' })
  const guarded = await apply(place, [one, removal])
  expect([guarded.code, guarded.isUntouched]).toEqual([4, true])
})

test('plans with different selections are refused, and a missing plan file or several configurations are errors', async () => {
  const place = await aRepository()
  const one = await branch(place, 'one.json', file('a', { A: 2 }))
  place.write(file('b', { A: 2 }))
  expect((await place.setpoint(['plan', '--only', 'b', '--out', 'b.json'])).code).toBe(0)
  const mixed = await apply(place, [one, 'b.json'])
  expect([mixed.code, mixed.stderr.includes('different selections'), mixed.isUntouched]).toEqual([
    4,
    true,
    true,
  ])
  const missing = await apply(place, [one, 'none.json'])
  expect([missing.code, missing.isUntouched]).toEqual([1, true])
  const many = await apply(place, [one, 'b.json'], ['--config', '*.yaml'])
  expect([many.code, many.isUntouched]).toEqual([1, true])
})
