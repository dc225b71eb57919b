import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { together } from './scenarios-together.ts'
import { valueScenarios } from './scenarios-values.ts'
import { require, type Stage } from './stage.ts'
import type { Trait } from './traits.ts'

export interface Scenario {
  readonly name: string
  /** What the server must have for it. */
  readonly needs?: Trait
  /** Throws a `Difference`. */
  readonly play: (stage: Stage) => Promise<void>
  /** Played instead on a server that does not have what it needs: what the user is told. */
  readonly without?: (stage: Stage) => Promise<void>
}

/** From an empty directory to files that a schedule compares with the service. */
const mainJob: readonly Scenario[] = [
  {
    name: '`init` exports what is there, and a plan of the files has no changes',
    async play(stage) {
      const { server } = stage
      const set = await server.createSet('by-hand', { description: 'made by hand' })
      await server.addVariable(set, 'a', '1')
      await server.addVariable(set, 's', 'secret', true)
      const workspace = await workspaceId(stage, 0)
      await server.do('POST', `varsets/${set}/relationships/workspaces`, [
        { type: 'workspaces', id: workspace },
      ])
      await stage.run(['init', server.where.organization, '--owner', 'servers'])
      await stage.run(['validate'])
      await stage.run(['plan', '--detailed-exitcode'])
      await stage.holds(`by-hand  env/a=1 env/s=(sensitive)  -> ${stage.workspaces[0]}`)
    },
  },
  {
    name: '`plan`, `apply`, `plan`: sets with variables and workspaces, by name',
    async play(stage) {
      stage.write(SETS(stage))
      await stage.run(['validate'])
      await stage.run(['plan', '--detailed-exitcode'], 2)
      await stage.apply()
      await stage.holds(...HELD(stage))
    },
  },
  {
    name: '`drift` finds a change by hand, and an apply repairs it',
    async play(stage) {
      stage.write(SETS(stage))
      await stage.apply()
      await stage.run(['drift'])
      await stage.server.setValue(await stage.server.set('network'), 'env/region', 'elsewhere')
      await stage.run(['drift'], 2)
      await stage.apply()
      await stage.run(['drift'])
      await stage.holds(...HELD(stage))
    },
  },
  {
    name: '`export` writes files whose plan has no changes',
    async play(stage) {
      stage.write(SETS(stage))
      await stage.apply()
      await stage.run(['export', '--out', 'exported'])
      rmSync(join(stage.cwd, 'sets'), { recursive: true })
      mkdirSync(join(stage.cwd, 'sets'))
      for (const file of readdirSync(join(stage.cwd, 'exported')))
        if (file.endsWith('.yaml'))
          copyFileSync(join(stage.cwd, 'exported', file), join(stage.cwd, 'sets', file))
      await stage.run(['plan', '--detailed-exitcode'])
    },
  },
  {
    name: '`explain` tells which set gives a workspace its variable',
    async play(stage) {
      stage.write(SETS(stage))
      await stage.apply()
      const { stdout } = await stage.run(['explain', stage.workspaces[0] ?? ''])
      require(/region/.test(stdout) &&
        /network/.test(stdout), 'explain does not name the variable and its set')
    },
  },
]

const SETS = ({ workspaces: [first, second] }: Stage) => `
variableSets:
  network: { description: of the network, workspaces: [${first}, ${second}], env: { region: eu, zone: a } }
  nobody: { terraform: { size: 3 } }
  payments: { workspaces: [${second}], env: { currency: EUR }, terraform: { tags: { hcl: '["a"]' } } }
`

const HELD = ({ workspaces: [first, second] }: Stage) => [
  `network  env/region=eu env/zone=a  -> ${first}, ${second}`,
  'nobody  terraform/size=3',
  `payments  env/currency=EUR terraform/tags=["a"]  -> ${second}`,
]

export const workspaceId = async (stage: Stage, index: number): Promise<string> => {
  const name = stage.workspaces[index]
  // A server that tells no names has the id in its place.
  if (name?.startsWith('ws-') === true) return name
  const all = await stage.server.list(stage.server.in('workspaces'))
  const found = all.find(one => Object(one).attributes?.name === name)
  return String(Object(found).id)
}

