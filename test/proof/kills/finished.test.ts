import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolvedYaml } from '../../../src/config/write.ts'
import type { ObservedState, ResolvedState } from '../../../src/model/variable-set.ts'
import type { Traits } from '../../../src/sandbox/index.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { desiredFor, observedState } from '../../support/arbitrary.ts'
import { inRepository, writable } from '../../support/repository.ts'
import { type Ran, run } from '../../support/run.ts'
import { asWritten } from '../../support/states.ts'
import { aWorld, seedFrom } from '../../support/world.ts'
import { SECRETS } from './apply-once.ts'

/** How an apply ends at a request: the process is gone, or the service answers nothing but 500 from there on. */
const MANNERS = ['killed before', 'killed after', '500 before', '500 after', '500 to writes'] as const

/** A service at which an apply ends, and what happens then. */
function ending(inner: Transport, at: number, manner: (typeof MANNERS)[number]) {
  let requests = 0
  let isEnded = false
  let die = (): void => {}
  const death = new Promise<undefined>(resolve => {
    die = () => resolve(undefined)
  })
  const transport: Transport = async (request, signal) => {
    requests++
    if (requests < at || (manner === '500 to writes' && request.method === 'GET'))
      return await inner(request, signal)
    if (!isEnded && manner.endsWith('after')) await inner(request, signal)
    isEnded = true
    if (manner.startsWith('500')) return { status: 500, headers: {}, body: '{}' }
    die()
    return await new Promise(() => {})
  }
  return { transport, death, isEnded: () => isEnded, requests: () => requests }
}

interface Case {
  readonly observed: ObservedState
  /** Two states of the files: with an owner, the first was applied before. */
  readonly first: ResolvedState
  readonly second: ResolvedState
}

const cases: fc.Arbitrary<Case> = observedState.chain(observed =>
  fc.record({ observed: fc.constant(observed), first: desiredFor(observed), second: desiredFor(observed) }),
)

const HISTORIES = [
  { name: 'without an owner', owner: '', traits: {} },
  { name: 'with an owner', owner: 'owner: me\n', traits: {} },
  {
    name: 'with an owner, where sets are created in several requests',
    owner: 'owner: me\n',
    traits: { setBody: 'ignored' },
  },
] as const satisfies readonly { name: string; owner: string; traits: Partial<Traits> }[]

/** Saves the plan, ends its apply at each request, and runs the same command again. `undefined`: there is nothing to plan. */
async function refusedOf({ observed, first, second }: Case, { owner, traits }: (typeof HISTORIES)[number]) {
  const [before, after] = [first, second].map(desired => writable({ desired, observed }).desired)
  if (before === undefined || after === undefined) return undefined
  return await inRepository({ desired: after }, async cwd => {
    const { sandbox } = await aWorld(observed.sets.map(seedFrom), { traits })
    const env = { ...SECRETS, SETPOINT_ADDRESS: 'https://tfe.example.com', SETPOINT_TOKEN: sandbox.token }
    const setpoint = (argv: readonly string[], transport = sandbox.transport): Promise<Ran> =>
      run(argv, { cwd, env, io: { transport } })
    const planned = async (...more: string[]) => {
      const { code, stdout } = await setpoint(['plan', ...more, '--format', 'json', '--out', 'plan.json'])
      return code === 0 ? (JSON.parse(stdout) as { digest: string; steps: unknown[] }) : undefined
    }
    writeFileSync(join(cwd, 'setpoint.yaml'), `organization: acme\n${owner}`)
    if (owner !== '') {
      const written = resolvedYaml({ sets: after.sets.map(asWritten), removed: after.removed })
      const earlier = resolvedYaml({ sets: before.sets.map(asWritten), removed: before.removed })
      writeFileSync(join(cwd, 'sets/all.yaml'), earlier)
      const { digest = '0'.repeat(64) } = (await planned('--adopt', '*')) ?? {}
      const applied = await setpoint(['apply', 'plan.json', '--adopt', '*', '--approve', digest])
      if (applied.code !== 0) return undefined
      // A new version of each secret, which only the inventory tells from one that was sent.
      writeFileSync(
        join(cwd, 'sets/all.yaml'),
        written.replace(/secret: ([ST])$/gm, 'secret: { name: $1, version: "2" }'),
      )
    }
    const plan = await planned()
    if (plan === undefined || plan.steps.length < 4) return undefined
    const words = ['apply', 'plan.json', '--approve', plan.digest, '--concurrency', '1', '--rate', '10000']
    const start = sandbox.snapshot({ sensitive: true })
    const whole = ending(sandbox.transport, Number.POSITIVE_INFINITY, '500 before')
    if ((await setpoint(words, whole.transport)).code !== 0) return undefined
    const refused: string[] = []
    for (let at = 1; at <= whole.requests(); at++) {
      const manner = MANNERS[(at + plan.steps.length) % MANNERS.length] ?? 'killed before'
      sandbox.restore(start)
      const { transport, death, isEnded } = ending(sandbox.transport, at, manner)
      await Promise.race([setpoint(words, transport), death])
      const again = await setpoint(words)
      const left = await setpoint(['plan', '--detailed-exitcode'])
      if (isEnded() && (again.code !== 0 || left.code !== 0))
        refused.push(`${manner} request ${at}: ${again.stderr}${left.stdout}`)
    }
    await sandbox.close()
    return refused
  })
}

const PLANS = 2

test.each(HISTORIES)(
  'a plan file and its digest finish every apply that ends at any request, $name',
  { tags: ['F-21', 'F-41'] },
  async history => {
    const seed = 1 + Number(process.env.SETPOINT_SEED ?? 0)
    let plans = 0
    for (const one of fc.sample(cases, { numRuns: 100, seed })) {
      const refused = await refusedOf(one, history)
      if (refused === undefined) continue
      expect(refused).toEqual([])
      if (++plans === PLANS) break
    }
    expect(plans).toBe(PLANS)
  },
)
