import type { Family } from '../family.ts'
import { PROMISES, type Rehearsed, rehearse } from './release.ts'

const NAMES = Object.keys(PROMISES) as (keyof typeof PROMISES)[]

/** Rehearses a release: made as its workflow makes it, and used as its users use it. */
const delivery: Family<'release', Rehearsed> = {
  name: 'delivery',
  proves: [],
  // Not in a sample, because it takes as long as many tests.
  tasks: size => (size === 'sample' ? [] : ['release']),
  seconds: () => 60,
  isAlone: () => true,
  run: rehearse,
  conclude: done => ({
    figures: [['releases rehearsed', done.length]],
    promises: done.flatMap(({ found }) =>
      NAMES.map(name => ({ promise: `a release: ${PROMISES[name]}`, broken: found[name] })),
    ),
    section: `A release of the working tree, made by the commands of \`.github/workflows/release.yml\` with a registry and a remote on this machine:

${NAMES.map(name => `- ${PROMISES[name]}`).join('\n')}

It does not contain what only the forge and the registry can do: attestations, trusted publishing and the reviewers of the environment.`,
  }),
}

export default delivery
