import type { WorkspaceId } from '../../src/model/ids.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import {
  aPlan,
  assign,
  at,
  create,
  createSet,
  deleteSet,
  external,
  hidden,
  remove,
  secret,
  settings,
  step,
  text,
  unassign,
  update,
  updateSet,
} from './build.ts'

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(i + 1).padStart(2, '0'))
const policy = (region: string): string =>
  `${['{', '  "version": 3,', ...numbered(12).map(n => `  "rule-${n}": "allow",`), `  "region": "${region}"`, '}'].join('\n')}\n`
const longLine = (zone: string): string =>
  `${numbered(30)
    .map(n => `host-${n}.internal`)
    .join(',')},${zone}.example,${numbered(20).join(',')}`

const ws = (number: number): WorkspaceId => `ws-${String(number).padStart(16, '0')}`
const WORKSPACES = Array.from({ length: 212 }, (_, i) => ws(i + 1))
/** Those of one project. */
const PAYMENTS = WORKSPACES.slice(7, 21)

/** A plan with one of everything. */
export const RICH: Plan = aPlan(
  [
    step(
      'update-variable aws-prod env/AWS_REGION',
      update('aws-prod', text('env/AWS_REGION', 'eu-west-1'), text('env/AWS_REGION', 'eu-central-1')),
      at('sets/aws.yaml', 15),
    ),
    step(
      'update-variable aws-prod env/AWS_SECRET_ACCESS_KEY',
      update('aws-prod', hidden('env/AWS_SECRET_ACCESS_KEY'), secret('env/AWS_SECRET_ACCESS_KEY', '8')),
      at('sets/aws.yaml', 16),
    ),
    step(
      'update-variable aws-prod terraform/policy',
      update(
        'aws-prod',
        text('terraform/policy', policy('eu-west-1')),
        text('terraform/policy', policy('eu-central-1')),
      ),
      at('sets/aws.yaml', 18),
    ),
    step(
      'update-variable aws-prod terraform/hosts',
      update('aws-prod', text('terraform/hosts', longLine('old')), text('terraform/hosts', longLine('new'))),
      at('sets/aws.yaml', 19),
    ),
    step(
      'update-variable aws-prod terraform/zone',
      update(
        'aws-prod',
        text('terraform/zone', '["eu-west-1a", "eu-west-1b"]', { hcl: false }),
        text('terraform/zone', '["eu-central-1a", "eu-central-1b"]', {
          hcl: true,
          description: 'Zones in use.',
        }),
      ),
      at('sets/aws.yaml', 20),
    ),
    step(
      'assign aws-prod projects',
      assign('aws-prod', { kind: 'projects', ids: ['prj-0000000000000001'] }),
      at('sets/aws.yaml', 12),
    ),
    step(
      'unassign aws-prod workspaces',
      unassign('aws-prod', {
        kind: 'workspaces',
        ids: [
          'ws-0000000000000001',
          'ws-0000000000000002',
          'ws-0000000000000003',
          'ws-0000000000000004',
          'ws-0000000000000005',
        ],
      }),
      at('sets/aws.yaml', 12),
      ['assign aws-prod projects'],
    ),
    step(
      'delete-variable base env/HTTP_PROXY',
      remove('base', text('env/HTTP_PROXY', 'http://p:3128')),
      at('sets/net.yaml', 3),
    ),
    step(
      'update-set proxy',
      updateSet(settings('proxy'), settings('proxy', { global: true, description: 'Everyone’s way out.' })),
      at('sets/net.yaml', 9),
      ['delete-variable base env/HTTP_PROXY'],
    ),
    step(
      'create-variable proxy env/HTTP_PROXY',
      create('proxy', text('env/HTTP_PROXY', 'http://p:3128')),
      at('sets/net.yaml', 12),
    ),
    step(
      'create-variable proxy env/NO_PROXY',
      create('proxy', text('env/NO_PROXY', 'localhost,127.0.0.1')),
      at('sets/net.yaml', 13),
    ),
    step(
      'update-set platform-common',
      updateSet(settings('common'), settings('platform-common')),
      at('sets/common.yaml', 2),
    ),
    step('delete-variable db env/DB_HOST', remove('db', hidden('env/DB_HOST'), true), at('sets/db.yaml', 4)),
    step(
      'create-variable db env/DB_HOST',
      create('db', text('env/DB_HOST', 'db.internal'), true),
      at('sets/db.yaml', 6),
      ['delete-variable db env/DB_HOST'],
    ),
    step(
      'delete-variable db terraform/credentials',
      remove('db', hidden('terraform/credentials'), true),
      at('sets/db.yaml', 4),
    ),
    step(
      'create-variable db terraform/credentials',
      create('db', { ...secret('terraform/credentials'), hcl: true }, true),
      at('sets/db.yaml', 7),
      ['delete-variable db terraform/credentials'],
    ),
    step(
      'update-variable db env/DB_PASSWORD',
      update('db', text('env/DB_PASSWORD', 'hunter2'), secret('env/DB_PASSWORD')),
      at('sets/db.yaml', 8),
    ),
    step(
      'update-variable db env/LEGACY_TOKEN',
      update('db', hidden('env/LEGACY_TOKEN'), external('env/LEGACY_TOKEN', 'Set by the database team.')),
      at('sets/db.yaml', 9),
    ),
    step(
      'create-set aws-dev',
      createSet('aws-dev', {
        description: 'Keys of the development account.',
        priority: true,
        variables: [
          text('env/AWS_REGION', 'eu-central-1'),
          secret('env/AWS_SECRET_ACCESS_KEY'),
          text('terraform/subnets', '["subnet-a", "subnet-b"]', { hcl: true }),
        ],
        workspaces: ['ws-0000000000000006', 'ws-0000000000000007'],
      }),
      at('sets/aws.yaml', 30),
    ),
    step(
      'delete-set legacy-x',
      deleteSet('legacy-x', {
        variables: [hidden('env/OLD_TOKEN'), text('env/OLD_URL', 'https://old'), text('terraform/old', '1')],
        workspaces: ['ws-0000000000000001', 'ws-0000000000000002'],
      }),
      at('sets/old.yaml', 1),
    ),
  ],
  {
    blocks: [
      {
        code: 'loses-values',
        message: '"legacy-x" is deleted and still reaches 2 workspaces.',
        item: { kind: 'set', set: 'legacy-x' },
        source: at('sets/old.yaml', 1),
      },
    ],
    diagnostics: [
      {
        severity: 'warning',
        code: 'hcl-of-secret',
        message:
          '"terraform/ca" of "db" is sensitive and not HCL in the service. That cannot change without its value.',
        hint: 'Write `secret: NAME` to replace it, or remove `hcl`.',
        source: at('sets/db.yaml', 10),
      },
    ],
    facts: {
      findings: [
        {
          kind: 'missing',
          set: 'db',
          key: 'env/DB_CERT',
          workspaces: 40,
          source: at('sets/db.yaml', 12),
        },
      ],
      equalSets: 57,
      undeclaredSets: 154,
      observedSets: 217,
      unmanagedAssignments: [
        { set: 'base', count: 38 },
        { set: 'db', count: 2 },
      ],
      secretsNotCompared: 2,
      secretsToWrite: 4,
      externals: 4,
      transition: {
        workspaces: 212,
        seeing: 212,
        gaps: [
          {
            key: 'env/HTTP_PROXY',
            before: { set: 'base', text: 'http://p:3128' },
            after: { set: 'proxy', text: 'http://p:3128' },
            between: ['delete-variable base env/HTTP_PROXY', 'update-set proxy'],
            why: 'slot',
            count: 212,
            workspaces: [],
            projects: [],
            others: false,
          },
        ],
        left: 0,
      },
      exposure: [
        {
          kind: 'secret',
          set: 'aws-dev',
          keys: ['env/AWS_SECRET_ACCESS_KEY'],
          audience: { count: 2, workspaces: [ws(6), ws(7)], projects: [], others: false },
        },
        {
          kind: 'secret',
          set: 'aws-prod',
          keys: ['env/AWS_SECRET_ACCESS_KEY'],
          audience: {
            count: 14,
            workspaces: PAYMENTS,
            projects: [],
            others: false,
            whole: [{ project: 'prj-0000000000000001', count: 14 }],
          },
        },
        {
          kind: 'global',
          set: 'proxy',
          keys: ['env/HTTP_PROXY', 'env/NO_PROXY'],
          global: true,
          audience: { count: 212, workspaces: [], projects: [], others: false },
        },
      ],
      received: {
        level: 'workspaces',
        known: 212,
        withoutProject: 0,
        changes: [
          {
            kind: 'value',
            key: 'env/AWS_REGION',
            before: { set: 'aws-prod', id: 'varset-0000000000000001', text: 'eu-west-1' },
            after: { set: 'aws-prod', id: 'varset-0000000000000001', text: 'eu-central-1' },
          },
          {
            kind: 'winner',
            key: 'env/AWS_SECRET_ACCESS_KEY',
            before: { set: 'aws-old' },
            after: { set: 'aws-prod', id: 'varset-0000000000000001', secret: true },
            why: 'scope',
          },
          {
            kind: 'source',
            key: 'env/HTTP_PROXY',
            before: { set: 'base', text: 'http://p:3128' },
            after: { set: 'proxy', text: 'http://p:3128' },
            why: 'gone',
          },
          { kind: 'gained', key: 'env/NO_PROXY', after: { set: 'proxy', text: 'localhost,127.0.0.1' } },
          { kind: 'lost', key: 'env/OLD_URL', before: { set: 'legacy-x', text: 'https://old' } },
          {
            kind: 'winner',
            key: 'env/REGION',
            before: { set: 'common', text: 'eu-west-1' },
            after: { set: 'net-base', text: 'eu-central-1' },
            why: 'name',
          },
          { kind: 'gained', key: 'terraform/policy', after: { set: 'aws-prod' } },
          { kind: 'gained', key: 'terraform/zone', after: { set: 'aws-prod' } },
          {
            kind: 'priority',
            key: 'terraform/zone',
            before: { set: 'aws-dev', id: 'varset-0000000000000002' },
            after: { set: 'aws-dev', id: 'varset-0000000000000002', priority: true },
          },
        ],
        groups: [
          { members: [1, 2, 3, 5, 6, 7].map(ws), changes: [2, 3, 5] },
          { members: [ws(4)], changes: [0, 2, 3, 4] },
          { members: PAYMENTS, changes: [1, 2, 3, 6, 7] },
          { members: WORKSPACES.slice(21, -1), changes: [2, 3] },
          { members: WORKSPACES.slice(-1), changes: [2, 3, 8] },
          { members: ['st-0000000000000001'], changes: [3] },
        ],
        sizes: { 'prj-0000000000000001': 14 },
      },
    },
    names: {
      'prj-0000000000000001': 'payments',
      'ws-0000000000000001': 'network-prod',
      'ws-0000000000000002': 'network-dev',
      'ws-0000000000000003': 'network-test',
      'ws-0000000000000004': 'data-prod',
      'ws-0000000000000006': 'sandbox-a',
      'ws-0000000000000007': 'sandbox-b',
    },
    projectOf: Object.fromEntries(PAYMENTS.map(id => [id, 'prj-0000000000000001'])),
  },
)
