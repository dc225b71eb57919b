import { scenario } from './scenario.ts'

scenario(
  'a secret is created, gets a description, becomes readable, and becomes another secret',
  {
    files: 'variableSets: { a: { env: { KEY: { secret: KEY } } } }',
    secrets: { KEY: 'k1' },
    does: ['create-set a'],
    live: ['a  env/KEY=(k1)'],
  },
  {
    files: 'variableSets: { a: { env: { KEY: { secret: KEY } } } }',
    does: [],
    live: ['a  env/KEY=(k1)'],
  },
  {
    files: 'variableSets: { a: { env: { KEY: { secret: KEY, description: new } } } }',
    secrets: { KEY: 'k2' },
    does: ['update-variable a env/KEY'],
    live: ['a  env/KEY=(k2)#new'],
  },
  {
    files: 'variableSets: { a: { env: { KEY: { value: plain, description: new } } } }',
    does: ['delete-variable a env/KEY', 'create-variable a env/KEY'],
    live: ['a  env/KEY=plain#new'],
  },
  {
    files: 'variableSets: { a: { env: { KEY: { secret: OTHER, description: new } } } }',
    secrets: { OTHER: 'k3' },
    does: ['update-variable a env/KEY'],
    live: ['a  env/KEY=(k3)#new'],
  },
)

scenario(
  'a secret moves with its value from one global set to another',
  {
    files: 'variableSets: { a: { global: true, env: { KEY: { secret: KEY } } }, b: { global: true } }',
    secrets: { KEY: 'k1' },
    does: ['create-set a', 'create-set b'],
    live: ['a  global  env/KEY=(k1)', 'b  global'],
  },
  {
    files: 'variableSets: { a: { global: true }, b: { global: true, env: { KEY: { secret: KEY } } } }',
    secrets: { KEY: 'k1' },
    does: ['delete-variable a env/KEY', 'create-variable b env/KEY'],
    live: ['a  global', 'b  global  env/KEY=(k1)'],
  },
)

scenario('a secret may be empty if the file allows it', {
  files: 'variableSets: { a: { env: { KEY: { secret: { name: KEY, allowEmpty: true } } } } }',
  secrets: { KEY: '' },
  does: ['create-set a'],
  live: ['a  env/KEY=()'],
})

scenario(
  'an external variable is never created, its value is never sent, and its description is updated',
  {
    files: 'variableSets: { a: { env: { TOKEN: { external: true }, A: 1 } } }',
    does: ['create-set a'],
    live: ['a  env/A=1'],
  },
  {
    byHand: sets =>
      sets.map(set => ({
        ...set,
        variables: [
          ...(set.variables ?? []),
          { key: 'TOKEN', category: 'env', value: 'by hand', sensitive: true },
        ],
      })),
    files: 'variableSets: { a: { env: { TOKEN: { external: true, description: ours }, A: 1 } } }',
    does: ['update-variable a env/TOKEN'],
    live: ['a  env/A=1 env/TOKEN=(by hand)#ours'],
  },
  {
    files: 'variableSets: { a: { env: { A: 1 } } }',
    does: ['delete-variable a env/TOKEN'],
    live: ['a  env/A=1'],
  },
)

scenario(
  'scalars and files are sent unchanged, and hcl and data as HCL',
  {
    files: {
      'sets/a.yaml': `
        variableSets:
          a:
            env: { V: 1.10, ON: true, E: '' }
            terraform:
              v: 1.10
              tags: { hcl: '{ team = "core" }' }
              list: { data: [a, 1.50, true, { k: v }] }
              ca: { file: ca.txt }
      `,
      'sets/ca.txt': 'line 1\nline 2\n',
    },
    does: ['create-set a'],
    live: [
      'a  env/E= env/ON=true env/V=1.10 terraform/ca=line 1\nline 2\n terraform/list=hcl:["a",1.50,true,{"k":"v"}] terraform/tags=hcl:{ team = "core" } terraform/v=1.10',
    ],
  },
  {
    files: {
      'sets/a.yaml': `
        variableSets:
          a:
            env: { V: '1.1', ON: 'yes', E: '' }
            terraform:
              v: { hcl: 1.10 }
              tags: '{ team = "core" }'
              list: { data: [a] }
              ca: { file: ca.txt }
      `,
      'sets/ca.txt': 'line 1\nline 3\n',
    },
    does: [
      'update-variable a env/ON',
      'update-variable a env/V',
      'update-variable a terraform/ca',
      'update-variable a terraform/list',
      'update-variable a terraform/tags',
      'update-variable a terraform/v',
    ],
    live: [
      'a  env/E= env/ON=yes env/V=1.1 terraform/ca=line 1\nline 3\n terraform/list=hcl:["a"] terraform/tags={ team = "core" } terraform/v=hcl:1.10',
    ],
  },
)

scenario(
  'a changed HCL flag of a secret replaces the variable',
  {
    files: 'variableSets: { a: { terraform: { KEY: { secret: KEY } } } }',
    secrets: { KEY: 'k1' },
    does: ['create-set a'],
    live: ['a  terraform/KEY=(k1)'],
  },
  {
    files: 'variableSets: { a: { terraform: { KEY: { secret: KEY } } } }',
    secrets: { KEY: 'k2' },
    byHand: sets =>
      sets.map(set => ({
        ...set,
        variables: (set.variables ?? []).map(variable => ({ ...variable, hcl: true })),
      })),
    does: ['delete-variable a terraform/KEY', 'create-variable a terraform/KEY'],
    live: ['a  terraform/KEY=(k2)'],
  },
)

scenario(
  'a variable changes its category',
  {
    files: 'variableSets: { a: { env: { X: 1 } } }',
    does: ['create-set a'],
    live: ['a  env/X=1'],
  },
  {
    files: 'variableSets: { a: { terraform: { X: 1 } } }',
    does: ['create-variable a terraform/X', 'delete-variable a env/X'],
    live: ['a  terraform/X=1'],
  },
)
