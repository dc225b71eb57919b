import type { Profile, Traits } from '../../../src/sandbox/index.ts'

/** Services on which a correct client must converge, as far as they have what is in a case (`onService`). */
export const PROFILES: Readonly<Record<string, Partial<Profile>>> = {
  interface: {},
  hcp: { server: 'hcp' },
  enterprise: { server: 'enterprise' },
  '2021-11': { server: '2021-11' },
  otf: { server: 'otf' },
  terrence: { server: 'terrence' },
  loose: { server: 'loose' },
  terse: { server: 'terse' },
  'loose/second': { server: 'loose', duplicates: 'second' },
  'loose/replace': { server: 'loose', duplicates: 'replace' },
  'terse/late': { server: 'terse', lists: 'late' },
  'hcp/late/second': { server: 'hcp', lists: 'late', duplicates: 'second' },
  'hcp/20': { server: 'hcp', largestPage: 20 },
  'terse/20': { server: 'terse', largestPage: 20 },
}

/** For states in which the case of a name or a key tells it from another. */
export const CASE_KEPT: Partial<Traits> = { storedNames: 'as sent', storedKeys: 'as sent' }

/** Services with small pages. Only a case with many sets or many variables has several pages on them. */
export const PAGED: readonly string[] = ['hcp/20', 'terse/20']
