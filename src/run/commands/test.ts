import { dirname, resolve } from 'node:path'
import { lookUpsOf, settled } from '../../api/look-ups.ts'
import { loadCases, type RuleCase } from '../../config/cases.ts'
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts'
import { fieldsOf, serviceNameOf, settingsOf } from '../../model/fields.ts'
import { assignmentsOf, listIn, listsOf, type VariableSetId } from '../../model/ids.ts'
import type { EntryContent, Inventory, SecretRecord } from '../../model/inventory.ts'
import type { CaseResult, ExpectedHit, Rule, RuleHit, RuleTestResult } from '../../model/rule.ts'
import {
  type DesiredState,
  type ObservedSet,
  type ObservedState,
  partlyKnown,
  type ResolvedSet,
} from '../../model/variable-set.ts'
import { desiredDigest, externalState } from '../../plan/ownership.ts'
import { resolveNames } from '../../plan/resolve-names.ts'
import { madeFrom } from '../plan.ts'
import { openRules, type RuleJudge } from '../rule-judge.ts'
import type { Run } from '../run.ts'
import { required } from './ending.ts'
import { loadOptions } from './load-files.ts'

/** Runs the cases of rules: of these directories, or of `rules` beside the configuration. Needs no service. */
export async function test(run: Run, named: readonly string[]): Promise<RuleTestResult> {
  const beside = dirname(resolve(run.cwd, run.options.config ?? 'setpoint.yaml'))
  const directories =
    named.length === 0
      ? [{ path: resolve(beside, 'rules'), shown: 'rules' }]
      : named.map(shown => ({ path: resolve(run.cwd, shown), shown }))
  const { rules, cases } = required(run, loadCases(loadOptions(run), directories))
  const tested = required(run, { value: undefined, ...(await testRules(rules, cases)) })
  return run.redactor.in(tested)
}

/**
 * The result of every case, or every mistake in the expressions of the rules. Reads nothing, because each case has its own
 * made-up service. `budget`: milliseconds for the rules of one case.
 */
export async function testRules(
  rules: readonly Rule[],
  cases: readonly RuleCase[],
  budget?: number,
): Promise<{ readonly value?: RuleTestResult; readonly diagnostics: readonly Diagnostic[] }> {
  const judge = openRules({ rules, budget })
  try {
    const diagnostics = (await judge?.mistakes()) ?? []
    if (hasErrors(diagnostics)) return { diagnostics }
    const results: CaseResult[] = []
    for (const one of cases) {
      const result = await testCase(one, judge)
      // Every further case would take as long.
      const endless = result.problems.filter(({ code }) => code === 'rule-too-expensive')
      if (endless.length > 0) return { diagnostics: endless }
      results.push(result)
    }
    const triggered = new Set(results.flatMap(({ hits }) => hits.map(({ rule }) => rule)))
    const untested = rules
      .filter(({ id }) => !triggered.has(id))
      .map(({ id: rule, source }) => ({ rule, source }))
    return { value: { cases: results, rules: rules.length, untested }, diagnostics }
  } finally {
    await judge?.close()
  }
}

async function testCase(one: RuleCase, judge: RuleJudge | undefined): Promise<CaseResult> {
  const lookUps = lookUpsOf(one.directory)
  const before = await settled(lookUps, told => resolveNames(one.before, told))
  if (before.value === undefined) return resultOf(one, [], before.diagnostics)
  const observed = observedOf(one.before, before.value.sets)
  const source = { address: 'sandbox', observe: async () => observed, lookUps, reads: () => 0 }
  const { value: made, diagnostics } = await madeFrom(one.after, source, {
    judge: judge?.judge,
  })
  const problems = diagnostics.filter(
    ({ severity, code }) => severity === 'error' && code !== 'rule-violated',
  )
  return resultOf(one, made?.plan.hits ?? [], problems)
}

/** A service with these sets, as an apply of this owner left them. */
function observedOf({ organization, owner }: DesiredState, sets: readonly ResolvedSet[]): ObservedState {
  const observed = sets.map(observedSet)
  if (owner === undefined || sets.length === 0) return { organization, sets: observed, pages: 1 }
  const inventory: Inventory = {
    owner,
    id: setIdOf(0),
    entries: sets.map((set, at) => ({
      setId: observed[at]?.id ?? setIdOf(0),
      variableId: `var-${digits(at)}`,
      damaged: false,
      digest: desiredDigest(set),
      name: serviceNameOf(set),
      secrets: recordsOf(set),
      external: externalOf(set, observed[at]),
      parent: set.parent,
    })),
  }
  return { organization, sets: observed, inventories: [inventory], pages: 1 }
}

/** Whatever its file declares is in the service. */
const observedSet = (set: ResolvedSet, at: number): ObservedSet =>
  partlyKnown({
    ...set,
    ...settingsOf(set),
    ...assignmentsOf(listsOf(kind => listIn(set, kind) ?? [])),
    id: set.id ?? setIdOf(at + 1),
    variables: set.variables.map(({ key, value, ...variable }, index) => ({
      id: `var-${digits((at + 1) * MOST + index)}`,
      key,
      // The value of an external variable is unknown.
      value: 'text' in value ? { text: value.text } : { hidden: true },
      ...fieldsOf(variable),
    })),
  })

const recordsOf = ({ variables }: ResolvedSet): Readonly<Record<string, SecretRecord>> =>
  Object.fromEntries(
    variables.flatMap(({ key, value }) =>
      'secret' in value ? [[key, { name: value.secret.name, version: value.secret.version }]] : [],
    ),
  )

const externalOf = (
  { variables }: ResolvedSet,
  observed: ObservedSet | undefined,
): EntryContent['external'] =>
  Object.fromEntries(
    variables.flatMap(variable => {
      const state = externalState(variable, observed)
      return state === undefined ? [] : [[variable.key, state]]
    }),
  )

/** More than the variables of a set of a case. */
const MOST = 1_000_000

const digits = (at: number): string => String(at).padStart(16, '0')
const setIdOf = (at: number): VariableSetId => `varset-${digits(at)}`

/** Compares the hits of a plan with those that a case expects. */
function resultOf(
  { name, source, expected }: Pick<RuleCase, 'name' | 'source' | 'expected'>,
  hits: readonly RuleHit[],
  problems: readonly Diagnostic[],
): CaseResult {
  const missing = expected.filter(one => !hits.some(hit => isExpected(one, hit)))
  const unexpected = hits.filter(hit => !expected.some(one => isExpected(one, hit)))
  const passed = missing.length + unexpected.length + problems.length === 0
  return { name, source, passed, hits, missing, unexpected, problems }
}

const isExpected = ({ rule, set, key }: ExpectedHit, hit: RuleHit): boolean =>
  rule === hit.rule &&
  (set === undefined || set === hit.item.set) &&
  (key === undefined || key === hit.item.key)
