import { scenario } from './scenario.ts'

scenario(
  'a variable moves between global sets and back',
  {
    files: 'variableSets: { a: { global: true, env: { X: 1, Y: 1 } }, b: { global: true, env: { Z: 1 } } }',
    does: ['create-set a', 'create-set b'],
    live: ['a  global  env/X=1 env/Y=1', 'b  global  env/Z=1'],
  },
  {
    files: 'variableSets: { a: { global: true, env: { Y: 1 } }, b: { global: true, env: { X: 1, Z: 1 } } }',
    does: ['delete-variable a env/X', 'create-variable b env/X'],
    live: ['a  global  env/Y=1', 'b  global  env/X=1 env/Z=1'],
  },
  {
    files: 'variableSets: { a: { global: true, env: { X: 2, Z: 2 } }, b: { global: true, env: { Y: 2 } } }',
    does: [
      'delete-variable a env/Y',
      'create-variable b env/Y',
      'delete-variable b env/X',
      'create-variable a env/X',
      'delete-variable b env/Z',
      'create-variable a env/Z',
    ],
    live: ['a  global  env/X=2 env/Z=2', 'b  global  env/Y=2'],
  },
)

scenario(
  'two sets change roles: one becomes global, the other stops being global',
  {
    files: 'variableSets: { a: { global: true, env: { X: a } }, b: { env: { X: b }, workspaces: [w] } }',
    does: ['create-set b', 'create-set a'],
    live: ['a  global  env/X=a', 'b  env/X=b  -> w'],
  },
  {
    files:
      'variableSets: { a: { env: { X: a }, workspaces: [w] }, b: { global: true, env: { X: b }, workspaces: [] } }',
    does: ['update-set a', 'assign a workspaces', 'unassign b workspaces', 'update-set b'],
    live: ['a  env/X=a  -> w', 'b  global  env/X=b'],
  },
)

scenario(
  'a set becomes global and receives a variable of another global set, then the reverse',
  {
    files: 'variableSets: { a: { global: true, env: { X: 1 } }, b: { env: { Y: 1 } } }',
    does: ['create-set a', 'create-set b'],
    live: ['a  global  env/X=1', 'b  env/Y=1'],
  },
  {
    files: 'variableSets: { a: { global: true, env: { W: 1 } }, b: { global: true, env: { X: 1, Y: 1 } } }',
    does: ['create-variable a env/W', 'create-variable b env/X', 'delete-variable a env/X', 'update-set b'],
    live: ['a  global  env/W=1', 'b  global  env/X=1 env/Y=1'],
  },
  {
    files: 'variableSets: { a: { global: true, env: { W: 1, X: 1, Y: 1 } }, b: { env: { X: 1, Y: 1 } } }',
    does: ['update-set b', 'create-variable a env/X', 'create-variable a env/Y'],
    live: ['a  global  env/W=1 env/X=1 env/Y=1', 'b  env/X=1 env/Y=1'],
  },
)

scenario(
  'a global set is deleted, and another one gets its variables',
  {
    files: 'variableSets: { a: { global: true, env: { X: 1 } } }',
    does: ['create-set a'],
    live: ['a  global  env/X=1'],
  },
  {
    files: 'variableSets: { b: { global: true, env: { X: 1 } } }\nremoved: [a]',
    does: ['delete-set a', 'create-set b'],
    live: ['b  global  env/X=1'],
  },
)

scenario(
  'one key in two categories is two variables',
  {
    files: 'variableSets: { a: { global: true, env: { X: 1 } }, b: { global: true, terraform: { X: 1 } } }',
    does: ['create-set a', 'create-set b'],
    live: ['a  global  env/X=1', 'b  global  terraform/X=1'],
  },
  {
    files: 'variableSets: { a: { global: true, terraform: { X: 1 } }, b: { global: true, env: { X: 1 } } }',
    does: [
      'delete-variable a env/X',
      'create-variable b env/X',
      'delete-variable b terraform/X',
      'create-variable a terraform/X',
    ],
    live: ['a  global  terraform/X=1', 'b  global  env/X=1'],
  },
)
