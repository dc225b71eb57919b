import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Traits } from '../../src/sandbox/index.ts'
import { type ApiRequest, type Transport, TransportError } from '../../src/wire/transport.ts'
import { aPlace, type Place, TO_FINISH } from '../support/place.ts'
import type { Ran } from '../support/program.ts'

/** What was applied before. */
const BEFORE = {
  'setpoint.yaml': 'organization: acme\nowner: me\n',
  'sets/a.yaml': `variableSets:
  changed:
    workspaces: [w]
    env:
      CHANGED: before
      GONE: 1
      MOVED: 1
      READABLE: { secret: S }
      TURNED: { secret: { name: S, version: "1" } }
    terraform: { FIXED: { secret: { name: S, version: "1" } } }
  before: { env: { A: 1 } }
  wide: {}
  gone: { workspaces: [w], env: { A: 1 } }
  kept: {}
`,
}
/** Every kind of operation that no guard blocks. */
const FILES = {
  'sets/a.yaml': `variableSets:
  new: { env: { A: 1, S: { secret: { name: S, version: "1" } } }, workspaces: [w] }
  changed:
    description: after
    workspaces: [x]
    env:
      ADDED: 1
      CHANGED: after
      READABLE: text
      TURNED: { secret: { name: S, version: "2" } }
      WRITTEN: { secret: { name: S, version: "1" } }
    terraform: { MOVED: 1, FIXED: { secret: { name: S, version: "2" }, hcl: true } }
  renamed: { previousNames: [before], priority: true, env: { A: 2 } }
  wide: { global: true, env: { G: 1 } }
removed: [kept]
`,
}
/** The same, and a set that is deleted while it reaches a workspace. */
const BLOCKED = { 'sets/a.yaml': FILES['sets/a.yaml'].replace('[kept]', '[kept, gone]') }
const SECRETS = { SETPOINT_SECRET_S: 'the-new-secret' }

/** Where an apply ends: all requests from this one on fail, or all writes. */
interface Cut {
  readonly at: number
  /** `before`: nothing arrives any more. `after`: the first one arrives, and its response is lost. */
  readonly when: 'before' | 'after'
  readonly only: 'writes' | 'all'
}

/** A connection that is cut during an apply. */
function cutting(place: Place, cut: Cut | undefined) {
  const log: ApiRequest[] = []
  let requests = 0
  let isCut = false
  const transport: Transport = async (request, signal) => {
    log.push(request)
    const counts = cut?.only === 'all' || request.method !== 'GET'
    if (counts) requests++
    if (cut === undefined || !counts || requests < cut.at)
      return await place.sandbox.transport(request, signal)
    if (!isCut && cut.when === 'after') await place.sandbox.transport(request, signal)
    isCut = true
    const what = `${request.method} ${request.path}: the connection ended`
    throw new TransportError(what, { sent: cut.when === 'after' ? 'maybe' : 'no', code: 'ECONNRESET' })
  }
  return { io: { transport }, cut: () => isCut, log }
}

/** A form of consent: its arguments, given the digest of the plan. */
interface Form {
  readonly name: string
  readonly files: typeof FILES
  readonly argv: (digest: string) => readonly string[]
  readonly env?: (digest: string) => Readonly<Record<string, string>>
  readonly answers?: readonly string[]
}

const FORMS: readonly Form[] = [
  { name: '--auto-approve', files: FILES, argv: () => ['--auto-approve'] },
  { name: '"yes" at the terminal', files: FILES, argv: () => [], answers: ['yes'] },
  { name: 'a plan file', files: FILES, argv: () => ['plan.json'] },
  { name: 'file and digest', files: FILES, argv: digest => ['plan.json', '--approve', digest] },
  { name: 'a digest alone', files: FILES, argv: digest => ['--approve', digest] },
  {
    name: 'file and digest of a blocked plan',
    files: BLOCKED,
    argv: digest => ['plan.json', '--approve', digest],
  },
  { name: 'the digest alone of a blocked plan', files: BLOCKED, argv: digest => ['--approve', digest] },
  {
    name: 'SETPOINT_APPROVE alone of a blocked plan',
    files: BLOCKED,
    argv: () => [],
    env: digest => ({ SETPOINT_APPROVE: digest }),
  },
]

