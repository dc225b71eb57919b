import { describe, expect, test } from 'vitest'
import { decodeSet } from '../../src/api/decode-set.ts'
import { decodeVariable } from '../../src/api/decode-variable.ts'
import { completeSet } from '../../src/api/observe.ts'
import { InconsistentListError, mapBounded } from '../../src/api/pages.ts'
import { createReader } from '../../src/api/reader.ts'
import type { ApiResponse } from '../../src/wire/transport.ts'

const VARIABLE = { id: 'var-1', type: 'vars', attributes: { key: 'K', category: 'env' } }
const ref = (id: string, type: string) => ({ id, type })

const aSet = (attributes: object = {}, relationships: object = {}) => ({
  id: 'varset-1',
  type: 'varsets',
  attributes: { name: 'a', global: false, ...attributes },
  relationships: {
    vars: { data: [VARIABLE] },
    workspaces: { data: [ref('ws-1', 'workspaces')] },
    projects: { data: [] },
    ...relationships,
  },
})

const arrivedOf = (set: object, included: readonly unknown[] = []) => {
  const { variablesArrived, missing } = decodeSet({ data: set, included }, 'terraform')
  return { variables: variablesArrived, assignments: missing.length === 0 }
}

test('a set names what newer services count or relate to it, be it of one kind or of several', () => {
  const othersOf = (...set: Parameters<typeof aSet>) =>
    decodeSet({ data: aSet(...set) }, 'terraform').set.others
  const teams = { what: 'teams', count: 1 }
  expect(othersOf()).toBeUndefined()
  expect(othersOf({}, { teams: { data: [ref('team-1', 'teams')] } })).toEqual([teams])
  expect(
    othersOf({ 'team-count': 2, 'agent-count': '2' }, { teams: { data: [ref('team-1', 'teams')] } }),
  ).toEqual([{ what: 'agent-count', count: 2 }, { what: 'team-count', count: 2 }, teams])
})

test.each([0, -1, 'many', null, 'Infinity', 1e300])('what a set counts as %j is nothing', count => {
  expect(decodeSet({ data: aSet({ 'agent-count': count }) }, 'terraform').set.others).toBeUndefined()
})

describe('what is missing in a response with a set', () => {
  test.each<[string, object, { variables: boolean; assignments: boolean }]>([
    ['nothing, without counts', aSet(), { variables: true, assignments: true }],
    [
      'nothing, with counts',
      aSet({ 'var-count': 1, 'workspace-count': 1, 'project-count': 0 }),
      { variables: true, assignments: true },
    ],
    ['fewer variables than counted', aSet({ 'var-count': 2 }), { variables: false, assignments: true }],
    ['more variables than counted', aSet({ 'var-count': 0 }), { variables: false, assignments: true }],
    [
      'fewer workspaces than counted',
      aSet({ 'workspace-count': 2 }),
      { variables: true, assignments: false },
    ],
    ['fewer projects than counted', aSet({ 'project-count': 1 }), { variables: true, assignments: false }],
    [
      'the same workspace twice',
      aSet(
        { 'workspace-count': 2 },
        { workspaces: { data: [ref('ws-1', 'workspaces'), ref('ws-1', 'workspaces')] } },
      ),
      { variables: true, assignments: false },
    ],
    ['no list of workspaces', aSet({}, { workspaces: undefined }), { variables: true, assignments: false }],
    [
      'no list of workspaces, and none are counted',
      aSet({ 'workspace-count': 0 }, { workspaces: undefined }),
      { variables: true, assignments: true },
    ],
    [
      'no list of projects, as on older services',
      aSet({}, { projects: undefined }),
      { variables: true, assignments: true },
    ],
    [
      'no list of projects, and some are counted',
      aSet({ 'project-count': 2 }, { projects: undefined }),
      { variables: true, assignments: false },
    ],
    ['no list of variables', aSet({}, { vars: undefined }), { variables: false, assignments: true }],
    [
      'no list of variables, and none are counted',
      aSet({ 'var-count': 0 }, { vars: {} }),
      { variables: true, assignments: true },
    ],
    [
      'only the ids of variables',
      aSet({}, { vars: { data: [ref('var-1', 'vars')] } }),
      { variables: false, assignments: true },
    ],
  ])('%s', (_, set, arrived) => {
    expect(arrivedOf(set)).toEqual(arrived)
  })

  test('nothing, if `included` contains the variables among other resources', () => {
    const set = aSet({}, { vars: { data: [ref('var-1', 'vars')] } })
    expect(arrivedOf(set, [null, 'x', [], { type: 'stacks' }, { id: 7, type: 'vars' }, VARIABLE])).toEqual({
      variables: true,
      assignments: true,
    })
    expect(arrivedOf(set, [{ ...VARIABLE, id: 'var-2' }])).toEqual({ variables: false, assignments: true })
  })
})

