import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { Ran } from '../support/program.ts'
import { aPlace, ONE, type Place } from './place.ts'

const digestOf = async (place: Place): Promise<string> =>
  JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).digest

/** The arguments that a real shell makes from a printed command. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

/** The last lines of the output, and the sets of the service. */
const after = (place: Place, { code, stderr }: Ran) => ({ code, stderr, live: place.live() })
const DONE = { code: 0, stderr: '', live: ['a  env/A=1'] }

describe('consent', () => {
  test('--auto-approve is enough if no guard blocks', { tags: ['F-26'] }, async () => {
    const place = await aPlace(ONE)
    expect(after(place, await place.setpoint(['apply', '--auto-approve']))).toEqual(DONE)
  })

  test.each([12, 13, 64])('at a terminal --approve takes %i digits, and nothing else is asked', async n => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    const ran = await place.setpoint(['apply', '--approve', digest.slice(0, n)], { answers: ['no'] })
    expect(after(place, ran)).toEqual(DONE)
    expect(ran.stdout).not.toContain('Apply this plan?')
  })

  test('without a terminal --approve takes all 64 digits', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    expect(after(place, await place.setpoint(['apply', '--approve', digest]))).toEqual(DONE)
  })

  test.each([
    ['12 digits', (digest: string) => digest.slice(0, 12), 12],
    ['63 digits', (digest: string) => digest.slice(0, 63), 63],
    [
      '12 digits of this plan beside the digest of another',
      (d: string) => `${'0'.repeat(64)},${d.slice(0, 12)}`,
      12,
    ],
  ])('without a terminal %s are refused, with what is needed and why', async (_, given, many) => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    const refusals = [
      await place.setpoint(['apply', '--auto-approve', '--approve', given(digest)]),
      await place.setpoint(['apply'], { env: { SETPOINT_APPROVE: given(digest) } }),
    ]
    for (const { code, stderr } of refusals)
      expect({ code, stderr, live: place.live() }).toEqual({
        code: 4,
        stderr: [
          'error refused',
          `  The approval "${digest.slice(0, many)}" has ${many} of 64 digits; without a terminal all 64 are needed, because an attacker can create another plan with the same first digits.`,
          `  Review the plan above, then add: --approve ${digest}`,
          '',
        ].join('\n'),
        live: [],
      })
  })

  test('SETPOINT_APPROVE is the same, and the flag stands above it', async () => {
    const place = await aPlace(ONE)
    const digest = await digestOf(place)
    const wrong = '0'.repeat(12)
    const refused = await place.setpoint(['apply', '--approve', wrong], { env: { SETPOINT_APPROVE: digest } })
    expect(refused.code).toBe(4)
    const env = { SETPOINT_APPROVE: digest }
    expect(after(place, await place.setpoint(['apply'], { env }))).toEqual(DONE)
  })

  test('an empty SETPOINT_APPROVE, as an unset variable of a pipeline is, is none', async () => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply'], { env: { SETPOINT_APPROVE: '' } })
    expect(ran.stderr).toContain('There is no terminal to ask for confirmation.')
    expect(ran.code).toBe(4)
  })

  test.each([
    ['12 digits', 'abcdef012345'],
    ['64 digits', 'a'.repeat(64)],
  ])('another digest of %s approves nothing', async (_, given) => {
    const place = await aPlace(ONE)
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', '--approve', given])
    expect(stderr).toContain(`The approval is for "${given}", but the current plan is`)
    expect({ code, live: place.live() }).toEqual({ code: 4, live: [] })
  })

  test.each([
    ['the digest in upper case', (digest: string) => `A${digest.toUpperCase()}`.slice(0, 64)],
    ['more than the digest', (digest: string) => `${digest}0`],
    ['a pattern', () => '.*'],
    ['eleven digits', (digest: string) => digest.slice(0, 11)],
    ['a word', () => 'abc'],
    ['nothing beside the digest', (digest: string) => `${digest},`],
    ['an empty digest in the environment', () => ' '],
  ])('%s cannot be a digest: an error, and no plan is made', async (_, given) => {
    const place = await aPlace(ONE)
    const wrong = given(await digestOf(place))
    const named = JSON.stringify(wrong.split(',').at(-1))
    const runs = [
      ['--approve', await place.setpoint(['apply', '--approve', wrong], { answers: ['yes'] })],
      ['SETPOINT_APPROVE', await place.setpoint(['apply'], { env: { SETPOINT_APPROVE: wrong } })],
    ] as const
    for (const [from, { code, stderr, stdout }] of runs) {
      expect({ code, stdout, live: place.live() }).toEqual({ code: 1, stdout: '', live: [] })
      expect(stderr).toContain(`error bad-usage\n  ${from}: ${named} is not the digest of a plan.`)
    }
  })

  test('where nothing differs, what was approved is said to be unneeded, and what cannot be a digest is an error', async () => {
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

  test('an approval is for one plan: after a change of the files it approves nothing', async () => {
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

  test('does not yield to --auto-approve or to a yes, which is not even asked for', async () => {
    const place = await assigned()
    const automatic = await place.setpoint(['apply', '--auto-approve'])
    const answered = await place.setpoint(['apply'], { answers: ['yes'] })
    expect(answered.stdout).not.toContain('Apply this plan?')
    expect([automatic.code, answered.code, place.live()]).toEqual([4, 4, ['a  -> w']])
  })

  test('yields to the digest of exactly this plan, which the refusal names', { tags: ['8.4'] }, async () => {
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
  ]
  /** Each format, and where it has the command to approve. */
  const FORMS = {
    text: /^BLOCKED .* After review: (setpoint apply .*)$/m,
    markdown: /^Approve after review: (?:.*, or )?`(setpoint apply [^`]*)`$/m,
    html: /<code class="command">(setpoint apply [^<]*)</,
  }

  test.each(FLAGS.flatMap(flags => Object.entries(FORMS).map(([form, where]) => ({ flags, form, where }))))(
    'plan $flags --format $form prints a command that works as it stands',
    async ({ flags, form, where }) => {
      const place = await aPlace(
        {
          'infra/setpoint.yaml': 'organization: acme\nowner: me\n',
          'infra/other.yaml': 'organization: acme\nowner: me\n',
          'infra/sets/a.yaml': 'removed: [a]\nvariableSets: { b: { env: { B: 2 } }, "it\'s": {} }\n',
        },
        { sets: [{ name: 'a', workspaces: ['w'] }, B] },
      )
      const planned = await place.setpoint(['plan', ...flags, '--format', form])
      const [, html = ''] = where.exec(planned.stdout) ?? []
      const command = html.replaceAll('&#39;', "'").replaceAll('&amp;', '&')
      const { code } = await place.setpoint(wordsOf(command))
      expect({ code, live: place.live().filter(line => line.startsWith('a ')) }).toEqual({
        code: 0,
        live: [],
      })
    },
  )

  test('yields to the digest of a report in JSON as it stands there', async () => {
    const place = await assigned()
    expect((await place.setpoint(['apply', '--approve', await digestOf(place)])).code).toBe(0)
    expect(place.live()).toEqual([])
  })
})

describe('the confirmation on a terminal', () => {
  test('a yes applies the plan that was shown', async () => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply'], { answers: [' yes\n'] })
    expect(after(place, ran)).toEqual(DONE)
    expect(ran.stdout).toMatch(
      /1 request: 1 create\n(?:.*\n)*?Apply this plan\? Only "yes" is accepted: setpoint apply/,
    )
  })

  test.each(['', 'no', 'y', 'YES', 'yes please'])('%j is no confirmation', async answer => {
    const place = await aPlace(ONE)
    const { code, stderr } = await place.setpoint(['apply'], { answers: [answer] })
    expect(stderr).toContain('The plan was not confirmed.\n  Nothing was written.')
    expect({ code, live: place.live() }).toEqual({ code: 4, live: [] })
  })

  test('the plan is shown before it is asked, whatever the format of the result', async () => {
    const place = await aPlace(ONE)
    const ran = await place.setpoint(['apply', '--format', 'json'], {
      io: { input: () => ({ ask: async () => 'yes' }) },
    })
    expect(ran.stderr).toContain('1 request: 1 create')
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'apply', exitCode: 0 })
  })

  test('a signal while it is asked ends as the signal says', async () => {
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

  /** Somebody else changes the service before the question is answered. */
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

  test('what moved while it was asked is refused, with what was reviewed and what is now', async () => {
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

  test('what was done meanwhile is reported and nothing is written', async () => {
    const place = await aPlace(ONE)
    const { code, stderr } = await whileAsking(place, [
      { name: 'a', variables: [{ key: 'A', category: 'env', value: '1' }] },
    ])
    expect(stderr).toBe('already done: "create-set a"\n')
    expect({ code, live: place.live() }).toEqual({ code: 0, live: ['a  env/A=1'] })
  })
})
