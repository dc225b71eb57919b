import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { aPlace, ONE, type Place, TO_FINISH } from '../support/place.ts'
import type { Ran } from '../support/program.ts'

const digestOf = async (place: Place): Promise<string> =>
  JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).digest

/** The arguments that a real shell makes from a printed command. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

/** What is left to compare: exit code, errors, and the sets of the service. */
const after = (place: Place, { code, stderr }: Ran) => ({ code, stderr, live: place.live() })
const DONE = { code: 0, stderr: '', live: ['a  env/A=1'] }
const DONE_BY_DIGEST = { ...DONE, stderr: expect.stringMatching(TO_FINISH) }

describe('consent', () => {
  test('--auto-approve is enough if no guard blocks', { tags: ['F-26'] }, async () => {
    const place = await aPlace(ONE)
    expect(after(place, await place.setpoint(['apply', '--auto-approve']))).toEqual(DONE)
  })

  test('at a terminal --approve accepts 12 digits and does not ask for confirmation', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    const ran = await place.setpoint(['apply', '--approve', digest.slice(0, 12)], { answers: ['no'] })
    expect(after(place, ran)).toEqual(DONE_BY_DIGEST)
    expect(ran.stdout).not.toContain('Apply this plan?')
  })

  test('without a terminal --approve accepts all 64 digits', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    expect(after(place, await place.setpoint(['apply', '--approve', digest]))).toEqual(DONE_BY_DIGEST)
  })

  test('a plan that was reviewed, as a file or by its digest, is not printed again', async () => {
    const heads = async (...words: readonly string[]): Promise<string[]> => {
      const place = await aPlace(ONE)
      await place.setpoint(['plan', '--out', 'plan.json'])
      const digest = await digestOf(place)
      const ran = await place.setpoint(['apply', ...words.map(word => word.replace('DIGEST', digest))])
      return [...ran.stdout.matchAll(/^setpoint (plan|apply) /gm)].map(([, command = '']) => command)
    }
    expect(await heads('plan.json')).toEqual(['apply'])
    expect(await heads('--approve', 'DIGEST')).toEqual(['apply'])
    expect(await heads('--approve', 'DIGEST', '--verbose')).toEqual(['plan', 'apply'])
    expect(await heads('--auto-approve')).toEqual(['plan', 'apply'])
  })

  test('without a terminal 63 digits are refused, and the message says what is needed and why', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    const given = digest.slice(0, 63)
    const refusals = [
      await place.setpoint(['apply', '--auto-approve', '--approve', given]),
      await place.setpoint(['apply'], { env: { SETPOINT_APPROVE: given } }),
    ]
    for (const { code, stderr } of refusals)
      expect({ code, stderr, live: place.live() }).toEqual({
        code: 4,
        stderr: [
          'error refused',
          `  The approval "${given}" has 63 of 64 digits; without a terminal all 64 are needed, because an attacker can create another plan with the same first digits.`,
          `  Review the plan above, then add: --approve ${digest}`,
          '',
        ].join('\n'),
        live: [],
      })
  })

  test('SETPOINT_APPROVE works like --approve, which takes precedence', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    const wrong = '0'.repeat(12)
    const refused = await place.setpoint(['apply', '--approve', wrong], { env: { SETPOINT_APPROVE: digest } })
    expect(refused.code).toBe(4)
    const env = { SETPOINT_APPROVE: digest }
    expect(after(place, await place.setpoint(['apply'], { env }))).toEqual(DONE_BY_DIGEST)
  })

  test('an empty SETPOINT_APPROVE, as from an unset pipeline variable, is ignored', async () => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply'], { env: { SETPOINT_APPROVE: '' } })
    expect(ran.stderr).toContain('There is no terminal to ask for confirmation.')
    expect(ran.code).toBe(4)
  })

  test('what is no digest is an error before any plan', async () => {
    const place = await aPlace(ONE)
    const runs = [
      ['--approve', await place.setpoint(['apply', '--approve', '.*'], { answers: ['yes'] })],
      ['SETPOINT_APPROVE', await place.setpoint(['apply'], { env: { SETPOINT_APPROVE: '.*' } })],
    ] as const
    for (const [from, { code, stderr, stdout }] of runs) {
      expect({ code, stdout, live: place.live() }).toEqual({ code: 1, stdout: '', live: [] })
      expect(stderr).toContain(`error bad-usage\n  ${from}: this is not the digest of a plan.`)
    }
  })

  test('if nothing differs, an approval is reported as not needed, and an invalid digest is still an error', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    expect((await place.setpoint(['apply', '--approve', digest])).code).toBe(0)
    const again = await place.setpoint(['apply', '--approve', digest])
    expect([again.code, again.stderr]).toEqual([
      0,
      `The approved plan ${digest.slice(0, 12)} is not needed: nothing differs. It may be applied already.\n`,
    ])
    expect((await place.setpoint(['apply', '--approve', 'abc'])).code).toBe(1)
    const empty = await place.setpoint(['apply', '--approve', await digestOf(place)])
    expect([empty.code, empty.stderr]).toEqual([0, ''])
    const several = await place.setpoint(['apply', '--approve', `${digest},${'0'.repeat(64)}`])
    expect([several.code, several.stderr]).toEqual([0, ''])
  })

  test('an approval is for one plan only: after a change of the files it is refused', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    place.write({ 'sets/a.yaml': 'variableSets: { a: { env: { A: 2 } } }\n' })
    const { code, stderr } = await place.setpoint(['apply', '--approve', digest])
    expect(stderr).toContain('the files or the service changed since.')
    expect({ code, live: place.live() }).toEqual({ code: 4, live: [] })
  })
})

