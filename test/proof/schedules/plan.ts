import { CASES, LONG_LIST, RANDOM_CASES } from './cases.ts'
import { PAGED, PROFILES } from './profiles.ts'
import type { Unit } from './unit.ts'

const everywhere = Object.keys(PROFILES).filter(profile => !PAGED.includes(profile))

/** The number of services on which every case is played. */
export const SERVICES = everywhere.length

/** Services that need several requests for what others return in one. */
const SLOW: Readonly<Record<string, number>> = { otf: 450, terrence: 450, terse: 775, 'terse/late': 775 }

/** The units of the whole proof: every case made by hand on every service, and the long list on services with several pages. */
export const UNITS: readonly Unit[] = [
  ...CASES.flatMap(({ name }) =>
    everywhere.map(profile => ({ case: name, profile, count: SLOW[profile] ?? 1_050 })),
  ),
  ...PAGED.map(profile => ({ case: LONG_LIST, profile, count: SLOW[profile] ?? 660 })),
].map((unit, index) => ({ ...unit, seed: index + 1 }))

/** Another seed gives other schedules of the same units, and additional random pairs of states. */
export const unitsOf = (seed: number): readonly Unit[] =>
  seed === 1
    ? UNITS
    : [
        ...UNITS.map(unit => ({ ...unit, seed: unit.seed + 1_000 * seed })),
        ...Array.from({ length: RANDOM_CASES }, (_, index) => ({
          case: `random-${index}`,
          profile: everywhere[(index + seed) % everywhere.length] ?? 'interface',
          count: 500,
          seed: 1_000 * seed + index,
        })),
      ]
