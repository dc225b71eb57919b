import { variablesSent } from '../../../src/plan/items.ts'
import type { Operation } from '../../../src/plan/operation.ts'
import type { SandboxSeed } from '../../../src/sandbox/index.ts'
import type { ApiRequest } from '../../../src/wire/transport.ts'
import { bodyIn } from './bodies.ts'

/**
 * The intent of a plan, as short texts about sets: `set one`, `delete varset-1`, `varset-1 +env/A`, `varset-1 -env/A`,
 * `varset-1 workspaces`. A set that the plan creates has its name.
 */
export function intentOf(operations: readonly Operation[]): Set<string> {
  return new Set(operations.flatMap(textsOf))
}

function textsOf(operation: Operation): string[] {
  const set = operation.subject.id ?? `new ${operation.subject.name}`
  const sent = variablesSent(operation).map(({ key }) => `${set} +${key}`)
  switch (operation.type) {
    case 'create-set':
      return [
        `set ${operation.subject.name}`,
        ...sent,
        `${set} settings`,
        `${set} workspaces`,
        `${set} projects`,
        `${set} stacks`,
      ]
    case 'update-set':
      return [`${set} settings`]
    case 'delete-set':
      return [`delete ${set}`]
    case 'create-variable':
    case 'update-variable':
      return sent
    case 'delete-variable':
      return [`${set} -${operation.before.key}`]
    case 'assign':
    case 'unassign':
      return [`${set} ${operation.targets.kind}`]
  }
}

/** The effect of one request, in the same texts. `seed`: the state before anything ran; `now`: the current state. */
export function effectOf(request: ApiRequest, seed: SandboxSeed, now: SandboxSeed): string[] {
  const [, , , root, id = '', , kind, variable] = request.path.split('/')
  const body = request.body === undefined ? undefined : bodyIn(request.body)
  const attributes = body?.data.attributes
  if (root === 'organizations') return [`set ${attributes?.name}`]
  const set = seed.sets?.some(one => one.id === id) === true ? id : `new ${nameOf(id, now)}`
  if (kind === undefined && request.method === 'DELETE') return [`delete ${set}`]
  if (kind === undefined) return [`${set} settings`]
  if (kind !== 'vars') return [`${set} ${kind}`]
  if (request.method === 'DELETE') return [`${set} -${keyOf(id, variable, now) ?? keyOf(id, variable, seed)}`]
  // An update of a secret may leave out its key.
  const key =
    attributes?.key === undefined
      ? (keyOf(id, variable, now) ?? keyOf(id, variable, seed))
      : `${attributes.category}/${attributes.key}`
  return [`${set} +${key}`]
}

const nameOf = (id: string, { sets = [] }: SandboxSeed): string | undefined =>
  sets.find(one => one.id === id)?.name

function keyOf(id: string, variable: string | undefined, { sets = [] }: SandboxSeed): string | undefined {
  const found = sets.find(one => one.id === id)?.variables?.find(one => one.id === variable)
  return found === undefined ? undefined : `${found.category}/${found.key}`
}
