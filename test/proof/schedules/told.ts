import type { StepResult } from '../../../src/apply/outcome.ts'
import type { SandboxSeed } from '../../../src/sandbox/index.ts'
import { bodyIn } from './bodies.ts'
import type { Committed } from './service.ts'

type Operation = StepResult['step']['operation']
type Sent = Committed['request']

/** Compares the reported outcome of a step with what the service executed. `isReached`: the service equals the files. */
export function* falseReports(
  { step, outcome, isInPart }: StepResult,
  committed: readonly Committed[],
  now: SandboxSeed,
  isReached: boolean,
  fold: (text: string) => string = text => text,
): Generator<string> {
  const { operation } = step
  const done = committed.some(({ request }) => isRequestOf(operation, request))
  if (outcome.status === 'succeeded' && !done) {
    // With a note, the outcome only says that the service shows the result of the step.
    const isTold = outcome.note !== undefined && (isReached || isThere(operation, now, fold))
    if (!isTold && !committed.some(({ request }) => replaces(operation, request)))
      yield `false-success: ${step.id} was never executed`
  }
  // The creation of a set that was not completed is reported as failed in part.
  if ((outcome.status === 'failed' || outcome.status === 'skipped') && done && isInPart !== true)
    yield `false-failure: ${step.id} is reported as ${outcome.status} but was executed`
}

function isRequestOf(operation: Operation, { method, path, body = '' }: Sent): boolean {
  const parts = path.split('/')
  if (operation.type === 'create-set')
    return (
      method === 'POST' &&
      parts[3] === 'organizations' &&
      attributeIn(body, 'name') === operation.subject.name
    )
  if (parts[4] !== operation.subject.id) return false
  switch (operation.type) {
    case 'update-set':
      return method === 'PATCH' && parts.length === 5 && attributeIn(body, 'name') === operation.after.name
    case 'delete-set':
      return method === 'DELETE' && parts.length === 5
    case 'create-variable':
      return method === 'POST' && parts[6] === 'vars' && keyIn(body) === operation.after.key
    case 'update-variable':
      return method === 'PATCH' && parts[7] === operation.variableId
    case 'delete-variable':
      return method === 'DELETE' && parts[7] === operation.variableId
    case 'assign':
      return method === 'POST' && parts[6] === operation.targets.kind
    case 'unassign':
      return method === 'DELETE' && parts[6] === operation.targets.kind
  }
}

/** If the service treats a second variable with the same key as an update, a replacement does not need its delete. */
const replaces = (operation: Operation, { method, path, body = '' }: Sent): boolean =>
  operation.type === 'delete-variable' &&
  operation.replaced &&
  method === 'POST' &&
  path.split('/')[4] === operation.subject.id &&
  path.endsWith('/vars') &&
  keyIn(body) === operation.before.key

function isThere(operation: Operation, { sets = [] }: SandboxSeed, fold: (text: string) => string): boolean {
  if (operation.type === 'create-set') return sets.some(({ name }) => name === fold(operation.after.name))
  const set = sets.find(({ id }) => id === operation.subject.id)
  const variables = set?.variables ?? []
  const targets = [...(set?.workspaces ?? []), ...(set?.projects ?? []), ...(set?.stacks ?? [])]
  switch (operation.type) {
    case 'update-set':
      return set?.name === fold(operation.after.name)
    case 'delete-set':
      return set === undefined
    case 'create-variable':
    case 'update-variable':
      return variables.some(({ category, key }) => `${category}/${key}` === fold(operation.after.key))
    case 'delete-variable':
      return !variables.some(({ id }) => id === operation.variableId)
    case 'assign':
      return operation.targets.ids.every(id => targets.includes(id))
    case 'unassign':
      return !operation.targets.ids.some(id => targets.includes(id))
  }
}

const keyIn = (body: string): string => `${attributeIn(body, 'category')}/${attributeIn(body, 'key')}`

const attributeIn = (body: string, attribute: string): unknown => bodyIn(body).data.attributes?.[attribute]
