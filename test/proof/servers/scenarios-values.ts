import type { Scenario } from './scenarios.ts'
import { require } from './stage.ts'

const SECRET = (text: string) => ({ SETPOINT_SECRET_S: text })

/** What a set's variables contain, and secrets. */
export const valueScenarios: readonly Scenario[] = [
  {
    name: 'long values, empty ones, lines, and every script',
    async play(stage) {
      const long = 'x'.repeat(200_000)
      const lines = 'one\ntwo \n three'
      const script = 'é ẞ 漢字 🙂 "quoted" \\ $\u007b}'
      const values = { empty: '', lines, long, script }
      const texts = Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      stage.write(`variableSets: { a: { terraform: { ${texts.join(', ')} } } }`)
      await stage.apply()
      const slots = Object.entries(values).map(([key, value]) => `terraform/${key}=${value}`)
      await stage.holds(`a  ${slots.join(' ')}`)
    },
  },
  {
    name: 'a value with whitespace at its ends: applied with a warning if the server drops it, and no drift',
    async play(stage) {
      stage.write('variableSets: { a: { env: { a: " x " } } }')
      await stage.run(['apply', '--auto-approve'])
      await stage.run(['drift'])
      await stage.run(['apply', '--auto-approve'])
    },
  },
  {
    name: 'a secret is written, and another value of it after a rotation',
    async play(stage) {
      const secret = (version: number) =>
        stage.write(
          `variableSets: { a: { env: { s: { secret: { name: S, version: "${version}" } } } } }`,
          'servers',
        )
      secret(1)
      await stage.apply(SECRET('first'))
      await stage.holds('a  env/s=(sensitive)')
      secret(2)
      await stage.run(['plan', '--detailed-exitcode'], 2, SECRET('second'))
      await stage.apply(SECRET('second'))
      await stage.holds('a  env/s=(sensitive)')
      const { stdout, stderr } = await stage.run(['plan', '--verbose'], 0, SECRET('second'))
      require(!/second/.test(stdout + stderr), 'the output contains the secret')
    },
  },
  {
    name: 'a secret that was written by hand (`external`) stays, and a new description of it is written',
    async play(stage) {
      const set = await stage.server.createSet('a')
      await stage.server.addVariable(set, 's', 'by hand', true)
      stage.write('variableSets: { a: { env: { s: { external: true } } } }')
      await stage.run(['plan', '--detailed-exitcode'])
      stage.write('variableSets: { a: { env: { s: { external: true, description: of the bank } } } }')
      await stage.apply()
      await stage.holds('a  env/s=(sensitive)')
    },
  },
  {
    name: 'a readable variable becomes a secret',
    async play(stage) {
      stage.write('variableSets: { a: { env: { s: readable } } }')
      await stage.apply()
      stage.write('variableSets: { a: { env: { s: { secret: S } } } }')
      await stage.apply(SECRET('hidden'))
      await stage.holds('a  env/s=(sensitive)')
    },
  },
]
