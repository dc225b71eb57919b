import type { Bug } from './bug.ts'

/** Sending, looking and repeating: each row of docs/requests.md, and what goes over the wire. */
export const WRITING: readonly Bug[] = [
  {
    name: 'a read whose answer was lost is not repeated',
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
    name: 'a request that was refused with 429 is not repeated',
    file: 'api/retry.ts',
    edits: [
      ["if (status === 429) return 'throttled'", "if (status === 429 && repeatable) return 'throttled'"],
    ],
    caughtBy: { schedules: ['creates default 3 4=throttled-seconds'] },
  },
  {
    name: 'a create of a set whose answer was lost is sent again blindly',
    file: 'api/writer.ts',
    edits: [
      [
        "write(writeRequest('POST', path, false, encoded), CREATED, proof",
        "write(writeRequest('POST', path, true, encoded), CREATED, proof",
      ],
    ],
    caughtBy: { schedules: ['creates lenient 97 1=lost-after'] },
  },
  {
    name: 'nobody looks before a create of a set is sent again',
    file: 'apply/execute.ts',
    edits: [
      [
        'const seen = await readBackOperation(left, options, signal)',
        "const seen = left.type === 'create-set' ? ({ state: 'missing', left } as const) : await readBackOperation(left, options, signal)",
      ],
    ],
    caughtBy: { schedules: ['creates lenient 78 5=lost-after'] },
  },
  {
    name: 'a new set that a list does not show at once counts as missing',
    file: 'apply/read-back.ts',
    edits: [['isNew(operation) ? WAITS_FOR_NEW : WAITS', '[0]']],
    caughtBy: { schedules: ['creates lag-reads-lenient 69 5=empty-after'] },
  },
  {
    name: 'two sets of a name after a lost answer are one too few',
    file: 'apply/read-back.ts',
    edits: [['if (found.length > 1)\n', 'if (found.length > 9)\n']],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'a create of a variable whose answer was lost is sent again blindly',
    file: 'api/writer.ts',
    edits: [
      [
        "const request = writeRequest('POST', path, false, encoded)",
        "const request = writeRequest('POST', path, true, encoded)",
      ],
    ],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'an update of settings leaves out priority',
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
    name: 'an update of settings whose answer was lost is taken as done',
    file: 'apply/read-back.ts',
    edits: [
      [
        "if (operation.type === 'create-set') return await findNewSet",
        "if (operation.type === 'update-set') return { state: 'done' }\n  if (operation.type === 'create-set') return await findNewSet",
      ],
    ],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'an update with added variables whose answer was lost is sent again blindly',
    file: 'api/writer.ts',
    edits: [['added.length === 0, encoded)', 'true, encoded)']],
    caughtBy: { schedules: ['mixed lenient 50 1=late-after'] },
  },
  {
    name: 'added variables that arrived are sent again with the rest',
    file: 'apply/read-back.ts',
    edits: [
      [
        'variables: operation.variables.filter(variable => !there.has(variable.key))',
        'variables: operation.variables.filter(variable => variable.key !== undefined || there)',
      ],
    ],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'a secret whose writing was lost is taken as written, for the variable looks the same',
    file: 'plan/done.ts',
    edits: [["operation.type !== 'update-variable' ||", "operation.type !== 'delete-set' ||"]],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'a 404 on a delete is taken as deleted',
    file: 'apply/execute.ts',
    edits: [
      [
        'const refused = !mayHaveHappened(error)',
        "if (isStatus(error, 404) && left.type.startsWith('delete-')) return { outcome: { status: 'succeeded' } }\n        const refused = !mayHaveHappened(error)",
      ],
    ],
    caughtBy: { probe: 'refused writes' },
  },
  {
    name: 'a set whose deletion was lost counts as gone without a look',
    file: 'apply/read-back.ts',
    edits: [
      [
        "return found.some(({ id }) => id === operation.subject.id)\n    ? { state: 'missing', left: operation }\n    : { state: 'done' }",
        "return found.length > 99 ? { state: 'missing', left: operation } : { state: 'done' }",
      ],
    ],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'one of several assignments that arrived is enough',
    file: 'plan/done.ts',
    edits: [
      [
        'itemsOf(operation).every(item => shows(set, item, isThere))',
        'itemsOf(operation).some(item => shows(set, item, isThere))',
      ],
    ],
    caughtBy: { probe: 'lost answers' },
  },
  {
    name: 'the echo of an assignment that went through is a failure',
    file: 'api/refusal.ts',
    edits: [["(isUncertain(status) || response.earlierAttempt === 'maybe')", 'isUncertain(status)']],
    caughtBy: { schedules: ['assignments strict 97 1=lost-after'] },
  },
  {
    name: 'a connection that broke after the request was sent counts as not sent',
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
      ['? encoded(data, 0, 0)', '? encoded({ ...data, relationships: { workspaces: { data: [] } } }, 0, 0)'],
    ],
    caughtBy: { schedules: ['global-moves default 1 -'] },
  },
  {
    name: 'an external variable is sent with an empty value',
    file: 'api/encode.ts',
    edits: [
      [
        "if ('keep' in value) return { ...common, sensitive: value.sensitive }",
        "if ('keep' in value) return { ...common, value: '', sensitive: value.sensitive }",
      ],
    ],
    caughtBy: { schedules: ['secrets default 1 -'] },
  },
  {
    name: 'repetitions have no budget',
    file: 'api/retry.ts',
    edits: [['exhausted || left < RETRY_COST[kind]', 'exhausted || left < -RETRY_COST[kind] * 1e9']],
    caughtBy: { probe: 'storm' },
  },
  {
    name: 'a service says how long to wait, and is asked again at once',
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
    name: 'the answer about another set is believed',
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
    name: 'a page of a proxy in place of an empty answer is believed',
    file: 'api/writer.ts',
    edits: [["if (body.trim() !== '') throw", "if (body.trim() === 'never') throw"]],
    caughtBy: { probe: 'refused writes' },
  },
]
