import { describe, expect, test } from 'vitest'
import { includedTags, taggedWorkspace } from '../../src/api/decode-target.ts'
import { createReader } from '../../src/api/reader.ts'
import { taggedWorkspaces } from '../../src/api/tagged.ts'
import type { ApiRequest, ApiResponse } from '../../src/wire/transport.ts'

const workspace = (id: string, attributes: object, relationships: object = {}) => ({
  ...{ id, type: 'workspaces', relationships },
  attributes: { name: id.slice(3), ...attributes },
})
const BINDINGS = 'effective-tag-bindings'

describe('the tags of a workspace', () => {
  const included = includedTags({
    included: [
      { id: 'tb-1', type: BINDINGS, attributes: { key: 'env', value: 'prod' } },
      { id: 'tb-2', type: BINDINGS, attributes: { key: 'plain' } },
      { id: 'tb-3', type: BINDINGS, attributes: {} },
      { id: 'tb-4', type: 'others', attributes: { key: 'no' } },
    ],
  })
  const tagsOf = (attributes: object, bindings?: readonly string[]) => {
    const data = bindings?.map(id => ({ id, type: BINDINGS }))
    const { tags, ...rest } = taggedWorkspace(
      workspace('ws-1', attributes, data && { [BINDINGS]: { data } }),
      'data[0]',
      included,
    )
    return [[...tags], rest.withoutValues === true, rest.withoutTags === true]
  }

  test('are its names, and with bindings the values as well', () => {
    expect(tagsOf({ 'tag-names': ['a', 7, null] })).toEqual([[['a', '']], true, false])
    expect(tagsOf({})).toEqual([[], true, true])
    expect(tagsOf({ 'tag-names': ['env', 'a'] }, ['tb-1', 'tb-2'])).toEqual([
      [
        ['env', 'prod'],
        ['a', ''],
        ['plain', ''],
      ],
      false,
      false,
    ])
  })

  test.each(['tb-3', 'tb-4', 'tb-5'])('are unknown if a binding is not included: %s', id => {
    expect(() => tagsOf({}, [id])).toThrow(`data[0].relationships.${BINDINGS}.data[0] is not included`)
  })
})

describe('all workspaces with their tags', () => {
  const asked = async (wantsValues: boolean, refusing = false) => {
    const requests: ApiRequest[] = []
    const reader = createReader(async (request): Promise<ApiResponse> => {
      requests.push(request)
      if (refusing && request.query?.include !== undefined) return { status: 400, headers: {}, body: '' }
      const of = (id: string) => ({ organization: { data: { id, type: 'organizations' } } })
      const data = [
        workspace('ws-1', {}),
        workspace('ws-2', {}, of('Acme')),
        workspace('ws-3', {}, of('evil')),
      ]
      const page = { 'current-page': 1, 'page-size': 100, 'total-pages': 1, 'total-count': 3 }
      return {
        status: 200,
        headers: { 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data, meta: { pagination: page } }),
      }
    })
    const found = await taggedWorkspaces(reader, 'acme', wantsValues)
    return { found: found.map(({ name }) => name), includes: requests.map(({ query }) => query?.include) }
  }

  test('are those of the organization, in whatever case it is written', async () => {
    expect(await asked(false)).toEqual({ found: ['1', '2'], includes: [undefined] })
  })

  test('have values only if they are asked for, and the service does not refuse it', async () => {
    const include = 'effective_tag_bindings'
    expect((await asked(true)).includes).toEqual([include])
    expect(await asked(true, true)).toEqual({ found: ['1', '2'], includes: [include, undefined] })
  })
})
