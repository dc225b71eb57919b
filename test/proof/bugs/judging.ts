import type { Bug } from './bug.ts'

/** Rules, and the list of affected workspaces. */
export const JUDGING: readonly Bug[] = [
  {
    name: 'a change can delete a rule of its base',
    file: 'rules/judge.ts',
    edits: [['return [...strict, ...base.filter(rule => !same.has(rule))]', 'return [...strict]']],
    caughtBy: { probe: 'rules' },
  },
  {
    name: 'a change can lower a rule of its base',
    file: 'rules/judge.ts',
    edits: [['levelRank(before.level) > levelRank(rule.level)', 'levelRank(before.level) > 99']],
    caughtBy: { probe: 'rules' },
  },
  {
    name: 'a violated rule of the level block blocks nothing',
    file: 'run/rule-judge.ts',
    edits: [['blocked: plan.blocked || blocks.length > 0', 'blocked: plan.blocked']],
    caughtBy: { probe: 'rules' },
  },
  {
    name: 'an approval also covers other violations of rules',
    file: 'plan/reviewed-plan.ts',
    edits: [['if (blocking.length > 0) hash.update(', 'if (blocking.length > 99) hash.update(']],
    caughtBy: { probe: 'rules' },
  },
  {
    name: 'a rule sees values that reports hide',
    file: 'plan/planned.ts',
    edits: [
      [
        "value: 'text' in value && !hidden ? value.text : undefined,\n    before:",
        "value: 'text' in value ? value.text : undefined,\n    before:",
      ],
    ],
    caughtBy: { probe: 'rules' },
  },
  {
    name: 'gained or lost priority affects no workspace',
    file: 'plan/effective/seen.ts',
    edits: [
      [
        "isKnown && before.set.priority !== after.set.priority ? 'precedence'",
        "isKnown && before === after ? 'precedence'",
      ],
    ],
    caughtBy: { probe: 'affected' },
  },
  {
    name: 'workspaces that are not in the directory are not reported as unknown',
    file: 'plan/effective/affected-list.ts',
    edits: [['unknown: unknownIn(all, input)', 'unknown: undefined']],
    caughtBy: { probe: 'affected' },
  },
]
