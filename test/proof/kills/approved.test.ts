import { expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.ts'
import { printedSets } from '../../support/printed-sets.ts'
import { aDirectory } from '../../support/program.ts'
import { shellWords } from '../../support/shell.ts'
import { applyOnce, killsOf, setpointAt } from './ending.ts'

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

const digestOf = async (sandbox: Sandbox, cwd: string, words: readonly string[]): Promise<string> =>
  JSON.parse((await setpointAt(sandbox, cwd, [...words, '--format', 'json'])).stdout).digest

const approving = (digest: string): string[] => ['apply', '--adopt', '*', '--approve', digest]

/** Reviews the rest with the command that the killed apply printed, or runs the same apply again if it printed none. */
async function finish(sandbox: Sandbox, cwd: string, printed: string, digest: string): Promise<string[]> {
  const [, command] = /^If this apply stops halfway, the rest needs a new review: (.*)$/m.exec(printed) ?? []
  const approved = command === undefined ? digest : await digestOf(sandbox, cwd, shellWords(command))
  const { code, stderr } = await applyOnce(sandbox, cwd, approving(approved))
  const left = await setpointAt(sandbox, cwd, ['plan', '--detailed-exitcode'])
  return code === 0 && left.code === 0 ? [] : [`${command}: ${stderr}${left.stdout}`]
}

test.each([
  ['an apply', FILES],
  ['a blocked apply', BLOCKED],
])(
  '%s by digest alone is finished by the new review that it names, after a kill at any request',
  async (_, files) => {
    const end = new Map<string, string[]>()
    const apply = async (sandbox: Sandbox, cwd: string, kill?: ReturnType<typeof killsOf>[number]) => {
      const digest = await digestOf(sandbox, cwd, ['plan', '--adopt', '*'])
      return { digest, ...(await applyOnce(sandbox, cwd, approving(digest), kill)) }
    }
    const quiet = await apply(await aService(), aDirectory(files))
    expect(quiet.code).toBe(0)
    for (const kill of killsOf(quiet.requests)) {
      const [sandbox, cwd] = [await aService(), aDirectory(files)]
      const before = printedSets(sandbox.snapshot({ sensitive: true }))
      const { isMet, stderr, digest } = await apply(sandbox, cwd, kill)
      const now = printedSets(sandbox.snapshot({ sensitive: true }))
      // Nothing is written before the command is printed.
      if (JSON.stringify(now) !== JSON.stringify(before))
        expect(stderr).toContain('If this apply stops halfway, the rest needs a new review: setpoint plan')
      expect([kill, isMet, await finish(sandbox, cwd, stderr, digest)]).toEqual([kill, true, []])
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
