import { expect, test } from 'vitest'
import { namesIn } from '../../src/plan/reach.ts'
import { renderers } from '../../src/report/index.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const IDS = Array.from({ length: 700 }, (_, at) => `ws-${at}` as const)
const DIRECTORY = {
  workspaces: IDS.map((id, at) => ({ id, name: `w${at}` })),
  projects: [],
  whole: ['workspaces', 'projects', 'stacks'] as const,
}

/** A plan that changes one variable of each of `count` sets. `more`: sets outside of `--only`. */
function changed(count: number, more = 0) {
  const names = Array.from({ length: count + more }, (_, at) => `payments-${at}`)
  const key = { secret: { name: 'KEY' } }
  const set = (name: string, at: number) =>
    aSet(name, {
      workspaces: IDS.slice(2 * at, 2 * at + 2),
      variables: { 'env/LOG_LEVEL': 'info', 'env/KEY': key },
    })
  const was = (name: string, at: number) =>
    anObserved(`${at}`, name, {
      workspaces: IDS.slice(2 * at, 2 * at + 2),
      variables: { 'env/LOG_LEVEL': 'debug', 'env/KEY': { hidden: true } },
    })
  const only = more === 0 ? [] : names.slice(0, count)
  return planOf(
    { ...aDesiredState(...names.map(set)), directory: DIRECTORY },
    anObservedState(...names.map(was)),
    { ...namesIn(DIRECTORY), only },
  )
}

const text = (plan: ReturnType<typeof changed>): string[] =>
  renderers.text({ kind: 'plan', plan }, { color: false }).trimEnd().split('\n')

const markdown = (plan: ReturnType<typeof changed>): string[] =>
  renderers.markdown({ kind: 'plan', plan }).trimEnd().split('\n')

test('a plan of one changed variable is at most six lines, with everything that it could not know or left out', () => {
  const lines = text(changed(1, 56))
  expect(lines).toEqual([
    expect.stringMatching(/^setpoint plan [0-9a-f]{12} {3}acme {3}\S+ {3}\d+ reads?$/),
    '1 set changes: 1 request',
    '~ payments-0  ~ env LOG_LEVEL  debug -> info  in 2 workspaces   sets/test.yaml:1',
    'Workspaces  2 of 700 affected: w0, w1, unless a workspace variable overrides',
    'Secrets     1 not verified (the API never returns sensitive values; to send one again: --rewrite SET/KEY)',
    'Left out    56 sets outside --only payments-0',
  ])
  expect(text(changed(1)).length).toBeLessThan(lines.length)
})

test('its comment has the same, and ends where the change ends', () => {
  const lines = markdown(changed(1))
  expect(lines).toEqual([
    '<!-- setpoint:acme -->',
    '### Setpoint plan acme: 1 set changes: 1 request',
    '',
    '| | set | what | where |',
    '|-|-|-|-|',
    '| ~ | `payments-0` | ~ env `LOG_LEVEL` `debug` -> `info`, in 2 workspaces | `sets/test.yaml:1` |',
    '',
    '**Workspaces** 2 of 700 affected: `w0`, `w1`, unless a workspace variable overrides',
    '',
    '**Secrets** 1 not verified (the API never returns sensitive values; to send one again: --rewrite SET/KEY)',
    '',
    expect.stringMatching(/^plan `[0-9a-f]{64}` · `\S+` · \d+ reads?$/),
  ])
})

test.each([12, 300])('with %i changed sets, each has one line in 80 columns', count => {
  const lines = text(changed(count))
  expect(lines.length).toBeLessThanOrEqual(count + 6)
  expect(lines.filter(line => line.startsWith('~ payments-'))).toHaveLength(count)
  const comment = markdown(changed(count))
  expect(comment.filter(line => line.startsWith('| ~ |'))).toHaveLength(count)
  // The list of workspaces does not repeat the values.
  expect(comment.join('\n').split('debug')).toHaveLength(count + 1)
})

test('nothing is said twice', () => {
  for (const lines of [text(changed(1)), markdown(changed(1))])
    for (const fact of ['LOG_LEVEL', 'debug', 'payments-0', 'w0'])
      expect(lines.join('\n').split(fact)).toHaveLength(2)
})
