import { describe, expect, test } from 'vitest'
import { createLookUps, type LookUps, settled } from '../../src/api/look-ups.ts'
import { createReader } from '../../src/api/reader.ts'
import { type ProjectId, TARGET_KINDS, type TargetKind, type WorkspaceId } from '../../src/model/ids.ts'
import type { Wanted } from '../../src/model/variable-set.ts'
import type { ApiRequest, ApiResponse } from '../../src/wire/transport.ts'
import { liveSandbox, printed } from './live.ts'

const ws = (at: number): WorkspaceId => `ws-${String(at).padStart(16, '0')}`
const prj = (at: number): ProjectId => `prj-${String(at).padStart(16, '0')}`
const isKind = (text: string): text is TargetKind => TARGET_KINDS.some(kind => kind === text)
const range = (count: number) => Array.from({ length: count }, (_, at) => at)

/** So many workspaces, half of them in one project and half in another. */
const seedOf = (workspaces: number) => ({
  organizations: [{ name: 'acme' }, { name: 'evil' }],
  projects: range(3).map(at => ({ id: prj(at), name: `p${at}`, organization: 'acme' })),
  workspaces: [
    ...range(workspaces).map(at => ({
      id: ws(at),
      name: `w${at}`,
      project: `p${at % 2}`,
      organization: 'acme',
    })),
    { id: ws(99_999), name: 'theirs', organization: 'evil' },
  ],
})

type Answers = (request: ApiRequest) => ApiResponse | undefined

/** What was told after each question, and the requests that all of them took. */
async function asked(workspaces: number, questions: readonly Wanted[], answers: Answers = () => undefined) {
  const { transport, requests } = await liveSandbox(seedOf(workspaces))
  const reader = createReader(async (request, signal) => {
    const instead = answers(request)
    if (instead !== undefined) requests.push(request)
    return instead ?? (await transport(request, signal))
  })
  const lookUps = createLookUps(reader, 'acme')
  const isNew: boolean[] = []
  for (const question of questions) isNew.push(await lookUps.ask(question))
  return { told: lookUps.told(), requests: printed(requests).toSorted(), isNew }
}

const notFound: ApiResponse = { status: 404, headers: {}, body: '{"errors":[]}' }
const names = (told: { readonly workspaces: readonly { readonly name: string }[] }) =>
  told.workspaces.map(({ name }) => name)

