import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { printedSets } from '../../support/printed-sets.ts'
import { aDirectory, run } from '../../support/program.ts'
import { applyOnce, type Ended, killsOf, SECRETS } from './apply-once.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\n',
  'sets/a.yaml': `variableSets:
  changed: { workspaces: [w], env: { LEVEL: after, S: { secret: { name: S, version: "2" } } } }
  added: { workspaces: [w], env: { T: { secret: T } } }
`,
}
/** The same, and a protected set that is deleted, which a guard blocks. */
const BLOCKED = {
  ...FILES,
  'setpoint.yaml': `${FILES['setpoint.yaml']}guards: { protect: [protected] }\n`,
  'sets/a.yaml': `${FILES['sets/a.yaml']}removed: [protected]\n`,
}

const aService = async (): Promise<Sandbox> =>
  await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      workspaces: [{ name: 'w' }],
      sets: [
        {
          name: 'changed',
          variables: [
            { key: 'LEVEL', value: 'before', category: 'env' },
            { key: 'S', value: 'leaked', category: 'env', sensitive: true },
          ],
        },
        { name: 'protected' },
      ],
    },
  })

/** The words that a shell makes of a printed command, without the name of the program. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

/** Reviews the rest with the command that the killed apply printed, or runs the same apply again if it printed none. */
async function finish(
  sandbox: Sandbox,
  cwd: string,
  { stderr: printed, digest }: Ended,
  url: string,
): Promise<string[]> {
  const [, command] = /^If this apply stops halfway, the rest needs a new review: (.*)$/m.exec(printed) ?? []
  const env = { ...SECRETS, SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  const approved = command === undefined ? digest : await digestOf(wordsOf(command), cwd, env)
  const words = ['apply', '--adopt', '*', '--approve', approved, '--rate', '10000']
  const { code, stderr } = await run(words, { cwd, env })
  const left = await run(['plan', '--detailed-exitcode'], { cwd, env })
  return code === 0 && left.code === 0 ? [] : [`${command}: ${stderr}${left.stdout}`]
}

async function digestOf(words: readonly string[], cwd: string, env: Record<string, string>): Promise<string> {
  const { stdout } = await run([...words, '--format', 'json'], { cwd, env })
  return JSON.parse(stdout).digest
}

test.each([
  ['an apply', FILES],
  ['a blocked apply', BLOCKED],
])(
  '%s by digest alone is finished by the new review that it names, after a kill at any request',
  async (_, files) => {
    const end = new Map<string, string[]>()
    const quiet = await applyOnce(await aService(), aDirectory(files), undefined, ['--adopt', '*'])
    expect(quiet.code).toBe(0)
    for (const kill of killsOf(quiet.requests)) {
      const [sandbox, cwd] = [await aService(), aDirectory(files)]
      const before = printedSets(sandbox.snapshot({ sensitive: true }))
      await applyOnce(sandbox, cwd, kill, ['--adopt', '*'], async (ended, url) => {
        const now = printedSets(sandbox.snapshot({ sensitive: true }))
        const hasWritten = JSON.stringify(now) !== JSON.stringify(before)
        // Nothing is written before the command is printed.
        if (hasWritten)
          expect(ended.stderr).toContain(
            'If this apply stops halfway, the rest needs a new review: setpoint plan',
          )
        expect([kill, ended.killed, await finish(sandbox, cwd, ended, url)]).toEqual([kill, true, []])
      })
      const live = printedSets(sandbox.snapshot({ sensitive: true })).filter(
        one => !one.startsWith('setpoint-'),
      )
      end.set(JSON.stringify(live), live)
      await sandbox.close()
    }
    const left = files === FILES ? ['protected'] : []
    expect([...end.values()]).toEqual([
      ['added  env/T=(secret-t)  -> w', 'changed  env/LEVEL=after env/S=(secret-s)  -> w', ...left],
    ])
  },
)
