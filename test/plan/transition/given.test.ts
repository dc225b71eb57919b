import { expect, test } from 'vitest'
import type { Targets } from '../../../src/model/ids.ts'
import type { Contender } from '../../../src/plan/effective/cells.ts'
import type { Operation } from '../../../src/plan/operation.ts'
import { stepsAt } from '../../../src/plan/transition/given.ts'

const subject = { kind: 'variable-set', name: 'a', id: 'varset-1' } as const
const moved = (type: 'assign' | 'unassign', kind: Targets['kind']): Operation => ({
  ...{ type, subject },
  targets: { kind, ids: [] } as Targets,
})
const STEPS: readonly Operation[] = (['workspaces', 'projects', 'stacks'] as const).flatMap(kind => [
  moved('assign', kind),
  moved('unassign', kind),
])
const shared = STEPS.map((operation, node) => ({ node, operation }))

/** The steps of a set that concern members which receive it in these ways before and after. */
function concerning(direct: Contender['direct'], through: Contender['through']): string[] {
  const contender: Contender = { set: {}, direct, through, source: [undefined, undefined] }
  return stepsAt(contender, 'env/K', { shared, own: new Map() }).map(({ operation }) =>
    'targets' in operation ? `${operation.type} ${operation.targets.kind}` : operation.type,
  )
}

const [YES, NO] = [
  [true, true],
  [false, false],
] as const

test.each([
  ['nothing', NO, NO, []],
  ['the same', YES, YES, []],
  ['a new assignment', [false, true], NO, ['assign workspaces']],
  ['an assignment less', [true, false], NO, ['unassign workspaces']],
  ['a new project', NO, [false, true], ['assign projects']],
  [
    'a project in place of the assignment',
    [true, false],
    [false, true],
    ['unassign workspaces', 'assign projects'],
  ],
] as const)(
  'an assignment concerns only members that it adds or removes: %s',
  (_, direct, through, steps) => {
    expect(concerning(direct, through)).toEqual(steps)
  },
)
