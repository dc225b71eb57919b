import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startShell } from '../support/child.ts'
import { aPlace, ONE } from '../support/place.ts'
import { titled } from '../support/skipped.ts'

/** Runs a command on its own terminal, with the exit code of the command. */
const SCRIPT = '/usr/bin/script'

/** Runs `setpoint apply` on a terminal. `answer` is called once for each question, with the process id. */
async function onTerminal(answer: (pid: number, question: number) => string | undefined) {
  const place = await aPlace(ONE)
  let asked = 0
  const child = startShell(`${SCRIPT} -qefc 'echo $$ > pid; exec $SETPOINT apply' /dev/null`, {
    cwd: place.cwd,
    env: place.env,
    reply: stdout => {
      const questions = stdout.split(/Only "yes" is accepted: |To agree, write "yes": /).length - 1
      if (questions <= asked) return undefined
      asked = questions
      return answer(Number(readFileSync(join(place.cwd, 'pid'), 'utf8')), questions)
    },
  })
  const { code, stdout } = await child.ended
  return { code, stdout, live: place.live() }
}

const signal = (name: NodeJS.Signals) => (pid: number) => {
  process.kill(pid, name)
  return undefined
}

describe.skipIf(!existsSync(SCRIPT))(titled('on a terminal', !existsSync(SCRIPT), `no ${SCRIPT}`), () => {
  test('it shows the plan in colour, asks, and applies after "yes"', async () => {
    const { code, stdout, live } = await onTerminal(() => 'yes\n')
    expect(stdout).toContain('\u001b[')
    expect(stdout).toContain('Applied: 1 created. Verified by reading the service back.')
    expect({ code, live }).toEqual({ code: 0, live: ['a  env/A=1'] })
  })

  test('it asks once more after "y"', async () => {
    const { code, stdout, live } = await onTerminal((_, question) => (question === 1 ? 'y\n' : 'yes\n'))
    expect(stdout).toContain('"y" is not accepted. To agree, write "yes": ')
    expect({ code, live }).toEqual({ code: 0, live: ['a  env/A=1'] })
  })

  test.each<readonly [string, (pid: number) => string | undefined, number]>([
    ['"no"', () => 'no\n', 4],
    ['end of input', () => '\u0004', 4],
    ['Ctrl-C', () => '\u0003', 130],
    ['SIGINT', signal('SIGINT'), 130],
    ['SIGTERM', signal('SIGTERM'), 143],
  ])('nothing is written after %s', async (_, answer, exit) => {
    const { code, stdout, live } = await onTerminal(answer)
    expect(stdout).toContain('Nothing was written.')
    expect({ code, live }).toEqual({ code: exit, live: [] })
  })
})

test.each([
  ['text', 'stdout'],
  ['json', 'stderr'],
  ['markdown', 'stderr'],
] as const)(
  'beside a report as %s, whoever is asked sees the plan as text on %s, once',
  async (format, where) => {
    const place = await aPlace(ONE)
    const io = { input: () => ({ ask: async () => 'yes' }) }
    const ended = await place.setpoint(['apply', '--format', format], { io })
    expect(ended.code).toBe(0)
    const shown = `${ended.stdout}${ended.stderr}`.split('+ a  1 variable').length - 1
    expect([ended[where].includes('+ a  1 variable'), shown]).toEqual([true, 1])
  },
)