/** The words that a real shell makes of a printed command, without the name of the program. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `setpoint() { printf '%s\\n' "$@"; }; ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

/** A repository with a saved plan, and runs of its apply with this consent. */
async function aPlan({ files, argv, env: more = () => ({}), answers }: Form, traits: Partial<Traits> = {}) {
  const place = await aPlace(BEFORE, { traits })
  await place.setpoint(['apply', '--auto-approve'], { env: { SETPOINT_SECRET_S: 'the-old-secret' } })
  place.write(files)
  const planned = await place.setpoint(['plan', '--out', 'plan.json', '--format', 'json'])
  const { digest } = JSON.parse(planned.stdout)
  const before = place.sandbox.snapshot({ sensitive: true })
  const run = (words: readonly string[], io = {}) =>
    place.setpoint(words, {
      env: { ...SECRETS, ...more(digest) },
      ...(answers && { answers: [...answers] }),
      io,
    })
  const words = ['apply', ...argv(digest), '--concurrency', '1']
  return {
    place,
    run,
    apply: (io = {}) => run(words, io),
    /** Takes the service back to the plan. */
    reset: () => place.sandbox.restore(before),
  }
}

/** The command that a report prints after `Next:`; the same again if it says so. */
const nextOf = ({ stdout }: Ran): string | undefined => /^Next: (.*)$/m.exec(stdout)?.[1]

/** What a run leaves: nothing to do, and every secret written. */
async function leftIn(place: Place): Promise<unknown> {
  const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode'], { env: SECRETS })
  const missing = place.live().filter(line => /the-old-secret/.test(line))
  return code === 0 && missing.length === 0 ? 'nothing' : [stdout, missing]
}

/** Every third request, because each needs several runs. */
const STEP = 3

const MANNERS = [
  { when: 'before', only: 'writes' },
  { when: 'after', only: 'writes' },
  { when: 'before', only: 'all' },
  { when: 'after', only: 'all' },
] as const

/** Does what a report prints after `Next:`. */
async function follow(next: string, { place, run, apply }: Awaited<ReturnType<typeof aPlan>>) {
  const [, command] = /run (setpoint apply .*)$/.exec(next) ?? []
  const [, plan] = /review what is left, then apply (?:it|rest\.json): (setpoint plan.*)$/.exec(next) ?? []
  if (plan !== undefined) return await reviewed(place, plan)
  return command === undefined ? await apply() : await run(wordsOf(command))
}

/** Plans with the printed command, and applies exactly that plan. */
async function reviewed(place: Place, command: string): Promise<Ran> {
  const words = wordsOf(command)
  // Only what rewrites secrets has to be saved.
  const saved = words.includes('--rewrite') ? words : [...words, '--out', 'rest.json']
  const { stdout } = await place.setpoint([...saved, '--format', 'json'])
  return await place.setpoint(['apply', 'rest.json', '--approve', JSON.parse(stdout).digest], {
    env: SECRETS,
  })
}

test.each(FORMS.map((form, first) => ({ ...form, first })))(
  'a cut apply by $name is finished by what it prints',
  async form => {
    const plan = await aPlan(form)
    expect([(await plan.apply()).code, await leftIn(plan.place)]).toEqual([0, 'nothing'])
    // Each form begins with another request, and together they are cut at every one.
    let whole = 0
    for (let at = 1 + (form.first % STEP); whole < MANNERS.length; at += STEP) {
      const manner = MANNERS[(at + form.first) % MANNERS.length] ?? MANNERS[0]
      plan.reset()
      const line = cutting(plan.place, { ...manner, at })
      const next = nextOf(await plan.apply(line.io)) ?? ''
      if (!line.cut()) {
        whole++
        continue
      }
      const finished = await follow(next, plan)
      const stderr = finished.stderr.replace(/^already done.*\n/gm, '').replace(TO_FINISH, '')
      expect([at, manner, next, finished.code, stderr]).toEqual([at, manner, next, 0, ''])
      expect([at, await leftIn(plan.place)]).toEqual([at, 'nothing'])
    }
  },
)

/** A process that is killed at this request, and what it printed until then; `undefined` if it ended before. */
async function killed(plan: Awaited<ReturnType<typeof aPlan>>, at: number, arrives: boolean) {
  const printed: string[] = []
  const stderr = { write: (text: string) => void printed.push(text), terminal: false, columns: 120 }
  let requests = 0
  let die = (): void => {}
  const death = new Promise<'killed'>(resolve => {
    die = () => resolve('killed')
  })
  const transport: Transport = async (request, signal) => {
    if (++requests < at) return await plan.place.sandbox.transport(request, signal)
    if (requests === at && arrives) await plan.place.sandbox.transport(request, signal)
    die()
    return await new Promise(() => {})
  }
  const ended = await Promise.race([plan.apply({ transport, stderr }), death])
  return ended === 'killed' ? printed.join('') : undefined
}

