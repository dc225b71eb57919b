import { readFile, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Token, withToken } from '../../api/client.ts'
import { observe } from '../../api/observe.ts'
import { createReader } from '../../api/reader.ts'
import { createWriter } from '../../api/writer.ts'
import { makeDirectory, replaceFile } from '../../disk/write-file.ts'
import { isTracked } from '../../git/git.ts'
import { mistake } from '../../model/diagnostic.ts'
import { fail } from '../../run/commands/ending.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { mayWriteTo, realPlace } from '../../run/write-files.ts'
import { createSandbox } from '../../sandbox/index.ts'
import type { CommandRun } from '../command.ts'
import type { Io } from '../io.ts'

/** The tour. All output comes from the real commands. */
export const run: CommandRun = async (io, argument, program) => {
  const directory = resolve(io.cwd, argument ?? 'setpoint-demo')
  try {
    if (!(await isFree(directory)))
      fail(io, mistake('file-exists', `${JSON.stringify(directory)} exists and is not a demo.`, ELSEWHERE))
    if (isTracked(realPlace(directory), io.env) === true)
      fail(io, mistake('file-exists', `${JSON.stringify(directory)} has files that Git tracks.`, ELSEWHERE))
    for (const path of ['.setpoint/sandbox', ...DEMO_FILES.map(([file]) => file)])
      mayWriteTo(io.cwd, join(directory, path))
    const changed = await changedFile(directory)
    if (changed !== undefined)
      fail(
        io,
        mistake(
          'file-exists',
          `${JSON.stringify(directory)} has a file that was changed since: ${changed}.`,
          ELSEWHERE,
        ),
      )
    await writeDemo(directory)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    fail(
      io,
      mistake(
        'unwritable-file',
        `${JSON.stringify(directory)} could not be written (${error.code}).`,
        ELSEWHERE,
      ),
    )
  }
  // The sandbox has no account, and the demo's secret is no secret.
  const env = {
    ...io.env,
    SETPOINT_SANDBOX_FILE: undefined,
    SETPOINT_SANDBOX_SEED: 'seed.yaml',
    SETPOINT_ORGANIZATION: undefined,
    SETPOINT_APPROVE: undefined,
    SETPOINT_SECRET_DB_PASSWORD: 'only-for-the-demo',
  }
  const inside: Io = { ...io, cwd: directory, env }
  const step = async (title: string, ...argv: readonly string[]): Promise<number> => {
    const color = io.options.color === undefined ? [] : [io.options.color ? '--color' : '--no-color']
    io.stdout.write(`\n# ${title}\n$ setpoint ${argv.join(' ')}\n`)
    return await program([...argv, ...color], inside)
  }
  const shown = relative(io.cwd, directory) || '.'
  io.stdout.write(`# A small repository: ${shown}\n${DEMO_FILES.map(([path]) => `  ${path}\n`).join('')}`)
  const codes = [
    await step('Check the files.', 'validate'),
    await step('Show what an apply would change. A plan never writes.', 'plan', '--sandbox'),
    await step('Apply the plan.', 'apply', '--sandbox', '--auto-approve'),
    await step('Plan again: there is nothing to do.', 'plan', '--sandbox'),
  ]
  io.stdout.write(`\n# Somebody changes a value by hand, in the service.\n`)
  io.stdout.write(await changeByHand(directory))
  codes.push(
    await step('A scheduled check finds the drift: exit 2.', 'drift', '--sandbox'),
    await step('Repair it.', 'apply', '--sandbox', '--auto-approve'),
    await step('No drift: exit 0.', 'drift', '--sandbox'),
  )
  const went = codes.join() === EXPECTED.join()
  io.stdout.write(went ? ending(shown) : `\nThe demo failed: exit codes ${codes.join(', ')}.\n`)
  return went ? EXIT.done : EXIT.error
}

const ELSEWHERE = 'Choose another directory: setpoint demo DIRECTORY'

const EXPECTED = [EXIT.done, EXIT.done, EXIT.done, EXIT.done, EXIT.changes, EXIT.done, EXIT.done]

const ending = (shown: string): string => `
The demo is in ${shown}, with its sandbox. Change a file there and run:
  setpoint plan --sandbox -C ${shown}
`

async function writeDemo(directory: string): Promise<void> {
  await rm(join(directory, '.setpoint'), { recursive: true, force: true })
  for (const [path, text] of DEMO_FILES) {
    makeDirectory(resolve(directory, path, '..'))
    replaceFile(join(directory, path), text, 0o644)
  }
}

/** A new directory, or one that an earlier demo left. */
async function isFree(directory: string): Promise<boolean> {
  const text = await readFile(join(directory, 'setpoint.yaml'), 'utf8').catch(() => undefined)
  if (text !== undefined) return text.startsWith(DEMO_MARK)
  return makeDirectory(directory)
}

/** A file that is not as a demo wrote it: the tour invites to change one. */
async function changedFile(directory: string): Promise<string | undefined> {
  for (const [path, text] of DEMO_FILES) {
    const found = await readFile(join(directory, path), 'utf8').catch(() => text)
    if (found !== text) return path
  }
  return undefined
}

export const DEMO_MARK = '# Made by "setpoint demo".'

/** A small repository that shows most of the file format. */
export const DEMO_FILES: readonly (readonly [path: string, text: string])[] = [
  [
    'setpoint.yaml',
    `${DEMO_MARK}
organization: acme
guards:
  protect: [network-*]
`,
  ],
  [
    'seed.yaml',
    `# What the sandbox has: SETPOINT_SANDBOX_SEED=seed.yaml
workspaces:
  - name: payments-prod
  - name: payments-staging
`,
  ],
  [
    'sets/network.yaml',
    `variableSets:
  network-base:
    description: Every workspace of the organization sees this.
    global: true
    env:
      HTTP_PROXY: http://proxy.acme.test:3128
      NO_PROXY: localhost,.acme.test
`,
  ],
  [
    'sets/payments.yaml',
    `bases:
  payments:
    env:
      LOG_LEVEL: info
    terraform:
      replicas: 2
variableSets:
  payments-staging:
    from: payments
    workspaces: [payments-staging]
  payments-prod:
    from: payments
    workspaces: [payments-prod]
    env:
      DB_PASSWORD:
        description: Rotated by the payments team.
        secret: DB_PASSWORD
    terraform:
      replicas: 6
      zones: { data: [eu-west-1a, eu-west-1b] }
`,
  ],
]

const SET = 'payments-prod'
const VARIABLE = 'LOG_LEVEL'
const VALUE = 'debug'

/** Changes one variable, as a colleague would in the browser. Returns what to print. */
async function changeByHand(directory: string): Promise<string> {
  const sandbox = await createSandbox({ file: join(directory, '.setpoint/sandbox') })
  try {
    const transport = withToken(sandbox.transport, new Token(sandbox.token))
    const { sets } = await observe(createReader(transport), 'acme')
    const set = sets.find(({ name }) => name === SET)
    const variable = set?.variables.find(({ key }) => key === `env/${VARIABLE}`)
    if (set === undefined || variable === undefined) throw new Error(`the sandbox has no ${VARIABLE}`)
    await createWriter(transport).updateVariable(set.id, variable.id, { ...variable, value: { text: VALUE } })
    return `  PATCH varsets/${set.id}/relationships/vars/${variable.id}   ${VARIABLE}: info -> ${VALUE}\n`
  } finally {
    await sandbox.close()
  }
}
