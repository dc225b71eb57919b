import { expect } from 'vitest'
import {
  addVariable,
  at,
  createSet,
  listOf,
  many,
  namesOf,
  projectId,
  type Subject,
  workspaceId,
} from '../contract/subject.ts'
import { type Check, type Checks, statusOf } from './profile-writes.ts'

const LIST = 'organizations/acme/varsets'

const createMany = async (subject: Subject, count: number) => {
  for (let index = 0; index < count; index += 1) await createSet(subject, { name: `set-${1000 + index}` })
}

const pagination = async (subject: Subject, size: string) => {
  const answer = await subject.ask('GET', LIST, { query: { 'page[size]': size } })
  return answer.status === 200 ? at(answer.body, 'meta', 'pagination', 'page-size') : answer.status
}

const pages =
  (at20: unknown, at100: unknown, at101: unknown): Check =>
  async subject => {
    expect([
      await pagination(subject, '20'),
      await pagination(subject, '100'),
      await pagination(subject, '101'),
    ]).toEqual([at20, at100, at101])
  }

const ordered =
  (expected: readonly string[]): Check =>
  async subject => {
    for (const name of ['b', 'c', 'a']) {
      await createSet(subject, { name })
      advance(1)
    }
    expect(namesOf(await subject.ask('GET', LIST))).toEqual(expected)
  }

const shuffled: Check = async subject => {
  await createMany(subject, 20)
  const orders = new Set<string>()
  for (let read = 0; read < 5; read += 1) {
    const names = namesOf(await subject.ask('GET', LIST)).map(String)
    expect(names.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `set-${1000 + index}`))
    orders.add(names.join())
  }
  expect(orders.size).toBe(5)
}

const relations =
  (listed: number): Check =>
  async subject => {
    const names = ['network-prod', 'network-staging', 'payments-prod']
    const workspaces = many(
      'workspaces',
      names.map(name => workspaceId(subject, name)),
    )
    const set = await createSet(subject, { name: 'a' }, { workspaces })
    const length = (value: unknown) => at(value, 'relationships', 'workspaces', 'data', 'length')
    const [item] = listOf(await subject.ask('GET', LIST))
    expect([length(item), at(item, 'attributes', 'workspace-count')]).toEqual([listed, 3])
    expect(length((await subject.ask('GET', `varsets/${set}`)).body.data)).toBe(3)
  }

const PAGE_2 = expect.stringContaining('page%5Bnumber%5D=2')

/**
 * Both lists of 21 variables: the size of the first page, the link to the rest, its number, and the contents of page 2 and of a
 * page of 100.
 */
const variablePages =
  (first: number, link: unknown, number: number | undefined, page2: number | 'refused'): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    const workspace = workspaceId(subject, 'network-prod')
    for (let index = 0; index < 21; index += 1) {
      await addVariable(subject, set, { key: `K${index}`, category: 'env' })
      const data = { type: 'vars', attributes: { key: `K${index}`, category: 'env' } }
      await subject.ask('POST', `workspaces/${workspace}/vars`, { body: { data } })
    }
    for (const list of [`varsets/${set}/relationships/vars`, `workspaces/${workspace}/vars`]) {
      const answer = await subject.ask('GET', list)
      expect([
        listOf(answer).length,
        at(answer.body, 'links', 'next'),
        at(answer.body, 'meta', 'pagination', 'next-page'),
      ]).toEqual([first, link, number])
      const second = await subject.ask('GET', list, { query: { 'page[number]': '2' } })
      expect(second.status === 422 ? 'refused' : listOf(second).length).toBe(page2)
      const large = await subject.ask('GET', list, { query: { 'page[size]': '100' } })
      expect(large.status === 422 ? 'refused' : listOf(large).length).toBe(page2 === 'refused' ? page2 : 21)
    }
  }

/** All look-ups by name. Other requests about a workspace or a project are not affected. */
const lookUps =
  (status: number): Check =>
  async subject => {
    const [workspace, project] = [workspaceId(subject, 'network-prod'), projectId(subject, 'data')]
    const paths = [
      'organizations/acme/workspaces',
      'organizations/acme/workspaces/network-prod',
      `workspaces/${workspace}`,
      'organizations/acme/projects',
      `projects/${project}`,
    ]
    for (const path of paths) expect([path, await statusOf(subject, 'GET', path)]).toEqual([path, status])
    for (const path of [`workspaces/${workspace}/varsets`, `projects/${project}/varsets`])
      expect(await statusOf(subject, 'GET', path)).toBe(200)
  }

