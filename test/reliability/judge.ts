import {
  AmbiguousAnswerError,
  ApiError,
  IncompleteListingError,
  MalformedAnswerError,
} from '../../src/api/errors.ts'
import type { StepResult } from '../../src/apply/outcome.ts'
import type { SandboxSeed } from '../../src/sandbox/index.ts'
import { TransportError } from '../../src/wire/transport.ts'
import { OLD_SECRET, secretText } from './cases.ts'
import type { Ran } from './schedule.ts'
import type { Committed, SimulatedService } from './service.ts'

/** What has to be true in the end, and what must never have changed. */
export interface Truth {
  readonly managed: string
  readonly foreign: string
}

/** Sentences about what was lost, doubled, touched or told wrongly; each begins with the name of its check. */
export function judge(truth: Truth, service: SimulatedService, runs: readonly Ran[]): string[] {
  const found: string[] = []
  for (const [index, run] of runs.entries()) {
    const say = (text: string) => found.push(`${text} (run ${index + 1})`)
    const committed = service.committed.filter(commit => commit.run === index)
    for (const text of ofRun(run, committed, truth)) say(text)
  }
  const last = runs.at(-1)
  if (last === undefined) return ['nothing ran']
  if (last.isQuiet && last.end.exitCode !== 0)
    found.push(`not-repaired: the quiet run ended with ${last.end.exitCode ?? 'no end'}: ${whyNot(last)}`)
  if (last.held.managed.join('\n') !== truth.managed)
    found.push('lost: the managed sets are not what the files say')
  if (last.held.duplicates.length > 0) found.push(`duplicate: ${last.held.duplicates.join(', ')}`)
  return found
}

function* ofRun(
  { end, held: now, snapshot, isQuiet }: Ran,
  committed: readonly Committed[],
  truth: Truth,
): Generator<string> {
  const { exitCode, error, result } = end
  if (error !== undefined && !isFailureOfTheWorld(error)) yield `crash: ${String(error)}`
  // A step of the plan is about the sets; that the inventory is behind is told by the exit code.
  if (exitCode === 0 && now.managed.join('\n') !== truth.managed) yield 'false-success: exit code 0'
  if (now.foreign !== truth.foreign) yield 'foreign-touched: something that is not ours has changed'
  if (exitCode === 1 && committed.length > 0)
    yield `dishonest-exit: 1, and ${committed.length} writes were carried out`
  for (const told of result?.results ?? []) yield* ofStep(told, committed, snapshot)
  if (isQuiet && error !== undefined) yield `quiet-error: ${String(error)}`
  const printed = printedOf(end)
  for (const name of SECRETS) if (printed.includes(name)) yield `secret: ${name} is in the result`
}

/** What was told of a step against what the service carried out. */
function* ofStep(
  { step, outcome }: StepResult,
  committed: readonly Committed[],
  snapshot: SandboxSeed,
): Generator<string> {
  const { operation } = step
  const done = committed.some(({ request }) => isRequestOf(operation, request))
  if (outcome.status === 'succeeded' && !done) {
    // With a note it only says that the service shows what the step was for.
    const isTold = outcome.note !== undefined && isThere(operation, snapshot)
    if (!isTold && !committed.some(({ request }) => replaces(operation, request)))
      yield `false-success: ${step.id} was never carried out`
  }
  if ((outcome.status === 'failed' || outcome.status === 'skipped') && done)
    yield `false-failure: ${step.id} is said to be ${outcome.status} and was carried out`
}

/** Where a service takes a second variable of a key as the new first one, the first half of a replacement is not needed. */
const replaces = (operation: Operation, request: Committed['request']): boolean =>
  operation.type === 'delete-variable' &&
  operation.replaced &&
  request.method === 'POST' &&
  request.path.split('/')[4] === operation.setId &&
  request.path.endsWith('/vars') &&
  `${nameIn(request.body ?? '', 'category')}/${nameIn(request.body ?? '', 'key')}` === operation.before.key

type Operation = StepResult['step']['operation']

function isThere(operation: Operation, { sets = [] }: SandboxSeed): boolean {
  if (operation.type === 'create-set') return sets.some(({ name }) => name === operation.set)
  const set = sets.find(({ id }) => id === operation.setId)
  const variables = set?.variables ?? []
  switch (operation.type) {
    case 'update-set':
      return set?.name === operation.after.name
    case 'delete-set':
      return set === undefined
    case 'create-variable':
    case 'update-variable':
      return variables.some(({ category, key }) => `${category}/${key}` === operation.after.key)
    case 'delete-variable':
      return !variables.some(({ id }) => id === operation.variableId)
    case 'assign':
      return operation.targets.ids.every(id =>
        [...(set?.workspaces ?? []), ...(set?.projects ?? [])].includes(id),
      )
    case 'unassign':
      return !operation.targets.ids.some(id =>
        [...(set?.workspaces ?? []), ...(set?.projects ?? [])].includes(id),
      )
  }
}

function isRequestOf(operation: Operation, { method, path, body = '' }: Committed['request']): boolean {
  const parts = path.split('/')
  if (operation.type === 'create-set')
    return method === 'POST' && parts[3] === 'organizations' && nameIn(body, 'name') === operation.set
  if (parts[4] !== operation.setId) return false
  switch (operation.type) {
    case 'update-set':
      return (
        (method === 'PATCH' || method === 'PUT') &&
        parts.length === 5 &&
        nameIn(body, 'name') === operation.after.name
      )
    case 'delete-set':
      return method === 'DELETE' && parts.length === 5
    case 'create-variable':
      return (
        method === 'POST' &&
        parts[6] === 'vars' &&
        `${nameIn(body, 'category')}/${nameIn(body, 'key')}` === operation.after.key
      )
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

function nameIn(body: string, attribute: string): unknown {
  const { data } = JSON.parse(body) as { data: { attributes?: Record<string, unknown> } }
  return data.attributes?.[attribute]
}

const isFailureOfTheWorld = (error: unknown): boolean =>
  [ApiError, AmbiguousAnswerError, IncompleteListingError, MalformedAnswerError, TransportError].some(
    kind => error instanceof kind,
  )

const SECRETS = [OLD_SECRET, ...['S', 'T', 'H', 'D', 'N', 'O', 'K', 'KEEP'].map(secretText)]

function printedOf({ result, error, diagnostics }: Ran['end']): string {
  const told = error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : ''
  return `${JSON.stringify(result ?? null)} ${JSON.stringify(diagnostics ?? null)} ${told}`
}

function whyNot({ end }: Ran): string {
  if (end.error !== undefined) return String(end.error)
  if (end.diagnostics !== undefined) return end.diagnostics.map(one => one.message).join('; ')
  const bad = (end.result?.results ?? []).filter(({ outcome }) => outcome.status !== 'succeeded')
  return (
    JSON.stringify(bad.map(({ step, outcome }) => [step.id, outcome])) +
    JSON.stringify(end.result?.closing.state)
  )
}
