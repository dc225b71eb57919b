import { expect, test } from 'vitest'
import { createSandbox, type Sandbox, type SetSeed } from '../../../src/sandbox/index.ts'
import { printedSets } from '../../support/printed-sets.ts'
import { aDirectory } from '../../support/program.ts'
import { applyOnce, killsOf, planned, setpointAt } from './ending.ts'

const idOf = (name: string): string => `varset-${name.codePointAt(0)}`.padEnd(23, '0')
const old = (name: string): SetSeed => ({
  ...{ name, id: idOf(name), workspaces: ['w'] },
  variables: [{ key: 'S', value: 'old', category: 'env', sensitive: true }],
})
const NAMES = ['a', 'b', 'B']
/** `a` gets another name, and two sets whose names differ in case only keep theirs. */
const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\n',
  'sets/a.yaml': `variableSets:
  new-a: { previousNames: [a], project: p, workspaces: [w], env: { S: { secret: S } } }
  b: { project: p, workspaces: [w], env: { S: { secret: S } } }
  B: { project: p, workspaces: [w], env: { S: { secret: S } } }
removed: [${NAMES.map(idOf)}]
`,
}

const aService = async (): Promise<Sandbox> =>
  await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ name: 'p' }],
      workspaces: [{ name: 'w', project: 'p' }],
      sets: [...NAMES.map(old), { name: 'left-alone' }],
    },
  })

/** Plans and applies. */
async function apply(sandbox: Sandbox, cwd: string, kill?: ReturnType<typeof killsOf>[number]) {
  const plan = await planned(sandbox, cwd)
  return await applyOnce(sandbox, cwd, plan?.words ?? [], kill)
}

/** The exit codes of one more apply and the plan after it, and the sets without the inventory. */
async function repaired(sandbox: Sandbox, cwd: string) {
  const applied = await apply(sandbox, cwd)
  const left = await setpointAt(sandbox, cwd, ['plan', '--detailed-exitcode'])
  const live = printedSets(sandbox.snapshot({ sensitive: true }))
  return [applied.code, left.code, live.filter(line => !line.startsWith('setpoint-inventory-'))]
}

test('sets that get another owner are complete after a kill at any request and one more run', async () => {
  const cwd = aDirectory(FILES)
  const { code, requests } = await apply(await aService(), cwd)
  expect([code, requests]).toEqual([0, expect.any(Number)])
  // Six writes of sets, one of the inventory, and the reads before and after them.
  expect(requests).toBeGreaterThan(9)
  const end = ['B', 'b', 'new-a'].map(name => `${name}  of project p  env/S=(secret-s)  -> w`)
  const [first, second] = [end.slice(0, 2), end.slice(2)]
  for (const kill of killsOf(requests)) {
    const sandbox = await aService()
    const { isMet } = await apply(sandbox, cwd, kill)
    expect([kill, isMet, ...(await repaired(sandbox, cwd))]).toEqual([
      ...[kill, true, 0, 0],
      [...first, 'left-alone', ...second],
    ])
    await sandbox.close()
  }
})
