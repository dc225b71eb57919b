import type { Bug } from './bug.ts'

/** Secrets, and untrusted files and texts. */
export const HIDING: readonly Bug[] = [
  {
    name: 'the old value of a new secret is shown',
    file: 'plan/secrecy.ts',
    edits: [['(maySucceed && written.has(key))', '(maySucceed && written.has(`${key} ` as VariableKey))']],
    caughtBy: { schedules: ['secrets default 1 -'] },
  },
  {
    name: 'a sensitive value that the service shows is kept',
    file: 'api/decode-variable.ts',
    edits: [
      [
        "optionalFlagAt(resource, 'sensitive')",
        "optionalFlagAt(resource, 'sensitive') && resource.attributes.value === null",
      ],
    ],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'an error from the service may repeat the secret that was sent',
    file: 'api/encode.ts',
    edits: [["sent.some(({ value }) => 'secret' in value)", 'sent.length > 99']],
    caughtBy: { schedules: ['secrets default 3 3=refused-echo'] },
  },
  {
    name: 'fingerprints are plain hashes',
    file: 'model/secret.ts',
    edits: [
      ["import { createHmac } from 'node:crypto'", "import { createHash } from 'node:crypto'"],
      [
        "createHmac('sha256', key).update(`${context}\\0${this.#text}`)",
        "createHash('sha256').update(key === '' ? context : this.#text)",
      ],
    ],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'a secret can be printed',
    file: 'model/secret.ts',
    edits: [
      [
        "  [inspect.custom](): string {\n    return '[secret]'",
        '  [inspect.custom](): string {\n    return this.#text',
      ],
    ],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'a secret can be serialised',
    file: 'model/secret.ts',
    edits: [
      [
        "  toJSON(): never {\n    throw new TypeError('a Secret cannot be serialised')",
        '  toJSON(): string {\n    return this.#text',
      ],
    ],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'an empty secret counts as a value',
    file: 'secrets/open.ts',
    edits: [['(allowEmpty || !value.isEmpty)', '(allowEmpty || !value.hasSpaceAround)']],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'a missing secret is reported after the first writes',
    file: 'run/apply-prepared.ts',
    edits: [
      [
        'if (hasErrors(secrets.diagnostics)) return',
        'if (hasErrors(secrets.diagnostics) && plan.steps.length === 0) return',
      ],
    ],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'an error contains the address of a proxy with its password',
    file: 'api/http.ts',
    edits: [
      [
        'throw ADDRESS_ERRORS.has(codeOf(error)) ? new NetworkFault(BAD_PROXY, false) : error',
        'throw Object.assign(new Error(BAD_PROXY), { cause: error })',
      ],
    ],
    caughtBy: { probe: 'sockets' },
  },
  {
    name: 'an error quotes a malformed response',
    file: 'api/document.ts',
    edits: [
      [
        "new MalformedResponseError('the body is not JSON')",
        'new MalformedResponseError(`not JSON: ${response.body}`)',
      ],
    ],
    caughtBy: { probe: 'secrets' },
  },
  {
    name: 'a name can contain commands for the runner',
    file: 'report/neutralise.ts',
    edits: [
      [
        '    .replace(INVISIBLE_CHARACTERS, named)\n    .replace(RUNNER_COMMAND',
        '    .replace(RUNNER_COMMAND',
      ],
    ],
    caughtBy: { probe: 'texts' },
  },
  {
    name: 'an empty file counts as an empty state',
    file: 'config/yaml-documents.ts',
    edits: [
      [
        'if (findings.count === before && trees === undefined)',
        'if (findings.count < before && trees === undefined)',
      ],
    ],
    caughtBy: { probe: 'files' },
  },
  {
    name: 'a pattern without a match counts as an empty state',
    file: 'config/find-set-files.ts',
    edits: [['if (read.length === 0 && isRead)', 'if (read.length < 0 && isRead)']],
    caughtBy: { probe: 'files' },
  },
  {
    name: 'a directive in a file changes how it is read',
    file: 'config/syntax.ts',
    edits: [["  ['%', ['A directive (`%…`) is not supported.', 'Remove the line.']],\n", '']],
    caughtBy: { probe: 'files' },
  },
  {
    name: 'the last of two equal keys wins',
    file: 'config/tree.ts',
    edits: [['if (earlier !== undefined) {', 'if (earlier !== undefined && entry.key !== earlier.key) {']],
    caughtBy: { probe: 'files' },
  },
  {
    name: 'keys that look the same count as different',
    file: 'config/tree.ts',
    edits: [
      ["const composed = isSimple ? entry.key : entry.key.normalize('NFC')", 'const composed = entry.key'],
    ],
    caughtBy: { probe: 'files' },
  },
  {
    name: 'a form that the schema does not allow is accepted',
    file: 'config/form.ts',
    edits: [['if (form.validate(plainOf(tree))) return', 'if (form.keys.length > 0) return']],
    caughtBy: { probe: 'files' },
  },
  {
    name: 'a file outside the repository is read',
    file: 'config/read.ts',
    edits: [
      ["if (!isInside(root, path)) return { problem: 'outside' }", ''],
      ["if (!isInside(root, real)) return { problem: 'outside' }", ''],
    ],
    caughtBy: { probe: 'files' },
  },
]
