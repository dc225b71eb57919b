import { describe, expect, test } from 'vitest'
import type { Directory, ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import { renderers } from '../../src/report/index.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const IDS = Array.from({ length: 500 }, (_, at) => `ws-${String(at + 1).padStart(3, '0')}` as const)
const DIRECTORY: Directory = {
  workspaces: IDS.map((id, at) => ({ id, name: `w${id.slice(3)}`, project: at < 100 ? 'prj-p' : 'prj-q' })),
  projects: [
    { name: 'p', id: 'prj-p' },
    { name: 'q', id: 'prj-q' },
  ],
  whole: ['workspaces', 'projects', 'stacks'],
}
const NONE: Directory = { workspaces: [], projects: [] }

/** The lines about workspaces at the end of a text report, and before them the findings about other winners. */
function lines(
  desired: readonly ResolvedSet[],
  observed: readonly ObservedSet[],
  directory = DIRECTORY,
): string[] {
  const plan = planOf({ ...aDesiredState(...desired), directory }, anObservedState(...observed))
  const text = renderers.text({ kind: 'plan', plan }, { color: false }).split('\n')
  const first = text.findIndex(line => line.startsWith('Workspaces'))
  const end = text.findIndex((line, at) => at > first && !line.startsWith(' '))
  const found = text
    .filter(line => /^ {2}(?:override|value) /.test(line))
    .map(line => line.replace(/^ +\w+ +/, '').replaceAll(/ {2,}/g, ' '))
  return first < 0
    ? []
    : [...found, ...text.slice(first, end).map(line => line.slice('Workspaces'.length).trim())]
}

describe('the lines about workspaces', () => {
  test('report another winner that is caused by a new name only', () => {
    const variables = { 'env/REGION': 'eu-west-1' }
    const other = anObserved('2', 'net-base', {
      variables: { 'env/REGION': 'eu-central-1' },
      workspaces: IDS.slice(0, 6),
    })
    expect(
      lines(
        [aSet('platform', { previousNames: ['common'], variables })],
        [anObserved('1', 'common', { variables, workspaces: IDS }), other],
      ),
    ).toEqual([
      'platform REGION overridden by net-base (unmanaged) in 6 workspaces',
      'net-base REGION overrides common in 6 workspaces, because its name sorts first: eu-west-1 -> (not shown)',
      '6 of 500 affected, unless a workspace variable overrides',
    ])
  })

  test('group workspaces with the same effect, with values of managed sets only', () => {
    const before = { 'env/A': '1', 'env/B': '1' }
    const after = { 'env/A': '2', 'env/B': '2' }
    expect(
      lines(
        [aSet('a', { variables: after, priority: true, projects: ['prj-q'] })],
        [
          anObserved('1', 'a', { variables: before, projects: ['prj-q'] }),
          anObserved('2', 'z', { variables: { 'env/A': 'not ours' }, workspaces: IDS.slice(300) }),
        ],
      ),
    ).toEqual([
      'a A overrides z in 200 workspaces, because it has priority: (not shown) -> 2',
      '400 of 500 affected',
    ])
  })

  test('say why a set overrides another one, or that a set no longer reaches the workspace', () => {
    const variables = { 'env/A': '1' }
    const reached = { variables: { 'env/A': '2' }, projects: ['prj-p' as const] }
    expect(
      lines(
        [aSet('a', { variables, workspaces: [IDS[0] ?? 'ws-0'] })],
        [anObserved('1', 'a', { variables, workspaces: IDS.slice(1, 2) }), anObserved('2', 'b', reached)],
      ),
    ).toEqual([
      'a A overrides b in workspace w001, because its assignment has a stronger rank: (not shown) -> 1',
      'a A now of b in workspace w002: 1 -> (not shown)',
      '2 of 500 affected: w001, w002, unless a workspace variable overrides',
    ])
  })

  test('say the project in place of its workspaces, if they are too many to be named', () => {
    const variables = { 'env/A': '1' }
    const telling = (
      targets: Omit<Partial<ResolvedSet>, 'variables'>,
      reached: Omit<Partial<ObservedSet>, 'variables'>,
    ) =>
      lines(
        [aSet('a', { variables, ...targets })],
        [
          anObserved('1', 'a', { variables }),
          anObserved('2', 'z', { variables: { 'env/A': '2' }, ...reached }),
        ],
      )[0]
    const why = ', because its name sorts first: (not shown) -> 1'
    const p = { projects: ['prj-p' as const] }
    expect(telling(p, p)).toBe(`a A overrides z in project p (100)${why}`)
    const some = { workspaces: IDS.slice(0, 102) }
    expect(telling(some, some)).toBe(`a A overrides z in project p (100) and workspaces w101, w102${why}`)
    const few = { workspaces: IDS.slice(0, 99) }
    expect(telling(few, few)).toBe(`a A overrides z in 99 workspaces${why}`)
  })

  test('mention workspace variables only if these can override: never a set with priority', () => {
    const given = (name: string, value: string, more: object = {}) =>
      aSet(name, { variables: { [`env/${name}`]: value }, ...more })
    const of = (name: string, more: object = {}) =>
      anObserved(name, name, { variables: { [`env/${name}`]: '1' }, ...more })
    const strong = { priority: true, workspaces: IDS }
    const weak = { workspaces: IDS.slice(0, 7) }
    expect(lines([given('A', '2', strong)], [of('A', strong)])).toEqual(['500 of 500 affected'])
    // It loses its priority, so a variable of the workspace itself takes effect: a change for that workspace as well.
    expect(lines([given('A', '2', { workspaces: IDS })], [of('A', strong)])).toEqual(['500 of 500 affected'])
    expect(lines([given('A', '2', strong), given('B', '2', weak)], [of('A', strong), of('B', weak)])).toEqual(
      ['500 of 500 affected'],
    )
    const few = { priority: true, workspaces: IDS.slice(5, 20) }
    expect(lines([given('A', '2', few), given('B', '2', weak)], [of('A', few), of('B', weak)])).toEqual([
      '20 of 500 affected, 5 of them unless a workspace variable overrides',
    ])
  })

  test('count projects instead of workspaces if the service does not tell their workspaces', () => {
    const set = aSet('a', { variables: { 'env/A': '1' }, workspaces: ['ws-001'], projects: ['prj-p'] })
    const note = 'the service does not show this token which workspaces these are'
    expect(lines([set], [], NONE)).toEqual([
      '1 workspace and those of 1 project affected, unless a workspace variable overrides',
      note,
    ])
    expect(
      lines([aSet('g', { global: true, priority: true, variables: { 'env/A': '1' } })], [], NONE),
    ).toEqual(['all workspaces affected', note])
    expect(lines([{ ...set, projects: [] }], [], NONE)).toEqual([
      '1 affected: ws-001, unless a workspace variable overrides',
    ])
  })

  test('say that a snapshot does not contain unmanaged sets', () => {
    const set = aSet('a', { variables: { 'env/A': '1' }, workspaces: ['ws-001'] })
    const observed = { ...anObservedState(), partial: true as const }
    const plan = planOf({ ...aDesiredState(set), directory: DIRECTORY }, observed)
    expect(renderers.text({ kind: 'plan', plan }, { color: false })).toContain(
      'the snapshot does not contain unmanaged sets, which may override some of this',
    )
  })

  test('are omitted if nothing changes for any workspace', () => {
    expect(
      lines(
        [aSet('a', { description: 'new', variables: { 'env/A': '1' } })],
        [anObserved('1', 'a', { variables: { 'env/A': '1' }, workspaces: IDS })],
      ),
    ).toEqual([])
    expect(
      lines(
        [aSet('a', { variables: { 'env/A': '2' } })],
        [anObserved('1', 'a', { variables: { 'env/A': '1' } })],
      ),
    ).toEqual([])
  })

  test('contain no value of a key that is a secret in another set, and no value of an unmanaged set', () => {
    const plan = planOf(
      {
        ...aDesiredState(
          aSet('a', { variables: { 'env/A': { secret: { name: 'A' } }, 'env/B': 'b' }, workspaces: IDS }),
        ),
        directory: DIRECTORY,
      },
      anObservedState(
        anObserved('2', 'z', { variables: { 'env/A': 'canary', 'env/B': 'canary' }, projects: ['prj-p'] }),
      ),
    )
    expect(plan.facts.received.groups.length).toBeGreaterThan(0)
    expect(JSON.stringify(plan)).not.toContain('canary')
  })
})

describe('a change without effect', () => {
  const shadowed = (variables: Readonly<Record<string, string>>) =>
    [
      [aSet('a', { variables, workspaces: IDS.slice(0, 2) })],
      [
        anObserved('1', 'a', { variables: { 'env/A': '1' }, workspaces: IDS.slice(0, 2) }),
        anObserved('2', 'top', { variables: { 'env/A': '9', 'env/B': '9' }, priority: true, global: true }),
      ],
    ] as const

  test('is reported with a set that overrides it', () => {
    expect(lines(...shadowed({ 'env/A': '2' }))).toEqual([
      'a A overridden by top (unmanaged) in 2 workspaces',
      '0 of 500 affected',
      'env A of a has no effect: other sets override it everywhere, such as top',
    ])
    expect(lines(...shadowed({ 'env/A': '2', 'env/B': '2', 'env/C': '2' }))).toEqual([
      'a A, B overridden by top (unmanaged) in 2 workspaces',
      '2 of 500 affected: w001, w002, unless a workspace variable overrides',
      'A, B of a have no effect: other sets override them everywhere, such as top',
    ])
    expect(lines(...shadowed({ 'env/A': '2' }), NONE)).toEqual([
      'a A overridden by top (unmanaged) in 2 workspaces',
      '0 affected',
      'env A of a has no effect: other sets override it everywhere, such as top',
    ])
  })

  test('is not reported if the set reaches no workspace, or a workspace gets the value', () => {
    const [, [, top]] = shadowed({})
    expect(lines([aSet('a', { variables: { 'env/A': '2' } })], [top])).toEqual([])
    const some = anObserved('2', 'top', {
      variables: { 'env/A': '9' },
      priority: true,
      workspaces: IDS.slice(0, 1),
    })
    expect(lines([aSet('a', { variables: { 'env/A': '2' }, workspaces: IDS.slice(0, 2) })], [some])).toEqual([
      'a A overridden by top (unmanaged) in 1 workspace',
      '1 of 500 affected: w002, unless a workspace variable overrides',
    ])
  })

  test('is counted if there are many, also in Markdown and HTML', () => {
    const names = Array.from({ length: 60 }, (_, at) => `s${String(at).padStart(2, '0')}`)
    const plan = planOf(
      {
        ...aDesiredState(...names.map(name => aSet(name, { variables: { 'env/A': '1' }, workspaces: IDS }))),
        directory: DIRECTORY,
      },
      anObservedState(anObserved('2', 'top', { variables: { 'env/A': '9' }, priority: true, global: true })),
    )
    expect(plan.facts.received).toMatchObject({ groups: [], unseenLeft: 10 })
    const texts = [
      renderers.text({ kind: 'plan', plan }, { color: false }),
      renderers.markdown({ kind: 'plan', plan }),
      renderers.html({ kind: 'plan', plan }),
    ]
    for (const text of texts) expect(text).toContain('and 57 more variables without effect')
    expect(texts[1]).toContain('**Workspaces** 0 of 500 affected')
    expect(texts[2]).not.toContain('of workspaces and their effects')
  })
})
