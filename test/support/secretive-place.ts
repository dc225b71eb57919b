import type { Canary } from './canary.ts'
import { aPlace, type Place } from './place.ts'

export const PLAIN = 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYCANARY'
export const AWKWARD = 'first "line" of \\ it\nsecond <line> & 50% \u00e9\u4e16\u{1f512} of it\ttail'
export const MOVED = 'moved-secret-3f61c2aa90'
const OLD = 'old-readable-value-of-a-secret-77ab'
const OLD_MOVED = 'old-readable-value-that-moves-51cd'
const HIDDEN = 'hidden-value-set-by-hand-9917ff'
const KEY = 'key-of-fingerprints-0d41c9e3b2a7f6581122'
export const TOKEN = 'token-of-the-run-a9f1e07c55'

export const CANARIES: readonly Canary[] = [
  { name: 'plain secret', text: PLAIN },
  { name: 'awkward secret', text: AWKWARD },
  { name: 'moved secret', text: MOVED },
  { name: 'old readable value', text: OLD },
  { name: 'old readable value that moves', text: OLD_MOVED },
  { name: 'hidden value', text: HIDDEN },
  { name: 'token', text: TOKEN },
  { name: 'key of fingerprints', text: KEY },
]

export const FILES = {
  'sets/a.yaml': `variableSets:
  new:
    workspaces: [w]
    env:
      PLAIN: { secret: PLAIN, description: A secret. }
      SHOWN: this may be seen
    terraform:
      AWKWARD: { secret: AWKWARD }
  changed:
    env:
      BECOMES: { secret: PLAIN }
      ROTATED: { secret: PLAIN, description: changed }
      OUTSIDE: { external: true, description: changed }
  target:
    global: true
    env:
      MOVES: { secret: MOVED }
  source:
    global: true
removed: [gone]
`,
}
export const SETS = [
  {
    name: 'changed',
    variables: [
      { key: 'BECOMES', category: 'env', value: OLD },
      { key: 'ROTATED', category: 'env', value: HIDDEN, sensitive: true },
      { key: 'OUTSIDE', category: 'env', value: HIDDEN, sensitive: true },
    ],
  },
  { name: 'source', global: true, variables: [{ key: 'MOVES', category: 'env', value: OLD_MOVED }] },
  { name: 'target', global: true },
  { name: 'gone', variables: [{ key: 'G', category: 'env', value: HIDDEN, sensitive: true }] },
]
export const SECRETS = {
  SETPOINT_SECRET_PLAIN: PLAIN,
  SETPOINT_SECRET_AWKWARD: AWKWARD,
  SETPOINT_SECRET_MOVED: MOVED,
  SETPOINT_TOKEN: TOKEN,
  SETPOINT_FINGERPRINT_KEY: KEY,
}

/** A place with secrets in its files and its service, and with its own token. */
export async function aPlaceWithSecrets(given: Parameters<typeof aPlace>[1] = {}): Promise<Place> {
  const place = await aPlace(FILES, { sets: SETS, ...given })
  place.sandbox.ensure({ tokens: [{ token: TOKEN, permission: 'manage-workspaces' }] })
  return place
}
