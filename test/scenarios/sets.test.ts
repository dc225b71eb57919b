import { scenario } from './scenario.ts'

scenario(
  'a set is created, changed, emptied and deleted',
  {
    files: `
      variableSets:
        aws:
          description: Keys of the deploy role.
          workspaces: [network-prod]
          projects: [platform]
          env:
            REGION: eu-west-1
          terraform:
            replicas: 3
    `,
    does: ['create-set aws'],
    live: [
      'aws  "Keys of the deploy role."  env/REGION=eu-west-1 terraform/replicas=3  -> network-prod, project platform',
    ],
  },
  {
    files: `
      variableSets:
        aws:
          description: Keys of the deploy role.
          workspaces: [network-prod, network-dev]
          projects: [platform]
          env:
            REGION: eu-central-1
            ZONE: a
          terraform:
            replicas: 3
    `,
    does: ['create-variable aws env/ZONE', 'update-variable aws env/REGION', 'assign aws workspaces'],
    live: [
      'aws  "Keys of the deploy role."  env/REGION=eu-central-1 env/ZONE=a terraform/replicas=3  -> network-dev, network-prod, project platform',
    ],
  },
  {
    files: 'variableSets: { aws: { workspaces: [], projects: [] } }',
    does: [
      'update-set aws',
      'delete-variable aws env/REGION',
      'delete-variable aws env/ZONE',
      'delete-variable aws terraform/replicas',
      'unassign aws workspaces',
      'unassign aws projects',
    ],
    live: ['aws'],
  },
  {
    files: 'removed: [aws]',
    does: ['delete-set aws'],
    live: [],
    guarded: true,
  },
)

scenario(
  'new variables are created one by one, beside an update of the settings',
  { files: 'variableSets: { a: { env: { A: 1 } } }', does: ['create-set a'], live: ['a  env/A=1'] },
  {
    files: 'variableSets: { a: { description: d, env: { A: 1, B: 2, C: 3 } } }',
    does: ['create-variable a env/B', 'create-variable a env/C', 'update-set a'],
    live: ['a  "d"  env/A=1 env/B=2 env/C=3'],
  },
)

scenario(
  'a set that no file declares is kept',
  {
    files: 'variableSets: { a: { env: { A: 1 } }, b: { env: { B: 1 } } }',
    does: ['create-set a', 'create-set b'],
    live: ['a  env/A=1', 'b  env/B=1'],
  },
  {
    files: 'variableSets: { a: { env: { A: 2 } } }',
    does: ['update-variable a env/A'],
    live: ['a  env/A=2', 'b  env/B=1'],
  },
)

scenario(
  'assignments that a file does not mention are kept',
  {
    files: 'variableSets: { a: { workspaces: [w], projects: [p] } }',
    does: ['create-set a'],
    live: ['a  -> project p, w'],
  },
  { files: 'variableSets: { a: { projects: [p] } }', does: [], live: ['a  -> project p, w'] },
  {
    files: 'variableSets: { a: { projects: [q] } }',
    does: ['assign a projects', 'unassign a projects'],
    live: ['a  -> project q, w'],
  },
)

scenario(
  'sets and bases can be in several files',
  {
    files: {
      'sets/base.yaml': `
        bases:
          aws:
            env: { REGION: eu-west-1, ROLE: { required: true } }
            terraform: { zones: { data: [a, b] } }
      `,
      'sets/dev.yaml': 'variableSets: { dev: { from: aws, env: { ROLE: reader } } }',
      'sets/deep/prod.yaml':
        'variableSets: { prod: { from: aws, env: { ROLE: writer, REGION: eu-central-1 } } }',
    },
    does: ['create-set dev', 'create-set prod'],
    live: [
      'dev  env/REGION=eu-west-1 env/ROLE=reader terraform/zones=hcl:["a","b"]',
      'prod  env/REGION=eu-central-1 env/ROLE=writer terraform/zones=hcl:["a","b"]',
    ],
  },
  {
    files: {
      'sets/base.yaml': 'bases: { aws: { env: { REGION: us-east-1, ROLE: { required: true } } } }',
      'sets/dev.yaml': 'variableSets: { dev: { from: aws, env: { ROLE: reader } } }',
      'sets/deep/prod.yaml':
        'variableSets: { prod: { from: aws, env: { ROLE: writer, REGION: eu-central-1 } } }',
    },
    does: [
      'update-variable dev env/REGION',
      'delete-variable dev terraform/zones',
      'delete-variable prod terraform/zones',
    ],
    live: ['dev  env/REGION=us-east-1 env/ROLE=reader', 'prod  env/REGION=eu-central-1 env/ROLE=writer'],
  },
)

scenario(
  'priority is turned on and off',
  { files: 'variableSets: { a: { priority: true } }', does: ['create-set a'], live: ['a  priority'] },
  {
    files: 'variableSets: { a: { priority: true, description: d } }',
    does: ['update-set a'],
    live: ['a  priority "d"'],
  },
  { files: 'variableSets: { a: { description: d } }', does: ['update-set a'], live: ['a  "d"'] },
)

scenario(
  'changes made outside are reverted in managed sets, and unmanaged sets are kept',
  {
    files: 'variableSets: { a: { env: { A: 1 }, workspaces: [w] } }',
    does: ['create-set a'],
    live: ['a  env/A=1  -> w'],
  },
  {
    byHand: sets => [
      ...sets.map(set => ({
        ...set,
        description: 'mine',
        workspaces: [],
        variables: [{ key: 'B', category: 'env', value: '2' }],
      })),
      { name: 'theirs', organization: 'acme' },
    ],
    files: 'variableSets: { a: { env: { A: 1 }, workspaces: [w] } }',
    does: ['create-variable a env/A', 'update-set a', 'delete-variable a env/B', 'assign a workspaces'],
    live: ['a  env/A=1  -> w', 'theirs'],
  },
)

scenario(
  '--only limits an apply to the matching sets',
  {
    files: 'variableSets: { aws-a: { env: { A: 1 } }, aws-b: {}, gcp: {} }',
    flags: ['--only', 'aws-*'],
    does: ['create-set aws-a', 'create-set aws-b'],
    live: ['aws-a  env/A=1', 'aws-b'],
  },
  {
    files: 'variableSets: { aws-a: { env: { A: 2 } }, aws-b: { env: { B: 2 } }, gcp: {} }',
    flags: ['--only', 'aws-b', '--only', 'gcp'],
    does: ['create-variable aws-b env/B', 'create-set gcp'],
    live: ['aws-a  env/A=1', 'aws-b  env/B=2', 'gcp'],
  },
  {
    files: 'variableSets: { aws-a: { env: { A: 2 } }, aws-b: { env: { B: 2 } }, gcp: {} }',
    does: ['update-variable aws-a env/A'],
    live: ['aws-a  env/A=2', 'aws-b  env/B=2', 'gcp'],
  },
)
