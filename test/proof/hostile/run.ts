import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Profile } from '../../../src/sandbox/index.ts'
import type { ApiRequest } from '../../../src/wire/transport.ts'
import { type Ran, run } from '../../support/run.ts'
import { type Fault, type Hostile, hostileService } from './service.ts'
import { foreignIn, ownIn, SECRETS, TOKEN, WANTED } from './story.ts'

/** The place of a fault in a run: the first matching request. */
export const PLACES: Readonly<Record<string, (request: ApiRequest) => boolean>> = {
  'the first read': ({ method }) => method === 'GET',
  'the new set': ({ method, path }) => method === 'POST' && path.endsWith('/varsets'),
  'the settings with two variables': ({ method, path }) => method === 'PATCH' && !path.includes('/vars/'),
  'the changed variable': ({ method, path }) => method === 'PATCH' && path.includes('/vars/'),
  'the deleted variable': ({ method, path }) => method === 'DELETE' && path.includes('/vars/'),
  'the deleted set': ({ method, path }) => method === 'DELETE' && !path.includes('/relationships/'),
  'the assignment': ({ method, path }) => method === 'POST' && path.endsWith('/workspaces'),
  'the unassignment': ({ method, path }) => method === 'DELETE' && path.endsWith('/workspaces'),
  'the closing read': request => request.method === 'GET' && request.headers['x-after-writes'] === 'yes',
}

/** Applies `fault` to the first matching request, or to every one. The result tells whether there was one. */
export function strike(
  hostile: Hostile,
  fault: Fault,
  fits: (request: ApiRequest) => boolean,
  often: 'once' | 'always',
): () => boolean {
  let wrote = false
  let struck = false
  hostile.choose = request => {
    const seen = wrote ? { ...request, headers: { ...request.headers, 'x-after-writes': 'yes' } } : request
    if (request.method !== 'GET') wrote = true
    if ((struck && often === 'once') || !fits(seen)) return undefined
    struck = true
    return fault
  }
  return () => struck
}

/** The state of the service, including secrets. */
export const snapshotOf = ({ sandbox }: Hostile) => sandbox.snapshot({ sensitive: true })

/** The service and a repository, removed after `use`. */
export async function withHostile(
  profile: Partial<Profile>,
  files: Readonly<Record<string, string>>,
  use: (hostile: Hostile, cwd: string) => Promise<void>,
): Promise<void> {
  const hostile = await hostileService(profile)
  const cwd = mkdtempSync(join(tmpdir(), 'setpoint-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    }
    await use(hostile, cwd)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
    await hostile.close()
  }
}

/** Waits take no time, because the clock of the run jumps. */
export async function apply(hostile: Hostile, cwd: string, consent = ['--auto-approve']): Promise<Ran> {
  const env = {
    SETPOINT_ADDRESS: hostile.url,
    SETPOINT_TOKEN: TOKEN,
    ...Object.fromEntries(Object.entries(SECRETS).map(([name, text]) => [`SETPOINT_SECRET_${name}`, text])),
  }
  let slept = 0
  const elapsed = (): number => performance.now() + slept
  const sleep = (ms: number): Promise<void> => {
    slept += ms
    return new Promise(resolve => setImmediate(resolve))
  }
  return await run(['apply', ...consent, '--rate', '10000'], { cwd, env, io: { elapsed, sleep } })
}

const HIDDEN = [TOKEN, ...Object.values(SECRETS), '\u001b', '\n    at ', 'internal error', 'undefined']

/** What must be true after any run, whatever happened to it. */
export function isHonest(
  hostile: Hostile,
  before: ReturnType<typeof snapshotOf>,
  { code, stdout, stderr }: Ran,
): void {
  const now = snapshotOf(hostile)
  const text = stdout + stderr
  ok([0, 1, 3, 4].includes(code), `${code}: ${text}`)
  deepEqual(foreignIn(now), foreignIn(before))
  if (code === 0) deepEqual(ownIn(now), asStored(text))
  if (code === 1 || code === 4) deepEqual(ownIn(now), ownIn(before), text)
  for (const hidden of HIDDEN) ok(!text.includes(hidden), `${JSON.stringify(hidden)} is in ${text}`)
  doesNotMatch(text, /^\s*::/m)
}

/** A service that drops white space at the ends of a value is no failure, if the run names the text to write. */
const asStored = (text: string): typeof WANTED =>
  text.includes('Write "spaces".') ? JSON.parse(JSON.stringify(WANTED).replace(' spaces ', 'spaces')) : WANTED

export async function isRepaired(hostile: Hostile, cwd: string): Promise<void> {
  hostile.choose = () => undefined
  const { code, stdout, stderr } = await apply(hostile, cwd)
  equal(code, 0, stdout + stderr)
  deepEqual(ownIn(snapshotOf(hostile)), WANTED)
}

/** A run with equal files writes nothing. */
export async function isStill(hostile: Hostile, cwd: string): Promise<void> {
  const sent = hostile.requests.length
  equal((await apply(hostile, cwd)).code, 0)
  deepEqual(
    hostile.requests.slice(sent).filter(text => !text.startsWith('GET ')),
    [],
  )
}
