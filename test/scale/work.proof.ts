import { expect, test } from 'vitest'
import { resolveNames } from '../../src/api/names.ts'
import { planOf } from '../support/plans.ts'
import { anObserved, anObservedState } from '../support/states.ts'
import { workOf } from '../support/work.ts'
import { desiredFor, idOf, range } from './places.ts'
import { everyKind, movedToOne } from './shapes.ts'

test.each([
  ['of every kind', everyKind, [2, 4, 20]],
  ['that move into one set', movedToOne, [10, 20, 100]],
] as const)('an operation more is as much work among 10,000 as among 1,000: %s', async (_, make, sizes) => {
  const work = (size: number) => {
    const { desired, observed } = make(size)
    return workOf(() => planOf(desired, anObservedState(...observed)))
  }
  const [small, middle, large] = sizes
  const [few, some, many] = [await work(small), await work(middle), await work(large)]
  const ratio = (many - some) / (large - middle) / ((some - few) / (middle - small))
  expect(ratio).toBeLessThan(1.2)
})

test('a workspace more is as much work among 5,000 as among 500', async () => {
  const work = async (count: number) => {
    const half = count / 2
    return await workOf(async () => {
      const { value } = await resolveNames(
        desiredFor(range(half, half + count), range(0, half + count)),
        () => Promise.reject(new Error('everything is known')),
      )
      if (value === undefined) throw new Error('not resolved')
      const observed = anObserved('1', 'a', {
        variables: { 'env/V0': 'old' },
        workspaces: range(0, count).map(idOf),
      })
      planOf(value, anObservedState(observed))
    })
  }
  const [few, some, many] = [await work(500), await work(1_000), await work(5_000)]
  expect((many - some) / 4_000 / ((some - few) / 500)).toBeLessThan(1.2)
})
