import type { Bug } from './bug.ts'

/** Ownership, permitted deletions, and conditions that stop a run. */
export const KEEPING: readonly Bug[] = [
  {
    name: 'every undeclared set is pruned, whether the inventory lists it or not',
    file: 'plan/match-states.ts',
    edits: [['ownership.isListed(set) && mine(set.name)', 'mine(set.name)']],
    caughtBy: { schedules: ['pruned default 1 -'] },
  },
  {
    name: 'every listed set is pruned, whether owns matches it or not',
    file: 'plan/match-states.ts',
    edits: [['desired.owns.length === 0 || matchesAny(desired.owns, name)', 'name !== ""']],
    caughtBy: { probe: 'ownership' },
  },
  {
    name: 'a selection does not suspend prune',
    file: 'plan/match-states.ts',
    edits: [[' || only.length > 0) return match', ') return match']],
    caughtBy: { probe: 'ownership' },
  },
  {
    name: 'the inventory is written before the sets',
    file: 'run/apply-prepared.ts',
    edits: [
      [
        'const { results: sent, stopped } = await applySteps(plan.steps, writing.execute, run)',
        "const early = plan.steps.map(step => ({ step, outcome: { status: 'succeeded' } as const }))\n  await recordManaged({ ...writing, results: early })\n  const { results: sent, stopped } = await applySteps(plan.steps, writing.execute, run)",
      ],
    ],
    caughtBy: { schedules: ['first-owned default 1 -'] },
  },
  {
    name: 'a set is removed from the inventory although it still exists',
    file: 'apply/inventory-writes.ts',
    edits: [['.filter(({ setId }) => !done.kept.has(setId))', '']],
    caughtBy: { schedules: ['pruned default 1 1=refused-echo'] },
  },
  {
    name: 'a set is added to the inventory although one of its steps failed',
    file: 'apply/inventory-writes.ts',
    edits: [
      [
        'if (setId === undefined || digest === undefined || done.broken.has(name)) continue',
        'if (setId === undefined || digest === undefined) continue',
      ],
    ],
    caughtBy: { probe: 'ownership' },
  },
  {
    name: 'a set of another owner can be declared',
    file: 'plan/ownership.ts',
    edits: [
      [
        'return owner !== undefined && owner !== this.owner',
        'return owner === undefined && owner !== this.owner',
      ],
    ],
    caughtBy: { probe: 'ownership' },
  },
  {
    name: 'an unlisted set that differs is adopted without approval',
    file: 'plan/guards.ts',
    edits: [['return isOurs || selects(adopt, {', "return isOurs || selects(['*'], {"]],
    caughtBy: { probe: 'guards' },
  },
  {
    name: 'the repair of drift loses a secret without approval',
    file: 'plan/guards.ts',
    edits: [
      [
        'if (entry === undefined || isOutdated(entry, pair)) return []',
        'if (entry === undefined || adoptsDifferent.length > 0) return []',
      ],
    ],
    caughtBy: { probe: 'guards' },
  },
  {
    name: 'a set is deleted while it reaches workspaces',
    file: 'plan/guards.ts',
    edits: [['if (reached === undefined) return []', 'if (reached !== "") return []']],
    caughtBy: { probe: 'guards' },
  },
  {
    name: 'a protected set is deleted',
    file: 'plan/guards.ts',
    edits: [['selects(guards.protect, { name, id: subject.id })', 'guards.protect.includes(`${name} `)']],
    caughtBy: { probe: 'guards' },
  },
  {
    name: 'any share of the variables may be deleted',
    file: 'plan/guards.ts',
    edits: [['all < SHARE_FROM || count * 100 <= most * all', 'all < SHARE_FROM || count <= most * all']],
    caughtBy: { probe: 'guards' },
  },
  {
    name: 'three sets may be deleted if there are few',
    file: 'plan/guards.ts',
    edits: [['lost.sets > MOST_SET_DELETIONS', 'lost.sets > MOST_SET_DELETIONS + 1']],
    caughtBy: { probe: 'guards' },
  },
  {
    name: 'files without a set delete everything',
    file: 'plan/guards.ts',
    edits: [
      [
        'match.pairs.length === 0 && match.outsideSelection === 0',
        'match.pairs.length === 0 && match.outsideSelection > 0',
      ],
    ],
    caughtBy: { probe: 'guards' },
  },
  {
    name: '--auto-approve overrides a guard',
    file: 'run/commands/decide.ts',
    edits: [['if (blocks.length > 0)', 'if (blocks.length > 0 && !consent.autoApprove)']],
    caughtBy: { probe: 'consent' },
  },
  {
    name: 'a plan file that says blocked needs no digest',
    file: 'run/commands/decide.ts',
    edits: [['one.plan.blocked && !approved', 'plan.blocked && !approved']],
    caughtBy: { probe: 'consent' },
  },
  {
    name: 'the digest of a plan file approves what the file does not name',
    file: 'plan/plan-data.ts',
    edits: [['!known.has(identityOf(block))', '!known.has(identityOf(block)) && known.size === 0']],
    caughtBy: { probe: 'consent' },
  },
  {
    name: 'any digest approves',
    file: 'run/commands/decide.ts',
    edits: [['one === digest ||', 'one !== digest ||']],
    caughtBy: { probe: 'consent' },
  },
  {
    name: 'the checksum of a saved plan is not verified',
    file: 'plan/reviewed-plan.ts',
    edits: [['return whole === text && plan.digest', 'return whole !== "" && plan.digest']],
    caughtBy: { probe: 'plan file' },
  },
  {
    name: 'a saved plan is executed even if something changed',
    file: 'plan/reviewed-plan.ts',
    edits: [
      [
        "if (other !== undefined && texts.has(textOf(other.operation))) return 'planned'",
        "if (other !== undefined) return 'planned'",
      ],
    ],
    caughtBy: { probe: 'plan file' },
  },
  {
    name: 'an operation that was not reviewed is executed',
    file: 'plan/reviewed-plan.ts',
    edits: [['if (!reviewedById.has(step.id) && !isOptional', 'if (reviewedById.size === 0 && !isOptional']],
    caughtBy: { probe: 'plan file' },
  },
  {
    name: 'new steps start after a signal',
    file: 'apply/schedule.ts',
    edits: [["if (options.stop.aborted) stopped ??= 'interrupted'", '']],
    caughtBy: { probe: 'failed steps' },
  },
  {
    name: 'requests are repeated after a signal',
    file: 'api/retry.ts',
    edits: [['signal?.aborted === true || stop?.aborted === true', 'signal?.aborted === true']],
    caughtBy: { probe: 'storm' },
  },
  {
    name: 'after a signal the exit code is 0',
    file: 'run/exit-codes.ts',
    edits: [['clean && !interrupted &&', 'clean &&']],
    caughtBy: { probe: 'signals' },
  },
  {
    name: 'the second signal is ignored',
    file: 'cli/run-program.ts',
    edits: [['if (received !== undefined) abandon.abort()', '']],
    caughtBy: { probe: 'signals' },
  },
  {
    name: 'waiting requests are sent after a signal',
    file: 'api/client.ts',
    edits: [
      ["stop?.aborted === true && request.method !== 'GET'", "stop?.aborted === true && request.path === ''"],
    ],
    caughtBy: { probe: 'storm' },
  },
  {
    name: 'waiting requests are sent after the token was rejected',
    file: 'api/client.ts',
    edits: [['if (response.status === 401) refused.abort()', '']],
    caughtBy: { probe: 'storm' },
  },
]
