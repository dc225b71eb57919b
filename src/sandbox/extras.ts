import { isObject } from './call.ts'
import type { Profile } from './profile.ts'

/** Members that no document names (docs/fault-model.md F-36): a client must neither stumble over them nor send them back. */
export function withExtras(body: string, extras: Profile['extras'], random: () => number): string {
  if (extras === 'none' || !body.startsWith('{')) return body
  const document: unknown = JSON.parse(body)
  if (!isObject(document)) return body
  if (extras === 'relations') return JSON.stringify({ ...document, data: withRelations(document.data) })
  const sometimes = () => random() < 0.5
  return JSON.stringify({
    ...document,
    ...decorated('data', document.data, sometimes),
    ...decorated('included', document.included, sometimes),
    ...(sometimes() ? { jsonapi: { version: '1.1' } } : {}),
    ...(Array.isArray(document.included) && sometimes()
      ? {
          included: [...document.included, { id: 'plan-x', type: 'plans', attributes: { status: 'none' } }],
        }
      : {}),
  })
}

function decorated(
  name: string,
  value: unknown,
  sometimes: () => boolean,
): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return { [name]: value.map(one => decoratedResource(one, sometimes)) }
  return value === undefined ? {} : { [name]: decoratedResource(value, sometimes) }
}

function decoratedResource(value: unknown, sometimes: () => boolean): unknown {
  if (!isObject(value)) return value
  return {
    ...value,
    ...(isObject(value.attributes) && sometimes()
      ? { attributes: { ...value.attributes, 'x-colour': 'blue', permissions: { 'can-update': true } } }
      : {}),
    ...(isObject(value.relationships) && sometimes()
      ? { relationships: { ...value.relationships, 'x-friend': { data: { id: 'x', type: 'friends' } } } }
      : {}),
    ...(sometimes() ? { meta: { 'x-note': 'extra' } } : {}),
  }
}

/** What a later service may count for a set and relate to it. */
function withRelations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRelations)
  if (!isObject(value) || value.type !== 'varsets') return value
  const { attributes, relationships } = value
  return {
    ...value,
    attributes: { ...(isObject(attributes) ? attributes : {}), 'fleet-count': 2 },
    relationships: {
      ...(isObject(relationships) ? relationships : {}),
      friends: { data: [{ id: 'friend-1', type: 'friends' }] },
    },
  }
}
