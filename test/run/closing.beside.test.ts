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