test.each(FORMS.map((form, first) => ({ ...form, first })))(
  'an apply by $name that is killed is finished by the same command, or by the review that it announced',
  async form => {
    const plan = await aPlan(form)
    for (let at = 1 + (form.first % STEP); ; at += STEP) {
      plan.reset()
      const printed = await killed(plan, at, at % 2 === 0)
      if (printed === undefined) break
      const [, review] =
        /^If this apply stops halfway, the rest needs a new review: (.*)$/m.exec(printed) ?? []
      const isAlone = form.argv('').join(' ') === '--approve ' || form.env !== undefined
      const again = await plan.apply()
      // Nothing was written yet, or everything was.
      const isWhole = again.code === 0
      if (!isAlone || isWhole) expect([at, again.code, again.stdout]).toEqual([at, 0, expect.any(String)])
      else {
        expect([at, again.code, review]).toEqual([at, 4, 'setpoint plan --concurrency 1'])
        expect((await reviewed(plan.place, review ?? '')).code).toBe(0)
      }
      expect([at, await leftIn(plan.place)]).toEqual([at, 'nothing'])
    }
  },
)

const isCreation = ({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean =>
  method === 'POST' && path.endsWith('/varsets')

/** After the creation of the set, and after each of its variables: it is read once in between. */
const HALF = [
  [0, 'new'],
  [2, 'new  env/A=1'],
  [3, 'new  env/A=1 env/S=(the-new-secret)'],
] as const

test.each(FORMS.filter(({ name }) => ['--auto-approve', 'a plan file', 'a digest alone'].includes(name)))(
  'a set that a cut apply left half-made is finished by what it prints, with $name',
  async form => {
    const plan = await aPlan(form, { setBody: 'ignored' })
    plan.reset()
    const { io, log } = cutting(plan.place, undefined)
    await plan.apply(io)
    const created = log.findIndex(isCreation) + 1
    for (const [later, half] of HALF) {
      plan.reset()
      const line = cutting(plan.place, { when: 'after', only: 'all', at: created + later })
      const next = nextOf(await plan.apply(line.io)) ?? ''
      expect(plan.place.live().filter(text => text.startsWith('new'))).toEqual([half])
      const finished = await follow(next, plan)
      expect([half, next, finished.code, await leftIn(plan.place)]).toEqual([half, next, 0, 'nothing'])
    }
  },
)

test('a secret that may have arrived is sent by a plan with the same selection and the same source', async () => {
  const set = (more: string) =>
    `variableSets:\n  one: { env: { A: 1${more} } }\n  "2 two*": { env: { A: 1${more} } }\n`
  const place = await aPlace({ 'held.json': '{ "S": "the-new-secret" }', 'sets/a.yaml': set('') })
  await place.setpoint(['apply', '--auto-approve'])
  place.write({ 'sets/a.yaml': set(', K: { secret: S }') })
  const words = ['--concurrency', '1', '--only', '* *', '--secrets', 'held.json']
  const before = place.sandbox.snapshot({ sensitive: true })
  const whole = cutting(place, undefined)
  await place.setpoint(['apply', '--auto-approve', ...words], { io: whole.io })
  place.sandbox.restore(before)
  // The secret arrives, and nothing is heard any more.
  const at = whole.log.findIndex(({ method }) => method === 'POST') + 1
  const line = cutting(place, { when: 'after', only: 'all', at })
  const ran = await place.setpoint(['apply', '--auto-approve', ...words], { io: line.io })
  const [, command = ''] = /^review what is left, then apply rest\.json: (.*)$/.exec(nextOf(ran) ?? '') ?? []
  const { sets = [] } = place.sandbox.snapshot()
  const id = sets.find(({ name }) => name === '2 two*')?.id
  expect(wordsOf(command)).toEqual(['plan', ...words, '--rewrite', `${id}/env/K`, '--out', 'rest.json'])
  const finished = await reviewed(place, command)
  expect([finished.code, place.live().join()]).toEqual([0, expect.stringContaining('the-new-secret')])
})

/** A service that refuses to delete, until `end`. */
async function withoutDeletions(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
) {
  let isOver = false
  const place = await aPlace(before, {
    faults: {
      matches: ({ method }) => !isOver && method === 'DELETE',
      probability: 1,
      faults: [{ kind: 'error', status: 500, commit: 'before' }],
    },
  })
  await place.setpoint(['apply', '--auto-approve'])
  place.write(after)
  const end = (): void => {
    isOver = true
  }
  return { place, end }
}

const keys = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}: 1`).join(', ')

test('if a guard blocks only the rest, the report says so, and its command leads to the approval', async () => {
  // Three of ten keys are lost before. After the first part "A" gives three others, and "a" gives seven.
  const { place, end } = await withoutDeletions(
    {
      'sets/a.yaml': `variableSets: { a: { workspaces: [w, x], env: { ${keys('OLD', 4)}, ${keys('NEW', 3)}, ${keys('GONE', 3)} } } }\n`,
    },
    {
      'sets/a.yaml': `variableSets: { a: { workspaces: [w, x], env: { ${keys('OLD', 4)} } }, A: { workspaces: [w, x], env: { ${keys('NEW', 3)} } } }\n`,
    },
  )
  const ran = await place.setpoint(['apply', '--auto-approve'])
  expect([ran.code, nextOf(ran)]).toEqual([3, 'review what is left, then apply it: setpoint plan'])
  end()
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(4)
  const { stdout } = await place.setpoint(['plan'])
  const [, command = ''] = /After review: (setpoint apply .*)$/m.exec(stdout) ?? []
  expect((await place.setpoint(wordsOf(command))).code).toBe(0)
})

test.each(['its digest', 'nothing else'])(
  'a share of what is left, which only its deletions have, does not block a plan file with %s',
  async consent => {
    const { place, end } = await withoutDeletions(
      {
        'sets/a.yaml': `variableSets: { a: { workspaces: [w, x], env: { ${keys('OLD', 4)}, ${keys('NEW', 3)}, ${keys('GONE', 3)} } } }\n`,
      },
      {
        'sets/a.yaml': `variableSets: { a: { workspaces: [w, x], env: { ${keys('OLD', 4)} } }, A: { workspaces: [w, x], env: { ${keys('NEW', 3)} } } }\n`,
      },
    )
    const planned = await place.setpoint(['plan', '--out', 'plan.json', '--format', 'json'])
    const { digest, blocked } = JSON.parse(planned.stdout)
    const apply = ['apply', 'plan.json', ...(consent === 'its digest' ? ['--approve', digest] : [])]
    const ran = await place.setpoint(apply)
    expect([blocked, ran.code, nextOf(ran)]).toEqual([false, 3, 'run the same apply again'])
    end()
    const finished = await place.setpoint(apply)
    expect([finished.code, place.live()]).toEqual([
      0,
      [expect.stringContaining('NEW2'), expect.not.stringMatching('GONE|NEW')],
    ])
  },
)

test('with --expect-no-drift and no base, the printed command is without the flag', async () => {
  const files = (level: string) => ({
    'setpoint.yaml': 'organization: acme\nowner: me\n',
    'sets/a.yaml': `variableSets: { a: { env: { LEVEL: ${level}${level === 'new' ? '' : ', GONE: 1'} } } }\n`,
  })
  const { place, end } = await withoutDeletions(files('old'), files('new'))
  const ran = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'])
  expect([ran.code, nextOf(ran)]).toEqual([3, 'run setpoint apply --auto-approve'])
  end()
  const again = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'])
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('Possibly changed outside')])
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
})

test('with --expect-no-drift and a base, the same apply finishes', async () => {
  const files = (level: string) => ({
    'setpoint.yaml': 'organization: acme\nowner: me\n',
    'sets/a.yaml': `variableSets: { a: { env: { LEVEL: ${level}${level === 'new' ? '' : ', GONE: 1'} } } }\n`,
  })
  const { place, end } = await withoutDeletions(files('old'), files('old'))
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
      cwd: place.cwd,
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Before')
  place.write(files('new'))
  const words = ['apply', '--auto-approve', '--expect-no-drift', '--base', 'HEAD']
  const ran = await place.setpoint(words)
  expect([ran.code, nextOf(ran)]).toEqual([3, 'run the same apply again'])
  end()
  expect((await place.setpoint(words)).code).toBe(0)
})
