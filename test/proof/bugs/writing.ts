import type { Bug } from './bug.ts'

/** Sending, reading back and repeating: each row of docs/reliability.md#requests, and the contents of requests. */
export const WRITING: readonly Bug[] = [
  {
    name: 'a read is not repeated after its response was lost',
    file: 'api/retry.ts',
    edits: [
      [
        "request.method === 'GET' || request.repeatable === true",
        "request.method !== 'GET' && request.repeatable === true",
      ],
    ],
    caughtBy: { schedules: ['creates default 66 0=lost-before'] },
  },
  {
    name: 'a request is not repeated after a 429',
    file: 'api/retry.ts',
    edits: [
      ["if (status === 429) return 'throttled'", "if (status === 429 && repeatable) return 'throttled'"],
    ],
    caughtBy: { schedules: ['creates default 3 4=throttled-seconds'] },
  },
  {
    name: 'the create of a set is repeated blindly after its response was lost',
    file: 'api/writer.ts',
    edits: [
      [
        "write('POST', path, CREATE, createBody",
        "write('POST', path, { ...CREATE, repeatable: true }, createBody",
      ],
    ],
    caughtBy: { schedules: ['creates lenient 97 1=lost-after'] },
  },
  {
    name: 'the service is not read before the create of a set is repeated',
    file: 'apply/execute.ts',
    edits: [
      [
        'const seen = await readBackOperation(operation, options)',
        "const seen =\n        operation.type === 'create-set' ? ({ state: 'missing' } as const) : await readBackOperation(operation, options)",
      ],
    ],
    caughtBy: { schedules: ['creates lenient 78 5=lost-after'] },
  },
  {
    name: 'a new set counts as missing if the first list does not show it',
    file: 'apply/read-back.ts',
    edits: [['duplicatesIfResent(operation) ? WAITS_FOR_NEW : WAITS', '[0]']],
    caughtBy: { schedules: ['creates lag-reads-lenient 69 5=empty-after'] },
  },
  {
    name: 'two sets with one name after a lost response count as one',
    file: 'apply/read-back.ts',
    edits: [['if (found.length > 1)\n', 'if (found.length > 9)\n']],
    caughtBy: { probe: 'lost responses' },
  },
  {
    name: 'the create of a variable is repeated blindly after its response was lost',
    file: 'api/writer.ts',
    edits: [
      [
        "write('POST', path, CREATE, variableBody",
        "write('POST', path, { ...CREATE, repeatable: true }, variableBody",
      ],
    ],
    caughtBy: { probe: 'lost responses' },
  },
  {
    name: 'an update of settings omits priority',
    file: 'api/encode.ts',
    edits: [
      [
        '(settings: SetSettings): SetAttributes => settingsOf(settings)',
        '({ name, description, global, priority }: SetSettings): SetAttributes =>\n  ({ name, description, global, ...(priority ? { priority } : {}) }) as SetAttributes',
      ],
    ],
    caughtBy: { schedules: ['renames upsert 1 -'] },
  },
  {
    name: 'an update of settings counts as done after its response was lost',
    file: 'apply/read-back.ts',
    edits: [
      [
        "if (operation.type === 'create-set') return await findNewSet",
        "if (operation.type === 'update-set') return { state: 'done' }\n  if (operation.type === 'create-set') return await findNewSet",
      ],
    ],
    caughtBy: { probe: 'lost responses' },
  },
  {
    name: 'a secret counts as written after a lost response, because its variable looks the same',
    file: 'plan/equality.ts',
    edits: [["operation.type !== 'update-variable' ||", "operation.type !== 'delete-set' ||"]],
    caughtBy: { probe: 'lost responses' },
  },
  {
    name: 'a 404 to a delete counts as deleted',
    file: 'apply/execute.ts',
    edits: [
      [
        'const { error, ended } = failure',
        "const { error, ended } = failure\n  if (isStatus(error, 404) && operation.type.startsWith('delete-')) return { outcome: { status: 'succeeded' } }",
      ],
    ],
    caughtBy: { probe: 'refused writes' },
  },
  {
    name: 'a set counts as deleted after a lost response, without reading the service',
    file: 'apply/read-back.ts',
    edits: [
      [
        "return found.some(({ id }) => id === operation.subject.id) ? { state: 'missing' } : { state: 'done' }",
        "return found.length > 99 ? { state: 'missing' } : { state: 'done' }",
      ],
    ],
    caughtBy: { probe: 'lost responses' },
  },
  {
    name: 'one of several assignments is enough',
    file: 'plan/equality.ts',
    edits: [
      [
        'itemsOf(operation).every(item => isVisible(set, item, isThere))',
        'itemsOf(operation).some(item => isVisible(set, item, isThere))',
      ],
    ],
    caughtBy: { probe: 'lost responses' },
  },
  {
    name: 'the refusal of an assignment that already succeeded counts as a failure',
    file: 'api/refusal.ts',
    edits: [[" || response.earlierAttempt === 'maybe')", ')']],
    caughtBy: { schedules: ['assignments strict 97 1=lost-after'] },
  },
  {
    name: 'a request counts as not sent if the connection broke after sending',
    file: 'api/errors.ts',
    edits: [["sent: started ? 'maybe' : 'no'", "sent: started && code === DEADLINE ? 'maybe' : 'no'"]],
    caughtBy: { probe: 'sockets' },
  },
  {
    name: 'redirects are followed',
    file: 'api/http.ts',
    edits: [
      ['const { Agent, EnvHttpProxyAgent } =', 'const { Agent, EnvHttpProxyAgent, interceptors } ='],
      [
        'return new Agent(common)',
        'return new Agent(common).compose(interceptors.redirect({ maxRedirections: 3 }))',
      ],
    ],
    caughtBy: { probe: 'sockets' },
  },
  {
    name: 'every update of a set sends an empty list of workspaces',
    file: 'api/encode.ts',
    edits: [
      [
        "encoded({ type: 'varsets', attributes: attributesOfSet(settings) })",
        "encoded({ type: 'varsets', attributes: attributesOfSet(settings), relationships: { workspaces: { data: [] } } })",
      ],
    ],
    caughtBy: { schedules: ['global-moves default 1 -'] },
  },
  {
    name: 'an external variable is sent with an empty value',
    file: 'api/encode.ts',
    edits: [
      [
        "if ('keep' in value) return { key: name, category, ...fields, sensitive: value.sensitive }",
        "if ('keep' in value) return { key: name, category, ...fields, value: '', sensitive: value.sensitive }",
      ],
    ],
    caughtBy: { schedules: ['secrets default 1 -'] },
  },
  {
    name: 'retries have no budget',
    file: 'api/retry.ts',
    edits: [['exhausted || left < RETRY_COST[kind]', 'exhausted || left < -RETRY_COST[kind] * 1e9']],
    caughtBy: { probe: 'storm' },
  },
  {
    name: 'a retry ignores how long the service asks to wait',
    file: 'api/retry.ts',
    edits: [
      [
        'return hint === undefined ? computed : Math.max(computed, hint)',
        'return hint === undefined ? computed : 0',
      ],
    ],
    caughtBy: { probe: 'storm' },
  },
  {
    name: 'a response about another set is accepted',
    file: 'api/writer.ts',
    edits: [
      [
        'const proof = provenSet(({ set }) => set.name === contents.name)',
        'const proof = provenSet(({ set }) => set.name !== "")',
      ],
    ],
    caughtBy: { probe: 'refused writes' },
  },
  {
    name: 'the page of a proxy is accepted in place of an empty response',
    file: 'api/writer.ts',
    edits: [["if (body.trim() !== '') throw", "if (body.trim() === 'never') throw"]],
    caughtBy: { probe: 'refused writes' },
  },
]
