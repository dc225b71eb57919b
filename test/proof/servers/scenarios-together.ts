import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from './scenarios.ts'
import { at, listOf, same } from './server.ts'
import { require } from './stage.ts'

/** Owners, runs at the same time, runs that end halfway, and requests that the server refuses. */
export const together: readonly Scenario[] = [
  {
    name: 'with an `owner`, three sets and their inventory are written by one apply',
    async play(stage) {
      stage.write(
        'variableSets: { a: { env: { a: 1 } }, b: { env: { b: 1 } }, c: { env: { c: 1 } } }',
        'servers',
      )
      await stage.apply()
      await stage.holds('a  env/a=1', 'b  env/b=1', 'c  env/c=1')
      const inventory = await stage.server.set('setpoint-inventory-servers')
      require(inventory.variables.length === 3, `the inventory has ${inventory.variables.length} variables`)
    },
  },
  {
    name: 'with an `owner`, a set whose file is gone stays, and `prune` deletes it',
    async play(stage) {
      stage.write('variableSets: { a: { env: { a: 1 } }, b: { env: { b: 1 } } }', 'servers')
      await stage.apply()
      stage.write('variableSets: { a: { env: { a: 1 } } }', 'servers')
      const { stdout } = await stage.run(['plan', '--format', 'json'])
      const left = listOf(at(JSON.parse(stdout), 'facts', 'leftAlone')).map(one => [
        at(one, 'set'),
        at(one, 'why'),
      ])
      require(same(left, [['b', 'prune-off']]), `the sets left alone are ${JSON.stringify(left)}`)
      await stage.apply()
      await stage.holds('a  env/a=1', 'b  env/b=1')
      stage.write('variableSets: { a: { env: { a: 1 } } }', 'servers\nprune: true')
      await stage.apply()
      await stage.holds('a  env/a=1')
    },
  },
  {
    name: 'another `owner` does not change the set',
    async play(stage) {
      stage.write('variableSets: { a: { env: { a: 1 } } }', 'servers')
      await stage.apply()
      stage.write('variableSets: { a: { env: { a: 2 } } }', 'others')
      await stage.run(['plan'], 1)
      await stage.holds('a  env/a=1')
    },
  },
  {
    name: 'two applies of the same files at once: both report the truth, and nothing is there twice',
    needs: 'unique',
    async play(stage) {
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      const [workspace] = stage.workspaces
      stage.write(
        `variableSets: { ${names.map(name => `${name}: { workspaces: [${workspace}], env: { a: ${name}, b: 1 } }`).join(', ')} }`,
      )
      const both = ['apply', 'apply'].map(command => stage.start([command, '--auto-approve']).ended)
      const codes = (await Promise.all(both)).map(({ code }) => code)
      require(codes.every(
        code => code === 0 || code === 3 || code === 4,
      ), `they end with ${codes.join(' and ')}`)
      await stage.apply()
      await stage.holds(...names.map(name => `${name}  env/a=${name} env/b=1  -> ${workspace}`))
    },
    async without(stage) {
      stage.write('variableSets: { a: { env: { a: 1 } } }')
      await stage.server.createSet('a')
      await stage.server.createSet('a')
      const { stdout, stderr } = await stage.run(['apply', '--auto-approve'], 1)
      require(/sets\/sets\.yaml:1:\d+ +error ambiguous-set/.test(
        stdout + stderr,
      ), 'no error says that two sets have the name')
    },
  },
  {
    name: 'an apply is killed after its first writes, and the next one finishes it',
    async play(stage) {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const [first, second] = stage.workspaces
      const write = (value: number, workspace = first) =>
        stage.write(
          `variableSets: { ${names.map(name => `${name}: { workspaces: [${workspace}], env: { a: ${value}, b: ${value} } }`).join(', ')} }`,
        )
      const killedAfterOneWrite = async (isWritten: () => Promise<boolean>) => {
        const running = stage.start(['apply', '--auto-approve', '--concurrency', '1'])
        for (let tries = 0; tries < 500 && !(await isWritten()); tries += 1) await sleep(10)
        running.kill()
        await running.ended
        // The server may still carry out the request that was under way.
        let [seen, now] = ['', JSON.stringify(await stage.server.sets())]
        while (seen !== now) {
          await sleep(200)
          seen = now
          now = JSON.stringify(await stage.server.sets())
        }
      }
      write(1)
      await killedAfterOneWrite(async () => (await stage.server.list(stage.server.in('varsets'))).length > 0)
      await stage.apply()
      await stage.holds(...names.map(name => `${name}  env/a=1 env/b=1  -> ${first}`))
      write(2, second)
      await killedAfterOneWrite(async () =>
        (await stage.server.set('a')).variables.some(({ value }) => value === '2'),
      )
      await stage.apply()
      await stage.holds(...names.map(name => `${name}  env/a=2 env/b=2  -> ${second}`))
    },
  },
  {
    name: 'many sets get another description and another workspace at the same time',
    async play(stage) {
      const names = Array.from({ length: 24 }, (_, index) => `s${10 + index}`)
      const [first, second] = stage.workspaces
      const write = (description: string, workspace = first) =>
        stage.write(
          `variableSets: { ${names.map(name => `${name}: { description: ${description}, workspaces: [${workspace}] }`).join(', ')} }`,
        )
      write('old')
      await stage.apply()
      write('new', second)
      await stage.apply({}, '--concurrency', '16')
      await stage.holds(...names.map(name => `${name}  -> ${second}`))
    },
  },
  {
    name: 'an unknown workspace is a located error, before any write',
    async play(stage) {
      stage.write('variableSets: { a: { workspaces: [nowhere], env: { a: 1 } } }')
      const { stdout, stderr } = await stage.run(['apply', '--auto-approve'], 1)
      require(/sets\/sets\.yaml:1:\d+/.test(stdout + stderr), 'the error has no place')
      await stage.holds()
    },
  },
  {
    name: 'a wrong token: exit 1, and nothing is written',
    async play(stage) {
      stage.write('variableSets: { a: { env: { a: 1 } } }')
      const env = { SETPOINT_TOKEN: 'not-the-token' }
      const { stdout, stderr } = await stage.run(['apply', '--auto-approve'], 1, env)
      require(/token/i.test(stdout + stderr), 'the error does not mention the token')
      await stage.holds()
    },
  },
]