const linked =
  (start: RegExp): Check =>
  async subject => {
    await createMany(subject, 2)
    const answer = await subject.ask('GET', LIST, { query: { 'page[size]': '1' } })
    expect(at(answer.body, 'links', 'next')).toMatch(start)
  }

/** How often the list must be read until it shows the second set, which was created after the first read. */
const readsUntilShown =
  (reads: number): Check =>
  async subject => {
    await createSet(subject, { name: 'a' })
    let count = 0
    do count += 1
    while ((await subject.ask('GET', LIST)).text.includes('"a"') === false && count < 9)
    expect(count).toBe(reads)
  }

const lagsInTime: Check = async subject => {
  await createSet(subject, { name: 'a' })
  const shown = async () => namesOf(await subject.ask('GET', LIST))
  expect(await shown()).toEqual([])
  advance(499)
  expect(await shown()).toEqual([])
  advance(1)
  expect(await shown()).toEqual(['a'])
}

/** The clock of the profile tests, in milliseconds. */
export const clock = { now: Date.UTC(2026, 0, 1) }

const advance = (milliseconds: number) => {
  clock.now += milliseconds
}

const extras =
  (expected: boolean): Check =>
  async subject => {
    await createMany(subject, 20)
    const known = ['id', 'type', 'attributes', 'relationships', 'links']
    const members = listOf(await subject.ask('GET', LIST)).flatMap(set => Object.keys(set))
    expect(members.some(name => !known.includes(name))).toBe(expected)
  }

const otherRelations: Check = async subject => {
  await createMany(subject, 1)
  const [set] = listOf(await subject.ask('GET', LIST))
  expect([at(set, 'attributes', 'fleet-count'), at(set, 'relationships', 'friends', 'data')]).toEqual([
    2,
    [{ id: 'friend-1', type: 'friends' }],
  ])
}

/**
 * 21 sets: the first page, the second, and a large one; what a list of sets shows, and one of workspaces or projects, with its
 * page size.
 */
const pageData =
  (sizes: readonly number[], ofSets: readonly string[], ofPlaces: readonly string[], size: unknown): Check =>
  async subject => {
    await createMany(subject, 21)
    const queries: Record<string, string>[] = [{}, { 'page[number]': '2' }, { 'page[size]': '100' }]
    const answers = await Promise.all(queries.map(query => subject.ask('GET', LIST, { query })))
    expect(answers.map(answer => namesOf(answer).length)).toEqual(sizes)
    expect(Object.keys(answers[0]?.body ?? {}).toSorted()).toEqual(ofSets)
    for (const kind of ['workspaces', 'projects']) {
      const { body } = await subject.ask('GET', `organizations/acme/${kind}`)
      expect(Object.keys(body).toSorted()).toEqual(ofPlaces)
      expect(at(body, 'meta', 'pagination', 'page-size')).toEqual(size)
    }
  }

/** Switches that affect lists, their pages and their delays. */
export const listChecks: Checks<
  | 'pageSize'
  | 'pageData'
  | 'listOrder'
  | 'relationshipLists'
  | 'listVariables'
  | 'links'
  | 'lists'
  | 'lookUps'
  | 'extras'
> = {
  pageSize: {
    'clamp-100': pages(20, 100, 100),
    'clamp-20': pages(20, 20, 20),
    'refuse-20': pages(20, 422, 422),
  },
  pageData: {
    complete: pageData([20, 1, 21], ['data', 'links', 'meta'], ['data', 'links', 'meta'], 20),
    none: pageData([20, 1, 21], ['data'], ['data'], undefined),
    unpaged: pageData([21, 21, 21], ['data'], ['data', 'meta'], undefined),
  },
  listOrder: {
    name: ordered(['a', 'b', 'c']),
    'updated-at': ordered(['b', 'c', 'a']),
    random: shuffled,
  },
  relationshipLists: { full: relations(3), truncated: relations(2) },
  listVariables: {
    pages: variablePages(20, PAGE_2, undefined, 1),
    'pages-meta': variablePages(20, undefined, 2, 1),
    'pages-bare': variablePages(20, undefined, undefined, 1),
    'whole-bare': variablePages(21, undefined, undefined, 21),
    refuse: variablePages(21, null, undefined, 'refused'),
  },
  links: {
    absolute: linked(/^http:\/\/sandbox\.invalid\/api/),
    foreign: linked(/^https:\/\/elsewhere\.invalid\/api/),
  },
  lists: { immediate: readsUntilShown(1), 'lag-reads': readsUntilShown(4), 'lag-time': lagsInTime },
  lookUps: { answered: lookUps(200), missing: lookUps(404) },
  extras: { none: extras(false), random: extras(true), relations: otherRelations },
}