describe('a variable', () => {
  const decoded = (attributes: object, tool = 'terraform') =>
    decodeVariable({ ...VARIABLE, attributes: { ...VARIABLE.attributes, ...attributes } }, 'data', tool)

  test('without its optional attributes has their defaults', () => {
    expect(decoded({})).toEqual({
      variable: { id: 'var-1', key: 'env/K', value: { text: '' }, description: '', hcl: false },
    })
  })

  test.each([
    ['env', 'terraform', 'env/K'],
    ['terraform', 'terraform', 'terraform/K'],
    ['tool', 'terraform', 'terraform/K'],
    ['opentofu', 'opentofu', 'terraform/K'],
    ['terraform', 'opentofu', 'terraform/K'],
  ])('of category %s, if the tool is %s, is %s', (category, tool, key) => {
    expect(decoded({ category }, tool).variable?.key).toBe(key)
  })

  test.each(['policy-set', 'terraform-cloud', 'ENV', '', 'opentofu'])(
    'of category "%s" is foreign, and its value is dropped',
    category => {
      expect(decoded({ category, value: 'x' })).toEqual({ foreign: { id: 'var-1', key: 'K', category } })
    },
  )

  test.each([null, '', 'canary', '****'])(
    'that is sensitive has no text, whatever the service returns (%s)',
    value => {
      expect(decoded({ sensitive: true, value }).variable?.value).toEqual({ hidden: true })
    },
  )

  test('ignores unknown members', { tags: ['F-36'] }, () => {
    expect(decoded({ surprise: [1], 'created-at': 7, 'version-id': 7 })).toEqual(decoded({}))
    expect(decoded({ 'version-id': '' })).toEqual(decoded({}))
    expect(decoded({ 'version-id': 'v1' }).variable?.versionId).toBe('v1')
  })
})

describe('completing a set', () => {
  const reading = (answers: Readonly<Record<string, readonly (object | number)[]>>) => {
    const left = structuredClone(answers) as Record<string, (object | number)[]>
    return createReader(async ({ path }): Promise<ApiResponse> => {
      const next = left[path.replace('/api/v2/varsets/varset-1', '')]?.shift() ?? 404
      return typeof next === 'number'
        ? { status: next, headers: {}, body: '' }
        : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(next) }
    })
  }
  const answerOf = (set: object) => decodeSet({ data: set }, 'terraform')
  const VARS = '/relationships/vars'

  test('sends no request if nothing is missing', async () => {
    const { set } = answerOf(aSet())
    expect(await completeSet(reading({}), answerOf(aSet()))).toEqual(set)
  })

  test('reads the set if its assignments are missing', { tags: ['F-37'] }, async () => {
    const whole = aSet({ 'workspace-count': 1 })
    const reader = reading({ '': [{ data: whole }] })
    expect(await completeSet(reader, answerOf(aSet({ 'workspace-count': 2 })))).toEqual(answerOf(whole).set)
  })

  test('lists the variables if they are missing', async () => {
    const reader = reading({ [VARS]: [{ data: [VARIABLE] }] })
    const partial = aSet({ 'var-count': 1 }, { vars: { data: [ref('var-1', 'vars')] } })
    expect(await completeSet(reader, answerOf(partial))).toEqual(answerOf(aSet()).set)
  })

  test.each<[string, object, Readonly<Record<string, readonly (object | number)[]>>]>([
    [
      'assignments are still missing',
      aSet({ 'workspace-count': 2 }),
      { '': [{ data: aSet({ 'workspace-count': 2 }) }] },
    ],
    ['variables are still missing', aSet({ 'var-count': 2 }), { [VARS]: [{ data: [VARIABLE] }] }],
    [
      'fewer variables are listed than the set refers to, without counts',
      aSet({}, { vars: { data: [ref('var-1', 'vars'), ref('var-2', 'vars')] } }),
      { [VARS]: [{ data: [VARIABLE] }, { data: [VARIABLE] }] },
    ],
    ['the set returns 404', aSet({ 'workspace-count': 2 }), { '': [404] }],
    ['its variables return 404', aSet({ 'var-count': 2 }), { [VARS]: [404] }],
  ])('fails for this pass if %s', async (_, set, answers) => {
    await expect(completeSet(reading(answers), answerOf(set))).rejects.toThrow(InconsistentListError)
  })

  test('stops if the service always announces another page of variables', async () => {
    let requests = 0
    const reader = createReader(async () => {
      requests++
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: [VARIABLE], links: { next: 'https://elsewhere.example' } }),
      }
    })
    const { variables } = await completeSet(reader, answerOf(aSet({ 'var-count': 1 }, { vars: {} })))
    expect(variables).toHaveLength(1)
    expect(requests).toBe(2)
  })
})

describe('mapBounded', () => {
  test('keeps the order of results and the limit of workers', async () => {
    let working = 0
    let most = 0
    const results = await mapBounded([5, 1, 3, 2, 4], 2, async entry => {
      most = Math.max(most, ++working)
      for (let turn = 0; turn < entry; turn++) await Promise.resolve()
      working--
      return entry * 10
    })
    expect(results).toEqual([50, 10, 30, 20, 40])
    expect(most).toBe(2)
  })

  test('starts nothing new after a failure', async () => {
    const started: number[] = []
    const working = mapBounded([1, 2, 3, 4, 5, 6], 2, async entry => {
      started.push(entry)
      await Promise.resolve()
      if (entry === 1) throw new RangeError('one')
    })
    await expect(working).rejects.toThrow('one')
    await new Promise(resolve => setImmediate(resolve))
    expect(started).toEqual([1, 2])
  })

  test('returns at once for an empty list', async () => {
    expect(await mapBounded([], 8, async () => 1)).toEqual([])
  })
})
