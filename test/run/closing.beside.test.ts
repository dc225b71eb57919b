import { describe, expect, test } from 'vitest'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import type { SetSeed } from '../../src/sandbox/index.ts'
import type { ApiResponse, Transport } from '../../src/wire/transport.ts'
import { appliedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld } from '../support/world.ts'

const FILES = aDesiredState(aSet('a', { variables: { 'env/X': 'same' } }))

interface Resource {
  readonly id: string
  readonly attributes?: Record<string, unknown>
  readonly relationships?: { readonly vars?: { data: { readonly id: string }[] } }
}

/** A list of a lagging service, which does not show this id yet. */
function without(response: ApiResponse, id: string): ApiResponse {
  const body = JSON.parse(response.body) as {
    data: Resource[]
    included?: Resource[]
    meta: { pagination: Record<string, number> }
  }
  const others = body.data.filter(set => set.id !== id)
  body.meta.pagination['total-count'] = others.length
  body.data = others
  for (const { relationships, attributes } of others)
    if (relationships?.vars !== undefined) {
      relationships.vars.data = relationships.vars.data.filter(variable => variable.id !== id)
      if (attributes !== undefined) attributes['var-count'] = relationships.vars.data.length
    }
  if (body.included !== undefined) body.included = body.included.filter(one => one.id !== id)
  return { ...response, body: JSON.stringify(body) }
}

/** Applies while another client sends the same write right after our first one, and lists never show our object. */
async function applyBeside(sets: readonly SetSeed[]): Promise<ApplyResult> {
  let made: string | undefined
  const between =
    (next: Transport): Transport =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (request.method === 'POST' && made === undefined) {
        made = (JSON.parse(response.body) as { data: Resource }).data.id
        await next(request, signal)
      }
      const isList = request.method === 'GET' && request.path.startsWith('/api/v2/organizations/')
      return isList && made !== undefined ? without(response, made) : response
    }
  const profile = { duplicates: 'second' } as const
  const world = await aWorld(sets, { profile, between })
  return await appliedIn(world, FILES, {}, { concurrency: 1 })
}

describe('an apply does not succeed if a lagging list shows only an object that another client created at the same moment', () => {
  test('a set with the same name', async () => {
    const result = await applyBeside([])
    expect([result?.exitCode, result?.closing.state]).toEqual([3, 'unread'])
  })

  test('a variable with the same key', async () => {
    const result = await applyBeside([{ name: 'a', variables: [] }])
    expect([result?.exitCode, result?.closing.state]).toEqual([3, 'differs'])
  })
})

/**
 * Another client creates a second "a" between our two writes, on a service whose lists do not show a write in the first three reads after
 * it. `read`: how often it lists the sets before, so that the list shows our set earlier than its own. `catchesUp`: without it,
 * lists stay as they are once they show our set.
 */
async function applyBetween(read: number, catchesUp = true): Promise<ApplyResult> {
  let isMade = false
  let seen: ApiResponse | undefined
  const between =
    (next: Transport): Transport =>
    async (request, signal) => {
      const isList = request.method === 'GET' && request.path.startsWith('/api/v2/organizations/')
      if (isList && seen !== undefined) return seen
      const response = await next(request, signal)
      if (isList && !catchesUp && response.body.includes('"name":"a"')) seen = response
      if (request.method !== 'POST' || isMade || !request.path.endsWith('/acme/varsets')) return response
      isMade = true
      const list = { ...request, method: 'GET', body: undefined } as const
      for (let count = 0; count < read; count++) await next(list, signal)
      await next(request, signal)
      return response
    }
  const profile = { server: 'hcp', lists: 'late', duplicates: 'second' } as const
  const world = await aWorld([{ name: 'b', variables: [] }], { profile, between })
  const files = aDesiredState(
    aSet('a', { variables: { 'env/X': '1' } }),
    aSet('b', { variables: { 'env/Y': '1' } }),
  )
  return await appliedIn(world, files, {}, { concurrency: 1 })
}

describe('a list that lacks our last write does not prove that nothing else is there', () => {
  test.each([0, 1, 2, 3])(
    'a second set of the same name, made between our writes: %i reads',
    {
      tags: ['F-24', 'F-33'],
    },
    async read => {
      const result = await applyBetween(read)
      expect([result?.exitCode, result?.closing.state]).toEqual([3, 'unread'])
      expect(JSON.stringify(result?.closing)).toMatch(/varset-\w+.*varset-\w+/)
    },
  )

  test('a list that never shows it', { tags: ['F-33'] }, async () => {
    const result = await applyBetween(2, false)
    expect([result?.exitCode, result?.closing]).toEqual([
      3,
      {
        state: 'unread',
        shown: 'late',
        message: 'what was written is there, but the list of sets does not show all of it yet',
      },
    ])
  })
})

test('a list that shows no versions is not late', { tags: ['F-33'] }, async () => {
  const between =
    (next: Transport): Transport =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (!request.path.startsWith('/api/v2/organizations/')) return response
      return { ...response, body: response.body.replace(/,?"version-id":"[^"]*"/g, '') }
    }
  const world = await aWorld([{ name: 'a', variables: [] }], { profile: { server: 'hcp' }, between })
  const waited: number[] = []
  const sleep = async (milliseconds: number): Promise<void> => void waited.push(milliseconds)
  const files = { ...aDesiredState(aSet('a', { variables: { 'env/X': '1' } })), owner: 'me' }
  const { exitCode, closing } = await appliedIn(world, files, {}, { sleep })
  expect([exitCode, closing.state, waited]).toEqual([0, 'equal', []])
})