describe('a guard', () => {
  const assigned = () =>
    aPlace({ 'sets/a.yaml': 'removed: [a]\n' }, { sets: [{ name: 'a', workspaces: ['w'] }] })

  test('blocks despite --auto-approve, and without asking for confirmation', async () => {
    const place = await assigned()
    const automatic = await place.setpoint(['apply', '--auto-approve'])
    const answered = await place.setpoint(['apply'], { answers: ['yes'] })
    expect(answered.stdout).not.toContain('Apply this plan?')
    expect([automatic.code, answered.code, place.live()]).toEqual([4, 4, ['a  -> w']])
  })

  test('does not block with the digest of exactly this plan, which the refusal names', {
    tags: ['8.4'],
  }, async () => {
    const place = await assigned()
    const refused = await place.setpoint(['apply'])
    const [, digest = ''] = /--approve ([0-9a-f]+)/.exec(refused.stderr) ?? []
    expect(digest).toHaveLength(64)
    const { code } = await place.setpoint(['apply', '--approve', digest])
    expect({ code, live: place.live() }).toEqual({ code: 0, live: [] })
  })

  const B = { name: 'b', variables: [{ key: 'B', category: 'env', value: '1' }] } as const
  const FLAGS = [
    ['-C', 'infra'],
    ['-C', 'infra', '--config', 'other.yaml'],
    ['-C', 'infra', '--only', 'a*', '--only', "it's"],
    ['-C', 'infra', '--adopt', 'b'],
    ['-C', 'infra', '--limit', 'files=60000', '--limit', 'file-bytes=9000000'],
    ['-C', 'infra', '--secrets', 'secrets.json'],
  ]
  /** Each format, and where it contains the command to approve. */
  const FORMS = {
    text: /^BLOCKED +After review: (setpoint apply .*)$/m,
    markdown: /^\*\*BLOCKED\*\* After review: `(setpoint apply [^`]*)`$/m,
    html: /<code class="command">(setpoint apply [^<]*)</,
  }

  const withFlags = (form: keyof typeof FORMS) => (flags: string[]) => ({ flags, form, where: FORMS[form] })
  test.each([
    ...FLAGS.map(withFlags('text')),
    ...FLAGS.filter(flags => flags.includes("it's")).flatMap(flags => [
      withFlags('markdown')(flags),
      withFlags('html')(flags),
    ]),
  ])('plan $flags --format $form prints a command that works unchanged', async ({ flags, form, where }) => {
    const place = await aPlace(
      {
        'infra/setpoint.yaml': 'organization: acme\nowner: me\nguards: { protect: [a] }\n',
        'infra/other.yaml': 'organization: acme\nowner: me\nguards: { protect: [a] }\n',
        'infra/sets/a.yaml': 'removed: [a]\nvariableSets: { b: { env: { B: 2 } }, "it\'s": {} }\n',
        'infra/secrets.json': '{}\n',
      },
      { sets: [{ name: 'a', workspaces: ['w'] }, B] },
    )
    const planned = await place.setpoint(['plan', ...flags, '--format', form])
    const [, html = ''] = where.exec(planned.stdout) ?? []
    const command = html.replaceAll('&#39;', "'").replaceAll('&amp;', '&')
    expect(wordsOf(command)).toEqual(expect.arrayContaining([...flags]))
    const { code } = await place.setpoint(wordsOf(command))
    expect({ code, live: place.live().filter(line => line.startsWith('a ')) }).toEqual({
      code: 0,
      live: [],
    })
  })

  test('does not block with the digest from a JSON report', async () => {
    const place = await assigned()
    expect((await place.setpoint(['apply', '--approve', await digestOf(place)])).code).toBe(0)
    expect(place.live()).toEqual([])
  })
})

describe('the confirmation on a terminal', () => {
  test('"yes" applies the plan that was shown', async () => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply'], { answers: [' yes\n'] })
    expect(after(place, ran)).toEqual(DONE)
    expect(ran.stdout).toMatch(
      /: 1 request\n(?:.*\n)*?Apply this plan\? Only "yes" is accepted: setpoint apply/,
    )
  })

  test.each(['y', 'Y', 'YES', ' ye '])('%j is asked once more, and then "yes" applies', async answer => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply'], { answers: [answer, 'yes'] })
    expect(after(place, ran)).toEqual(DONE)
    expect(ran.stdout).toContain(
      `Only "yes" is accepted: "${answer.trim()}" is not accepted. To agree, write "yes": setpoint apply`,
    )
  })

  test.each([
    ...[[''], ['no'], ['yes please'], ['yyes']],
    ...[
      ['no', 'yes'],
      ['y', 'y', 'yes'],
      ['y', 'no'],
      ['y', ''],
      ['YES', 'YES', 'yes'],
    ],
  ])('%j is no confirmation', async (...answers) => {
    const place = await aPlace(ONE)
    const { code, stderr } = await place.setpoint(['apply'], { answers })
    expect(stderr).toContain('The plan was not confirmed.\n  Nothing was written.')
    expect({ code, live: place.live() }).toEqual({ code: 4, live: [] })
  })

  test('the plan is shown before the question, whatever the format of the result', async () => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply', '--format', 'json'], {
      io: { input: () => ({ ask: async () => 'yes' }) },
    })
    expect(ran.stderr).toContain('1 set is created: 1 request')
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'apply', exitCode: 0 })
  })

  test('a signal during the question ends the run with the exit code of the signal', async () => {
    const place = await aPlace(ONE)
    const stop = new AbortController()
    const ask = async () => {
      stop.abort()
      return ''
    }
    const { code } = await place.setpoint(['apply'], {
      io: {
        input: () => ({ ask }),
        stop: stop.signal,
        stoppedBy: () => (stop.signal.aborted ? 'SIGTERM' : undefined),
      },
    })
    expect({ code, live: place.live() }).toEqual({ code: 143, live: [] })
  })

  /** The service changes before the question is answered. */
  const whileAsking = (place: Place, sets: Parameters<typeof place.change>[0]) =>
    place.setpoint(['apply'], {
      io: {
        input: () => ({
          ask: async () => {
            place.change(sets)
            return 'yes'
          },
        }),
      },
    })

  test('a change of the service during the question is refused, with the reviewed and the current steps', async () => {
    const place = await aPlace(ONE, { sets: [{ name: 'a' }] })
    const { code, stderr } = await whileAsking(place, [
      { name: 'a', variables: [{ key: 'A', category: 'env', value: '9' }] },
    ])
    expect(stderr).toBe(
      [
        'error refused',
        '  The reviewed plan is out of date.',
        '  create-variable a env/A',
        '    reviewed: create-variable a env/A',
        '    now:      update-variable a env/A',
        '  update-variable a env/A',
        '    reviewed: nothing',
        '    now:      update-variable a env/A',
        '  Nothing was written. Make a new plan and have it reviewed.',
        '',
      ].join('\n'),
    )
    expect({ code, live: place.live() }).toEqual({ code: 4, live: ['a  env/A=9'] })
  })

  test('a step done by somebody else during the question is reported, and nothing is written', async () => {
    const place = await aPlace(ONE)
    const { code, stderr } = await whileAsking(place, [
      { name: 'a', variables: [{ key: 'A', category: 'env', value: '1' }] },
    ])
    expect(stderr).toBe('already done: "create-set a"\n')
    expect({ code, live: place.live() }).toEqual({ code: 0, live: ['a  env/A=1'] })
  })
})