describe('a look-up by name', () => {
  test('takes one request for one workspace, and one for all projects', async () => {
    const question = { names: { workspaces: ['w7'], projects: ['p0', 'p2'] } }
    const { told, requests } = await asked(250, [question, question])
    expect(requests).toEqual([
      'GET organizations/acme/projects?page[size]=100&filter[names]=p0,p2',
      'GET organizations/acme/workspaces/w7',
    ])
    expect(told.workspaces).toEqual([{ name: 'w7', id: ws(7), project: prj(1) }])
    expect(told.projects.map(({ name }) => name)).toEqual(['p0', 'p2'])
    expect(told.whole).toEqual([])
  })

  test('reads the first page for several, then up to forty one by one, or the list', async () => {
    const few = await asked(250, [{ names: { workspaces: ['w100', 'w99'] } }])
    expect(few.requests).toEqual([
      'GET organizations/acme/workspaces/w99',
      'GET organizations/acme/workspaces?page[size]=100',
    ])
    const many = await asked(250, [{ names: { workspaces: range(250).map(at => `w${at}`) } }])
    // The first page is read once more, with the others.
    expect(many.requests).toHaveLength(1 + 3)
    expect(many.told.whole).toEqual(['workspaces'])
    const later = (count: number) => range(count).map(at => `w${249 - at}`)
    const forty = await asked(250, [{ names: { workspaces: later(40) } }])
    expect([forty.requests.length, forty.told.whole]).toEqual([1 + 40, []])
    expect((await asked(250, [{ names: { workspaces: later(41) } }])).requests).toHaveLength(1 + 3)
    const small = await asked(90, [{ names: { workspaces: ['w1', 'w2', 'nobody'] } }])
    expect(small.requests).toHaveLength(1)
    expect([small.told.workspaces.length, small.told.whole]).toEqual([90, ['workspaces']])
  })

  test('is never a path or a filter of its own', async () => {
    for (const name of ['.', '..', '', 'a/b', 'a,b']) {
      const { told, requests } = await asked(3, [{ names: { workspaces: [name], projects: [name] } }])
      expect([name, told.hidden, ...requests]).toEqual([
        name,
        [],
        'GET organizations/acme/projects?page[size]=100',
        'GET organizations/acme/workspaces?page[size]=100',
      ])
    }
    const odd = await asked(3, [{ names: { workspaces: ['x?y#%2e'] } }])
    expect(odd.requests).toContain('GET organizations/acme/workspaces/x%3Fy%23%252e')
  })

  test('tells an unknown name from a service without look-ups, and asks for it once', async () => {
    const question = { names: { workspaces: ['nobody'] } }
    const unknown = await asked(250, [question, question])
    expect(unknown.requests).toHaveLength(2)
    expect(unknown.told.hidden).toEqual([])
    const silent = await asked(250, [question, question, { all: ['workspaces'] }], ({ path }) =>
      path.includes('/workspaces') ? notFound : undefined,
    )
    expect([silent.requests.length, silent.told.hidden]).toEqual([2, ['workspaces']])
  })

  test('is for each kind by itself', async () => {
    const question = { names: { workspaces: ['w1'], projects: ['p1'] } }
    const { told } = await asked(9, [question], ({ path }) =>
      path.includes('/projects') ? notFound : undefined,
    )
    expect([names(told), told.projects, told.hidden]).toEqual([['w1'], [], ['projects']])
  })

  test.each([
    ['a failure', { status: 500, headers: {}, body: '' }],
    ['another document', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ])('costs names only if the answer is %s', async (_, answer) => {
    const { told } = await asked(
      9,
      [{ names: { projects: ['p1'] }, ids: { workspaces: [ws(1)] } }],
      ({ path }) => (path.includes('/projects') ? answer : undefined),
    )
    expect([names(told), told.hidden]).toEqual([['w1'], ['projects']])
  })
})

describe('a look-up by id', () => {
  test('takes one request, and its answer counts only for its organization', async () => {
    const { told, requests } = await asked(250, [
      { ids: { workspaces: [ws(3)] } },
      { ids: { workspaces: [ws(99_999)] } },
    ])
    expect(requests).toEqual([`GET workspaces/${ws(3)}`, `GET workspaces/${ws(99_999)}`])
    expect(names(told)).toEqual(['w3'])
  })

  test.each([
    ['Acme', ['w3']],
    ['evil', []],
    [undefined, ['w3']],
  ])('counts for its organization in whatever case, and without one: %s', async (organization, told) => {
    const data = {
      ...{ id: ws(3), type: 'workspaces', attributes: { name: 'w3' } },
      relationships: organization && { organization: { data: { id: organization, type: 'organizations' } } },
    }
    const answer = await asked(9, [{ ids: { workspaces: [ws(3)] } }], () => ({
      status: 200,
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data }),
    }))
    expect(names(answer.told)).toEqual(told)
  })

  test('asks for nothing again that was told with something else', async () => {
    const { requests } = await asked(90, [{ all: ['workspaces'] }, { ids: { workspaces: [ws(3), ws(4)] } }])
    expect(requests).toEqual(['GET organizations/acme/workspaces?page[size]=100'])
  })
})

