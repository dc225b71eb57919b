import type { Rule, RuleHit } from '../../../../src/model/rule.ts'
import { matchStates } from '../../../../src/plan/match-states.ts'
import { plannedOf } from '../../../../src/plan/planned.ts'
import { NOTHING_TOLD } from '../../../../src/plan/reach.ts'
import { rulesInForce } from '../../../../src/rules/judge.ts'
import { withRuleHits } from '../../../../src/run/rule-judge.ts'
import { planOf } from '../../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../../support/states.ts'
import { PROJECTS, WORKSPACES } from '../../../support/world.ts'
import { differing, type Probe } from './probe.ts'

const RULE: Rule = {
  id: 'a',
  for: 'set',
  require: { text: 'set.name != ""', pieces: [] },
  message: 'No.',
  level: 'block',
  source: SOMEWHERE,
}
const HIT: RuleHit = { rule: 'a', level: 'block', message: 'No.', item: { kind: 'set', set: 'a' } }
const files = aDesiredState(aSet('a', { variables: { 'env/A': '1' } }))

/** A change cannot weaken the rules of its base, and rules do not see hidden values. */
export const rules: Probe = () => {
  const plan = planOf(files, anObservedState())
  const levels = (head: readonly Rule[]) => rulesInForce(head, [RULE]).map(({ level }) => level)
  const judged = withRuleHits(plan, [HIT], [])
  const other = withRuleHits(plan, [{ ...HIT, item: { kind: 'set', set: 'b' } }], [])
  const { match } = matchStates(files, anObservedState(), [], [])
  const told = NOTHING_TOLD
  const secrecy = { hidesBefore: () => true, hidesAfter: () => true, hidden: [] }
  const { sets } = plannedOf(plan, match, told, secrecy)
  return [
    ...differing('a deleted rule of the base', ['block'], levels([])),
    ...differing('a lowered rule of the base', ['block'], levels([{ ...RULE, level: 'warn' }])),
    ...differing('a violated rule', true, judged.blocked),
    ...differing('equal digests of two violations', false, judged.digest === other.digest),
    ...differing(
      'a hidden value',
      [[undefined, true]],
      sets.flatMap(({ variables }) => variables.map(({ value, hidden }) => [value, hidden])),
    ),
  ]
}

/** Workspaces that are affected by a change of priority, and a project whose workspaces are unknown. */
export const affected: Probe = () => {
  const [workspace] = WORKSPACES
  const [project] = PROJECTS
  const variables = { variables: { 'env/A': '1' } }
  const assigned = { ...variables, workspaces: [workspace] }
  const stronger = planOf(
    aDesiredState(aSet('a', { ...assigned, priority: true })),
    anObservedState(anObserved('1', 'a', assigned)),
  )
  const seeing = stronger.facts.affected?.workspaces.flatMap(({ members }) => members.map(({ id }) => id))
  const unlisted = planOf(aDesiredState(aSet('a', { ...variables, projects: [project] })), anObservedState())
  return [
    ...differing('gained priority', [workspace], seeing),
    ...differing('a project without its workspaces', [project], unlisted.facts.affected?.unknown?.projects),
  ]
}
