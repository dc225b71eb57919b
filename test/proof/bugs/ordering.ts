import type { Bug } from './bug.ts'

/** The order of steps: dependencies, and release and acquire of each family of slots. */
export const ORDERING: readonly Bug[] = [
  {
    name: 'the steps of a plan have no order',
    file: 'plan/draft.ts',
    edits: [['graph.add(releaser, node)', 'void releaser']],
    caughtBy: { schedules: ['renames default 1 -'] },
  },
  {
    name: 'an apply ignores the order of steps',
    file: 'apply/schedule.ts',
    edits: [
      [
        "if ((await outcomes.get(earlier))?.outcome.status !== 'succeeded')",
        'if (outcomes.get(earlier) === undefined)',
      ],
    ],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'dependents of a failed step are started',
    file: 'apply/schedule.ts',
    edits: [
      [
        "?.outcome.status !== 'succeeded')\n        return",
        "?.outcome.status === 'skipped')\n        return",
      ],
    ],
    caughtBy: { probe: 'failed steps' },
  },
  {
    name: 'a variable that leaves a global set releases no slot',
    file: 'plan/set-change.ts',
    edits: [['...(this.observed.global && this.desired.global ? [globalSlot(key)] : []),', '']],
    caughtBy: { schedules: ['deletes default 1 -'] },
  },
  {
    name: 'a variable that is added to a global set acquires no slot',
    file: 'plan/set-change.ts',
    edits: [["...(this.scope === 'stays-global' ? [globalSlot(key)] : []),", '']],
    caughtBy: { schedules: ['random-0 default 0 -'] },
  },
  {
    name: 'a new global set acquires no slot of its variables',
    file: 'plan/draft.ts',
    edits: [['...(set.global ? after.variables.map(variable => globalSlot(variable.key)) : []),', '']],
    caughtBy: { schedules: ['pruned default 1 -'] },
  },
  {
    name: 'a deleted global set releases no slots of its variables',
    file: 'plan/draft.ts',
    edits: [['...(set.global ? before.variables.map(variable => globalSlot(variable.key)) : []),', '']],
    caughtBy: { schedules: ['pruned default 1 -'] },
  },
  {
    name: 'the second half of a replacement acquires no slot',
    file: 'plan/set-change.ts',
    edits: [['...(replaces ? [keySlot(this.observed.id, key)] : []),', '']],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'the first half of a replacement releases no slot',
    file: 'plan/set-change.ts',
    edits: [['keySlot(this.observed.id, key),\n', '']],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'changes inside a set do not wait until the set is no longer global',
    file: 'plan/set-change.ts',
    edits: [["...(this.scope === 'leaves-global' ? [scope] : [])", '']],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'a set that leaves global does not say so to the changes inside it',
    file: 'plan/set-change.ts',
    edits: [['releases: [scope, ...globalSlots', 'releases: [...globalSlots']],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'a set that becomes global does not wait for the changes inside it',
    file: 'plan/set-change.ts',
    edits: [['acquires: [scope, ...globalSlots', 'acquires: [...globalSlots']],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'a set becomes global before the changes inside it',
    file: 'plan/set-change.ts',
    edits: [
      [
        "...(extra.releases ?? []), ...(this.scope === 'becomes-global' ? [scope] : [])",
        '...(extra.releases ?? [])',
      ],
      ["...(this.scope === 'becomes-global' ? [scopeSlot(this.observed.id)] : []),", ''],
    ],
    caughtBy: { schedules: ['random-45 default 45 -'] },
  },
  {
    name: 'a new set does not wait for its name',
    file: 'plan/draft.ts',
    edits: [['acquires: [\n      nameSlot(after.name),', 'acquires: [']],
    caughtBy: { schedules: ['renames default 1 -'] },
  },
  {
    name: 'a deleted set does not release its name',
    file: 'plan/draft.ts',
    edits: [['releases: [\n      nameSlot(set.name),', 'releases: [']],
    caughtBy: { probe: 'slots' },
  },
  {
    name: 'a set that is renamed does not wait for its name',
    file: 'plan/set-change.ts',
    edits: [['acquires: [...scope.acquires, nameSlot(to)]', 'acquires: scope.acquires']],
    caughtBy: { schedules: ['renames default 1 -'] },
  },
  {
    name: 'a set that is renamed does not release its name',
    file: 'plan/set-change.ts',
    edits: [['releases: [...scope.releases, nameSlot(from)]', 'releases: scope.releases']],
    caughtBy: { schedules: ['renames default 1 -'] },
  },
  {
    name: 'a plan lists no gaps',
    file: 'plan/transition/gaps.ts',
    edits: [['gaps: all.slice(0, MOST_GAPS)', 'gaps: []']],
    caughtBy: { probe: 'what workspaces see' },
  },
  {
    name: 'only slots order the steps, and transitions are not computed',
    file: 'plan/transition/cells.ts',
    edits: [['if (seeing.length === 0) return', 'return']],
    caughtBy: { probe: 'what workspaces see' },
  },
  {
    name: 'a plan with a forbidden gap is applied',
    file: 'plan/guards.ts',
    edits: [['if (guards.gaps === undefined ||', 'if (guards.gaps !== undefined ||']],
    caughtBy: { probe: 'guards' },
  },
]
