import type { Bug } from './bug.ts'

/** Conclusions from lists, from the closing read, and from names. */
export const BELIEVING: readonly Bug[] = [
  {
    name: 'a 404 to a list counts as an empty list',
    file: 'api/observe.ts',
    edits: [
      [
        'untilConsistent(() => readOnce(reader, organization))',
        'untilConsistent(() => readOnce(reader, organization)).catch(error => {\n    if (isStatus(error, 404)) return { organization, sets: [], pages: 1 }\n    throw error\n  })',
      ],
    ],
    caughtBy: { schedules: ['deletes default 66 0=absent-once'] },
  },
  {
    name: 'one pass over several pages is enough before something is deleted',
    file: 'run/apply-prepared.ts',
    edits: [['if (!takesAway) return', 'if (takesAway) return true\n  if (!takesAway) return']],
    caughtBy: { probe: 'moving lists' },
  },
  {
    name: 'one pass over several pages is enough before something is created',
    file: 'run/apply-prepared.ts',
    edits: [['if (names.size === 0) return true', 'if (names.size < 1e9) return true']],
    caughtBy: { probe: 'moving lists' },
  },
  {
    name: 'only the first page is read',
    file: 'api/pages.ts',
    edits: [
      ['Array.from({ length: pages - 1 }', 'Array.from({ length: pages * 0 }'],
      ['if (ids.size !== first.totalCount)', 'if (ids.size > first.totalCount)'],
    ],
    caughtBy: { probe: 'moving lists' },
  },
  {
    name: 'a list with fewer entries than the service counts is complete',
    file: 'api/pages.ts',
    edits: [
      ['if (page.entries.length !== due)', 'if (page.entries.length > due)'],
      ['if (ids.size !== first.totalCount)', 'if (ids.size > first.totalCount)'],
    ],
    caughtBy: { probe: 'moving lists' },
  },
  {
    name: 'a list without page data is complete',
    file: 'api/pages.ts',
    edits: [['if (!isRepeated)', 'if (second === undefined)']],
    caughtBy: { probe: 'moving lists' },
  },
  {
    name: 'assignments that a list omits count as none',
    file: 'api/observe.ts',
    edits: [
      [
        "const shown = answer.missing.length === 0 ? answer : await unlessGone(reader.showSet(id, included))\n  if (shown.missing.some(kind => TARGETS[kind].without !== 'kind is unknown'))",
        'const shown = answer\n  if (id.length === 0)',
      ],
    ],
    caughtBy: { probe: 'partial lists' },
  },
  {
    name: 'variables that a list omits count as none',
    file: 'api/observe.ts',
    edits: [['if (shown.variablesArrived) return shown.set', 'if (id.length > 0) return shown.set']],
    caughtBy: { schedules: ['mixed bare 1 -'] },
  },
  {
    name: 'names are compared regardless of case',
    file: 'plan/claims.ts',
    edits: [
      ['append(this.#byName, set.name, set)', 'append(this.#byName, set.name.toLowerCase(), set)'],
      ['(this.#byName.get(name) ?? [])', '(this.#byName.get(name.toLowerCase()) ?? [])'],
    ],
    caughtBy: { schedules: ['mixed default 1 -'] },
  },
  {
    name: 'after a create, a set with a similar name is accepted',
    file: 'api/observe.ts',
    edits: [
      [
        '({ set }) => set.name === name',
        '({ set }) => set.name.toLowerCase().startsWith(name.toLowerCase())',
      ],
    ],
    caughtBy: { schedules: ['creates default 75 2=cut-after'] },
  },
  {
    name: 'of two sets with one name, the owner is ignored',
    file: 'plan/claims.ts',
    edits: [['sets.filter(set => !ownersDiffer(set, owner))', 'sets']],
    caughtBy: { probe: 'sets of a project' },
  },
  {
    name: 'an old set is deleted before the new one that takes over is created',
    file: 'plan/draft.ts',
    edits: [['acquires: [successorSlot(set.name)]', 'acquires: []']],
    caughtBy: { probe: 'sets of a project' },
  },
  {
    name: 'a new set is created before the removed one with its name is deleted',
    file: 'plan/draft.ts',
    edits: [['      nameSlot(set.name),\n', '']],
    caughtBy: { probe: 'sets of a project' },
  },
  {
    name: 'a set of another owner counts as the declared one',
    file: 'plan/other-owner.ts',
    edits: [
      [
        'pairs.filter(hasOtherOwner)',
        "pairs.filter(hasOtherOwner).filter(({ desired }) => desired.name === '')",
      ],
    ],
    caughtBy: { probe: 'sets of a project' },
  },
  {
    name: 'variables of an unknown category are managed',
    file: 'api/decode-variable.ts',
    edits: [
      [
        'const category = readCategory(written, tool)',
        "const category = readCategory(written, tool) ?? 'terraform'",
      ],
      ['if (category === undefined) return', "if (written === '') return"],
    ],
    caughtBy: { schedules: ['mixed default 1 -'] },
  },
  {
    name: 'there is no closing read',
    file: 'run/apply-prepared.ts',
    edits: [
      [
        'run.service.requests().writes === 0\n    ? NOTHING_READ',
        "Math.max(1)\n    ? { ...NOTHING_READ, closing: { state: 'equal' } }",
      ],
    ],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'a failed closing read counts as one without differences',
    file: 'run/closing-read.ts',
    edits: [
      [
        "closing: { state: 'unread', message }",
        "closing: { state: message === '' ? 'not-needed' : 'equal' }",
      ],
    ],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'differences in the closing read are ignored',
    file: 'run/exit-codes.ts',
    edits: [
      [
        "(ended.closing.state === 'equal' || outcomes.length === 0)",
        "(ended.closing.state !== 'unread' || outcomes.length === 0)",
      ],
    ],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'an unconfirmed deletion counts as done if a list omits the set',
    file: 'run/closing-read.ts',
    edits: [["outcome.status === 'unknown' &&", "outcome.status === 'failed' &&"]],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'a 204 alone proves a step',
    file: 'run/closing.ts',
    edits: [
      ['if (isMissing) return { status', 'if (isMissing && ANSWER_SHOWS[operation.type]) return { status'],
    ],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'exit code 1 although something was written',
    file: 'run/exit-codes.ts',
    edits: [
      [
        'return maybeWritten ? EXIT.partial : EXIT.error',
        "return outcomes.includes('succeeded') ? 3 : maybeWritten ? 1 : 1",
      ],
    ],
    caughtBy: { schedules: ['mixed default 7 1=unauthorized-after'] },
  },
  {
    name: 'a write that may have happened counts as failed',
    file: 'apply/outcome.ts',
    edits: [
      [
        'const isOpen = mayBeGone || attempt > 1 || mayHaveHappened(error) ||',
        'const isOpen = (mayBeGone && attempt < 1) ||',
      ],
    ],
    caughtBy: { probe: 'refused writes' },
  },
  {
    name: 'a secret counts as written although the version of its variable did not change',
    file: 'run/closing.ts',
    edits: [['if (hasMoved === false)', 'if (hasMoved === false && closing.state === "unread")']],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'the response alone proves that the inventory was written',
    file: 'run/record-managed.ts',
    edits: [['if (!isListed) return', 'if (isListed === undefined) return']],
    caughtBy: { probe: 'closing read' },
  },
  {
    name: 'a created set counts as whole although the response shows less',
    file: 'apply/complete.ts',
    edits: [['of missingParts(create, set))', 'of missingParts(create, set).slice(99))']],
    caughtBy: { probe: 'closing read' },
  },
]