const setScenarios: readonly Scenario[] = [
  {
    name: 'a rename keeps the set, its variables and its workspaces',
    async play(stage) {
      const [workspace] = stage.workspaces
      stage.write(`variableSets: { old: { workspaces: [${workspace}], env: { a: 1 } } }`)
      await stage.apply()
      const before = await stage.server.set('old')
      stage.write(
        `variableSets: { new: { previousNames: [old], workspaces: [${workspace}], env: { a: 1, b: 2 } } }`,
      )
      await stage.apply()
      await stage.holds(`new  env/a=1 env/b=2  -> ${workspace}`)
      require((await stage.server.set('new')).id === before.id, 'the renamed set has another id')
    },
  },
  {
    name: '`removed` deletes the set that it names, and only after somebody agrees',
    async play(stage) {
      stage.write('variableSets: { a: { env: { a: 1 } }, b: { env: { b: 1 } } }')
      await stage.apply()
      stage.write('variableSets: { b: { env: { b: 1 } } }\nremoved: [a]')
      await stage.run(['apply'], 4)
      await stage.holds('a  env/a=1', 'b  env/b=1')
      await stage.apply()
      await stage.holds('b  env/b=1')
    },
  },
  {
    name: 'workspaces are exchanged between two sets',
    async play(stage) {
      const [first, second] = stage.workspaces
      const write = (one: unknown, other: unknown) =>
        stage.write(
          `variableSets: { a: { workspaces: [${one}], env: { a: 1 } }, b: { workspaces: [${other}] } }`,
        )
      write(first, second)
      await stage.apply()
      write(second, first)
      await stage.apply()
      await stage.holds(`a  env/a=1  -> ${second}`, `b  -> ${first}`)
    },
  },
  {
    name: 'a variable moves from one global set to another',
    async play(stage) {
      stage.write('variableSets: { a: { global: true, env: { x: 1 } }, b: { global: true, env: { y: 1 } } }')
      await stage.apply()
      stage.write('variableSets: { a: { global: true, env: {} }, b: { global: true, env: { x: 2, y: 1 } } }')
      await stage.apply()
      await stage.holds('a  global', 'b  global  env/x=2 env/y=1')
    },
  },
  {
    name: 'sets that no file declares stay as they are, with their variables',
    async play(stage) {
      const set = await stage.server.createSet('theirs')
      await stage.server.addVariable(set, 'a', 'theirs')
      stage.write('variableSets: { ours: { env: { a: 1 } } }')
      await stage.apply()
      await stage.holds('ours  env/a=1', 'theirs  env/a=theirs')
    },
  },
  {
    name: '120 sets, which is more than a page',
    async play(stage) {
      const names = Array.from({ length: 120 }, (_, index) => `s${1000 + index}`)
      stage.write(`variableSets: { ${names.map(name => `${name}: { env: { a: ${name} } }`).join(', ')} }`)
      await stage.apply()
      await stage.holds(...names.map(name => `${name}  env/a=${name}`))
    },
  },
  {
    name: '60 variables in a set',
    async play(stage) {
      const keys = Array.from({ length: 60 }, (_, index) => `k${10 + index}`)
      stage.write(`variableSets: { a: { env: { ${keys.map(key => `${key}: 1`).join(', ')} } } }`)
      await stage.apply()
      await stage.holds(`a  ${keys.map(key => `env/${key}=1`).join(' ')}`)
    },
  },
  {
    name: 'names of sets and keys with capital letters',
    needs: 'keys',
    async play(stage) {
      stage.write('variableSets: { Network: { env: { AWS_REGION: eu } } }')
      await stage.apply()
      await stage.holds('Network  env/AWS_REGION=eu')
    },
  },
  {
    name: 'a set that a project owns',
    needs: 'owners',
    async play(stage) {
      const { server } = stage
      const attributes = { name: 'setpoint-owner' }
      const data = { type: 'projects', attributes }
      const project = await server.keep(
        server.in('projects'),
        data,
        'projects',
        'the project "setpoint-owner"',
      )
      stage.write('variableSets: { a: { project: setpoint-owner, env: { a: 1 } } }')
      await stage.apply()
      await stage.holds('a  env/a=1')
      await server.deleteSets()
      await server.remove(`projects/${project}`)
    },
  },
  {
    name: '`priority`',
    needs: 'priority',
    async play(stage) {
      stage.write('variableSets: { a: { priority: true, env: { a: 1 } } }')
      await stage.apply()
      await stage.holds('a  env/a=1')
    },
    async without(stage) {
      stage.write('variableSets: { a: { priority: true, env: { a: 1 } } }')
      const { stdout, stderr } = await stage.run(['apply', '--auto-approve'], 3)
      require(/keep "priority"/.test(stdout + stderr), 'the apply does not say that priority is not kept')
      require(!/run the same apply again/.test(stdout), 'the apply proposes itself, and would not end either')
      await stage.holds('a  env/a=1')
    },
  },
  {
    name: 'projects by name',
    needs: 'projects',
    async play(stage) {
      const { server } = stage
      const data = { type: 'projects', attributes: { name: 'setpoint-project' } }
      const project = await server.keep(
        server.in('projects'),
        data,
        'projects',
        'the project "setpoint-project"',
      )
      stage.write('variableSets: { a: { projects: [setpoint-project], env: { a: 1 } } }')
      await stage.apply()
      await stage.holds(`a  env/a=1  -> ${project}`)
      await server.deleteSets()
      await server.remove(`projects/${project}`)
    },
    async without(stage) {
      stage.write(`variableSets: { a: { projects: [some], workspaces: [${stage.workspaces[0]}] } }`)
      const { stdout, stderr } = await stage.run(['apply', '--auto-approve'], 1)
      const said = stdout + stderr
      require(/sets\/sets\.yaml:1:\d+.*\n.*projects/.test(
        said,
      ), 'no error at the place says that projects are not told')
      require(!/no workspace/.test(said), 'the apply says that a workspace is missing')
      await stage.holds()
    },
  },
]

export const SCENARIOS: readonly Scenario[] = [...mainJob, ...setScenarios, ...valueScenarios, ...together]
