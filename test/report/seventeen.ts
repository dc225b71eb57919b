import type { ObservedSet, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import type { SetOrigin } from '../../src/plan/plan-data.ts'
import type { Report } from '../../src/report/index.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { typedAs } from '../support/typed.ts'
import { aResult } from './build.ts'

// The reports by which a change of their layout is judged, beside those of `rich.ts`: from files and a service, with every fact.

const WORKSPACES = Array.from({ length: 60 }, (_, at) => ({
  id: `ws-${at}` as const,
  name: `${['payments', 'network', 'search'][at % 3]}-${['prod', 'dev'][at % 2]}-${at}`,
  project: 'prj-1' as const,
}))

const files = (...sets: readonly ResolvedSet[]): ResolvedState => ({
  ...aDesiredState(...sets),
  directory: { workspaces: WORKSPACES, projects: [{ id: 'prj-1', name: 'all' }] },
})

const live = (...sets: readonly ObservedSet[]) => ({ ...anObservedState(...sets), hasAllWorkspaces: true })

const HIDDEN = { hidden: true } as const
const secret = (name: string, version?: string) => ({ secret: { name, ...(version && { version }) } })
const many = (count: number) => Array.from({ length: count }, (_, at) => `set-${String(at).padStart(3, '0')}`)
const reach = (count: number) => ({ workspaces: WORKSPACES.slice(0, count).map(({ id }) => id) })

const plan = (desired: ResolvedState, observed: ReturnType<typeof live>): Report => ({
  kind: 'plan',
  plan: planOf(desired, observed),
  typed: typedAs('plan'),
})

const ONE = plan(
  files(aSet('payments-prod', { variables: { 'env/LOG_LEVEL': 'info' }, ...reach(2) })),
  live(anObserved('1', 'payments-prod', { variables: { 'env/LOG_LEVEL': 'debug' }, ...reach(2) })),
)

const TWELVE = plan(
  files(
    ...many(4).map(name => aSet(name, { variables: { 'env/A': 'new', 'env/B': secret('B') }, ...reach(3) })),
    ...many(8)
      .slice(4)
      .map(name =>
        aSet(name, {
          variables: { 'env/A': 'after', 'terraform/zones': { value: '["a"]', hcl: true } },
          ...reach(12),
        }),
      ),
    aSet('everywhere', { global: true, variables: { 'env/PROXY': 'http://p:3128' } }),
    aSet('strong', { priority: true, variables: { 'env/TOKEN': secret('TOKEN', '2') }, ...reach(1) }),
  ),
  live(
    ...many(8)
      .slice(4)
      .map((name, at) =>
        anObserved(`${at}`, name, { variables: { 'env/A': 'before', 'env/OLD': 'x' }, ...reach(6) }),
      ),
    anObserved('e', 'everywhere', { variables: { 'env/PROXY': 'http://old:3128' }, ...reach(4) }),
    anObserved('s', 'strong', { variables: { 'env/TOKEN': HIDDEN } }),
  ),
)

const NEW = plan(
  files(
    ...many(300).map(name =>
      aSet(name, {
        variables: { [`env/${name.toUpperCase().replace('-', '_')}`]: secret('S') },
        ...reach(2),
      }),
    ),
    aSet('old', { variables: { 'env/A': '2' }, ...reach(30) }),
  ),
  live(anObserved('o', 'old', { variables: { 'env/A': '1' }, ...reach(30) })),
)

const ALIKE = plan(
  files(...many(300).map(name => aSet(name, { variables: { 'env/LEVEL': 'info' } }))),
  live(...many(300).map((name, at) => anObserved(`${at}`, name, { variables: { 'env/LEVEL': 'debug' } }))),
)

const BLOCKED = plan(
  {
    ...files(aSet('stays')),
    removed: many(6).map(name => ({ name, source: { path: 'sets/gone.yaml', line: 3, column: 5 } })),
  },
  live(
    anObserved('k', 'stays'),
    ...many(6).map((name, at) =>
      anObserved(`${at}`, name, { variables: { [`env/K${at}`]: HIDDEN }, ...reach(at * 4) }),
    ),
  ),
)

const SECRETS = plan(
  files(
    aSet('db', {
      variables: {
        'env/HOST': 'db.example',
        'env/LEGACY': { value: { external: true }, description: '' },
        'env/NEW': secret('NEW'),
        'env/PASSWORD': secret('DB_PASSWORD', '2026-11'),
        'terraform/creds': { value: secret('CREDS'), hcl: true },
      },
      ...reach(2),
    }),
  ),
  live(
    anObserved('1', 'db', {
      variables: {
        'env/GONE': HIDDEN,
        'env/HOST': HIDDEN,
        'env/LEGACY': { value: HIDDEN, description: 'old' },
        'env/PASSWORD': 'readable',
        'terraform/creds': HIDDEN,
      },
      ...reach(2),
    }),
  ),
)

const MOVES = plan(
  files(
    aSet('platform', { previousNames: ['common'], variables: { 'env/A': '1' }, ...reach(3) }),
    aSet('web', { variables: { 'env/PORT': '443' }, ...reach(3) }),
    aSet('shared', { variables: { 'env/X': '1' }, ...reach(3) }),
  ),
  live(
    anObserved('1', 'common', { variables: { 'env/A': '1' }, ...reach(3) }),
    anObserved('2', 'shared', { variables: { 'env/X': '1', 'env/PORT': '443' }, ...reach(3) }),
    anObserved('3', 'web', reach(3)),
  ),
)

const GAP = plan(
  files(
    aSet('proxy', { global: true, variables: { 'env/HTTP_PROXY': 'http://p:3128' } }),
    aSet('base', { global: true, variables: { 'env/X': '1' } }),
  ),
  live(
    anObserved('2', 'base', { global: true, variables: { 'env/X': '1', 'env/HTTP_PROXY': 'http://p:3128' } }),
    anObserved('3', 'proxy', { global: true }),
  ),
)

const ORIGINS: readonly SetOrigin[] = [
  {
    set: 'aws',
    updatedAt: '2026-11-20T03:12:45.000Z',
    items: { 'env/A': 'outside', 'env/B': 'not-applied' },
  },
  { set: 'net', items: { 'env/C': 'outside' } },
]

const DRIFTED = planOf(
  files(
    aSet('aws', { variables: { 'env/A': '1', 'env/B': '1' }, ...reach(4) }),
    aSet('net', { variables: { 'env/C': '1' }, ...reach(20) }),
  ),
  live(
    anObserved('1', 'aws', { variables: { 'env/A': '2', 'env/B': '0' }, ...reach(4) }),
    anObserved('2', 'net', { variables: { 'env/C': 'x' }, ...reach(20) }),
  ),
)

const withOrigins = (base: object): typeof DRIFTED => ({
  ...DRIFTED,
  facts: { ...DRIFTED.facts, origins: ORIGINS, ...base },
})

const BASE = {
  base: {
    ref: 'origin/main',
    commit: 'c0ffee',
    loosened: [{ setting: 'guards.deletions', base: '30%', head: '100%' }],
  },
}

const HIT = {
  rule: 'no-readable-keys',
  level: 'error',
  message: 'AWS keys have to be secrets.',
  item: { kind: 'variable', set: 'net', key: 'env/C' },
  source: { path: 'sets/net.yaml', line: 4, column: 7 },
  at: { path: 'rules/keys.yaml', line: 2, column: 3 },
} as const

const LONG = plan(
  files(
    aSet('long', {
      description: 'What everybody should know. '.repeat(20),
      variables: {
        'env/LINE': `${'x'.repeat(300)}-new`,
        'terraform/json': `${Array.from({ length: 40 }, (_, at) => `"rule-${at}": ${at === 7}`).join(',\n')}\n`,
      },
      ...reach(1),
    }),
  ),
  live(
    anObserved('1', 'long', {
      variables: {
        'env/LINE': `${'x'.repeat(300)}-old`,
        'terraform/json': Array.from({ length: 40 }, (_, at) => `"rule-${at}": ${at === 8}`).join(',\n'),
      },
      ...reach(1),
    }),
  ),
)

const SIX_HUNDRED = planOf(
  files(...many(300).map(name => aSet(name, { variables: { 'env/A': '1' }, ...reach(2) }))),
  live(...many(300).map((name, at) => anObserved(`${at}`, name))),
)

export const SEVENTEEN: Readonly<Record<string, Report>> = {
  'one-variable': ONE,
  'twelve-sets': TWELVE,
  'new-sets-300': NEW,
  'same-change-300': ALIKE,
  'deletions-blocked': BLOCKED,
  secrets: SECRETS,
  'rename-and-moves': MOVES,
  'gap-between-global-sets': GAP,
  'drift-origins': { kind: 'drift', plan: withOrigins({}), typed: typedAs('drift') },
  'plan-base': { kind: 'plan', plan: withOrigins(BASE), typed: typedAs('plan') },
  'rules-forbid': { kind: 'plan', plan: { ...DRIFTED, hits: [HIT] }, typed: typedAs('plan') },
  'apply-interrupted-600': {
    kind: 'apply',
    result: aResult(
      SIX_HUNDRED,
      Object.fromEntries(
        SIX_HUNDRED.steps
          .slice(200)
          .map(({ id }) => [id, { status: 'skipped', because: 'stopped' } as const]),
      ),
      { exitCode: 130, stopped: 'SIGINT', closing: { state: 'differs', remaining: SIX_HUNDRED } },
    ),
    typed: typedAs('apply'),
  },
  'long-texts': LONG,
}
