import { expect, test } from 'vitest'
import type { ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import { consentTo } from '../../src/plan/consent.ts'
import { digestOf } from '../../src/plan/reviewed-plan.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { WORKSPACES } from '../support/world.ts'

const [w1, w2] = WORKSPACES
const hidden = { hidden: true } as const
const secret = { secret: { name: 'S' } } as const

/** What conflicts in the plan of `now` with the one that was agreed to when the service was as `before`. */
function conflictsOf(desired: readonly ResolvedSet[], before: ObservedSet[], now: ObservedSet[]): string[] {
  const files = aDesiredState(...desired)
  const [agreed, rest] = [planOf(files, anObservedState(...before)), planOf(files, anObservedState(...now))]
  return consentTo([agreed], rest, anObservedState(...now)).conflicts.map(({ id }) => id)
}

test('half of a replacement that is done gives a secret to nobody who did not have it, and to nobody else', () => {
  const wanted = aSet('a', { variables: { 'terraform/S': { value: secret, hcl: true } } })
  const before = anObserved('1', 'a', { variables: { 'terraform/S': hidden }, workspaces: [w1] })
  const half = anObserved('1', 'a', { workspaces: [w1] })
  expect(conflictsOf([wanted], [before], [half])).toEqual([])
  // Without the replacement, a new secret is for those that were named.
  const other = anObserved('1', 'a', { workspaces: [w1, w2] })
  expect(conflictsOf([wanted], [half], [other])).toEqual(['secrets a'])
})

test('who received a secret before the set was global no more does not newly receive it', () => {
  const wanted = aSet('a', { variables: { 'env/S': secret }, workspaces: [w1] })
  const held = { variables: { 'env/S': hidden } }
  const before = anObserved('1', 'a', { ...held, global: true })
  expect(conflictsOf([wanted], [before], [anObserved('1', 'a', held)])).toEqual([])
})

test('a secret that an agreed plan sent, and nobody recorded, may be sent again, and no other', () => {
  const wanted = (name: string) => aSet('a', { variables: { 'env/S': { secret: { name, version: '1' } } } })
  const there = anObserved('1', 'a', { variables: { 'env/S': hidden } })
  const agreed = planOf({ ...aDesiredState(wanted('S')), owner: 'me' }, anObservedState(anObserved('1', 'a')))
  const again = (name: string) =>
    consentTo(
      [agreed],
      planOf({ ...aDesiredState(wanted(name)), owner: 'me' }, anObservedState(there)),
      anObservedState(there),
    ).conflicts.map(({ id }) => id)
  expect(again('S')).toEqual([])
  expect(again('OTHER')).toEqual(['update-variable a env/S'])
})

test('a value that was withheld is compared with no text, and one that was shown with the one of now', () => {
  const wanted = aSet('a', { variables: { 'env/OTHER': '1' } })
  const other = (text: string) => aSet('b', { variables: { 'env/K': text === '' ? secret : text } })
  const live = (text: string) => anObserved('1', 'a', { variables: { 'env/K': text, 'env/OTHER': '1' } })
  const [shown, withheld] = ['7', ''].map(text =>
    planOf(aDesiredState(wanted, other(text)), anObservedState(live('k'))),
  )
  const of = (agreed: typeof shown, text: string, now: string) =>
    agreed &&
    consentTo(
      [agreed],
      planOf(aDesiredState(wanted, other(text)), anObservedState(live(now))),
      anObservedState(live(now)),
    ).conflicts.filter(({ id }) => id.startsWith('delete-variable'))
  expect(JSON.stringify([shown?.steps, withheld?.steps])).toContain('withheld')
  expect([of(withheld, '7', 'k'), of(shown, '', 'k')]).toEqual([[], []])
  expect(of(shown, '', 'changed')).toHaveLength(1)
})

test('whether a run can tell that a secret changed decides nothing of what is hidden, and so not of the digest', () => {
  const wanted = [aSet('a', {}), aSet('b', { variables: { 'env/K': secret } })]
  const observed = anObservedState(
    anObserved('1', 'a', { variables: { 'env/K': 'perhaps the secret' } }),
    anObserved('2', 'b', { variables: { 'env/K': hidden } }),
  )
  const plan = planOf(aDesiredState(...wanted), observed)
  expect(plan.steps).toHaveLength(1)
  expect(JSON.stringify(plan.steps)).not.toContain('perhaps the secret')
  expect(digestOf(plan)).toBe(plan.digest)
})

test('what guards measure counts once: not for what is left of one plan, but for a plan of which nothing is done and for several', () => {
  const names = Array.from({ length: 12 }, (_, at) => `set-${at}`)
  const live = names.map((name, at) =>
    anObserved(`${at}`, name, { variables: { 'env/A': at < 8 ? '1' : '0' } }),
  )
  // Two sets are deleted, and four of twelve are changed: a third, and two fifths of those that are left.
  const files = (gone: readonly string[], kept: readonly string[]) => ({
    ...aDesiredState(...kept.map(name => aSet(name, { variables: { 'env/A': '1' } }))),
    removed: gone.map(name => ({ name, source: aSet('x').source })),
    guards: { ...aDesiredState().guards, updates: 50 },
  })
  const gone = names.slice(0, 2)
  const all = files(gone, names.slice(2))
  const plan = (observed: readonly ObservedSet[], of = all) => planOf(of, anObservedState(...observed))
  const agreed = plan(live)
  const left = live.slice(2)
  expect([agreed.blocks, plan(left).blocks]).toEqual([[], []])
  const stricter = { ...all, guards: { ...all.guards, updates: 39 } }
  const blocked = plan(left, stricter)
  expect(blocked.blocks.map(({ code }) => code)).toEqual(['too-many-updates', 'too-many-updates'])
  const consent = (
    reviewed: readonly [typeof agreed, ...(typeof agreed)[]],
    now: typeof agreed,
    at: typeof live,
  ) => consentTo(reviewed, now, anObservedState(...at)).blocks.map(({ code }) => code)
  expect(consent([agreed], blocked, left)).toEqual([])
  expect(consent([agreed, agreed], blocked, left)).toEqual(['too-many-updates', 'too-many-updates'])
  const strict = { ...all, guards: { ...all.guards, updates: 30 } }
  expect(consent([agreed], plan(live, strict), live)).toEqual(['too-many-updates', 'too-many-updates'])
})