describe('the workspaces of a project', () => {
  test('are asked for by the project, and counted as its own by their own entries', async () => {
    const { told, requests } = await asked(300, [{ membersOf: [prj(0)] }])
    expect(requests).toEqual([
      `GET organizations/acme/workspaces?page[number]=2&page[size]=100&filter[project][id]=${prj(0)}`,
      `GET organizations/acme/workspaces?page[size]=100&filter[project][id]=${prj(0)}`,
    ])
    expect([told.workspaces.length, told.membersOf]).toEqual([150, [prj(0)]])
    const lying = await asked(90, [{ membersOf: [prj(0)] }], request => {
      // As a service that does not know the filter.
      delete (request.query as Record<string, string>)['filter[project][id]']
      return undefined
    })
    expect(lying.told.workspaces.filter(({ project }) => project === prj(0))).toHaveLength(45)
  })

  test('are unknown if the entries do not say their project', async () => {
    const silent = { data: [{ id: ws(1), type: 'workspaces', attributes: { name: 'w1' } }] }
    const page = { 'current-page': 1, 'page-size': 100, 'total-pages': 1, 'total-count': 1 }
    const body = JSON.stringify({ ...silent, meta: { pagination: page } })
    const question = { membersOf: [prj(0)] }
    const { told, requests, isNew } = await asked(9, [question, question], () => ({
      status: 200,
      headers: { 'content-type': 'application/vnd.api+json' },
      body,
    }))
    expect([told.membersOf, isNew, requests.length]).toEqual([[], [true, false], 1])
  })
})

describe('a question', () => {
  test('is new if the service was asked for something, in whatever way', async () => {
    const { isNew } = await asked(90, [
      { ids: { workspaces: [ws(3)], projects: [] } },
      { ids: { workspaces: [ws(3)] } },
      { names: { workspaces: ['w3'] } },
      { names: { workspaces: ['w4'] } },
      { all: ['workspaces'] },
      { all: ['workspaces'], ids: { workspaces: [ws(4), ws(99)] } },
      {},
    ])
    expect(isNew).toEqual([true, false, false, true, true, false, false])
  })

  test('that fails is not asked again, and the failure is told', async () => {
    const question = { ids: { workspaces: [ws(3)] } }
    const failing = await asked(250, [question, question], ({ path }) =>
      path.endsWith(ws(3)) ? { status: 500, headers: {}, body: '' } : undefined,
    )
    expect(failing.isNew).toEqual([true, false])
    expect(failing.told.failed).toEqual([
      {
        kind: 'workspaces',
        what: ws(3),
        why: `GET /api/v2/workspaces/${ws(3)}: the service responded with 500.`,
      },
    ])
  })

  test('about a list that is never complete costs names, and not the plan', async () => {
    const page = { 'current-page': 1, 'page-size': 100, 'total-pages': 1, 'total-count': 7 }
    const body = JSON.stringify({ data: [], meta: { pagination: page } })
    const { told, requests } = await asked(9, [{ all: ['workspaces'] }], () => ({
      status: 200,
      headers: { 'content-type': 'application/vnd.api+json' },
      body,
    }))
    expect([requests.length, told.hidden]).toEqual([5, ['workspaces']])
    expect(told.failed).toEqual([
      {
        kind: 'workspaces',
        why: 'The list could not be read completely in 5 attempts: page 1 has 0 entries instead of 7.',
      },
    ])
  })

  test('is asked until a function of what was told needs nothing more: of what is new, the first', async () => {
    const questions: string[] = []
    const known = new Set<string>()
    const lookUps: LookUps = {
      ask: async ({ all = [] }) => {
        questions.push(all.join())
        const isNew = !all.every(kind => known.has(kind))
        for (const kind of all) known.add(kind)
        return isNew
      },
      told: () => ({ workspaces: [], projects: [], whole: [...known].filter(isKind) }),
    }
    const seen: string[] = []
    const made = await settled(lookUps, ({ whole = [] }) => {
      seen.push(whole.join())
      // Stacks would be needed if the answer about projects did not make them unnecessary.
      const later: Wanted[] = whole.includes('projects') ? [] : [{ all: ['stacks'] }]
      return { whole, needs: [{ all: ['workspaces'] }, { all: ['projects'] }, ...later] }
    })
    expect(made.whole).toEqual(['workspaces', 'projects'])
    expect(seen).toEqual(['', 'workspaces', 'workspaces,projects'])
    expect(questions).toEqual(['workspaces', 'workspaces', 'projects', 'workspaces', 'projects'])
  })
})
