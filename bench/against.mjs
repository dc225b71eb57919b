import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MANY, writeEffects, writeMany } from './effects.mjs'
import { BIN, binOf, node, pairsOf, processorTime, quantile } from './measure.mjs'
import { secretNames, writeSample, writeSmall } from './samples.mjs'
import { plain } from './tables.mjs'

const SETS = 1_000
const APPLIED = 300
const SECRETS = 'secrets.env'

/**
 * Compares another build's program with this one, by the processor time of whole processes: on a busy machine, this finds
 * differences that the clock does not. Each side has its own files and sandbox.
 */
export function againstTable(directory, other, count, only) {
  const sides = [
    { bin: BIN, directory: join(directory, 'ours') },
    { bin: binOf(other), directory: join(directory, 'theirs') },
  ]
  const rows = casesWith(only).map(({ what, begin, again, args }) => {
    const [ours, theirs] = sides.map(side => {
      const place = join(side.directory, what.replaceAll(/\W+/g, '-'))
      begin?.(place, (...given) => node([side.bin, ...given, '-C', place]))
      return () => {
        again?.(place)
        return processorTime([side.bin, ...args(place)])
      }
    })
    // The first run of each fills the caches for files and compiled code.
    ours()
    theirs()
    return row(what, pairsOf(count, ours, theirs))
  })
  return { title: `Compared with the build in ${other}: processor time of whole processes`, rows }
}

const CASES = [
  { what: '`setpoint --version`', args: () => ['--version'] },
  { what: '`setpoint validate`, one small set', begin: writeSmall, args: place => ['validate', '-C', place] },
  {
    what: `\`setpoint validate\`, ${SETS} files`,
    begin: place => writeSample(place, { sets: SETS, form: 'files' }),
    args: place => ['validate', '-C', place],
  },
  {
    what: `\`setpoint validate\`, ${SETS} sets in a file`,
    begin: place => writeSample(place, { sets: SETS }),
    args: place => ['validate', '-C', place],
  },
  { what: '`setpoint plan`, one small set', begin: writeSmall, args: place => planOf(place) },
  {
    what: `\`setpoint plan\`, ${SETS} sets to create`,
    begin: place => writeSample(place, { sets: SETS }),
    args: place => planOf(place),
  },
  {
    what: `\`setpoint plan\`, ${SETS} sets, 1 % changed`,
    begin: (place, program) => {
      writeSample(place, { sets: SETS })
      writeSecrets(place, SETS)
      program(...applyOf(place))
      writeSample(place, { sets: SETS, changeEvery: 100 })
    },
    args: place => planOf(place),
  },
  {
    what: `\`setpoint apply\`, ${APPLIED} sets to create`,
    begin: place => {
      writeSample(place, { sets: APPLIED })
      writeSecrets(place, APPLIED)
    },
    again: place => rmSync(join(place, '.setpoint'), { recursive: true, force: true }),
    args: place => applyOf(place),
  },
  {
    what: '`setpoint plan`, effects on 2000 workspaces',
    begin: (place, program) => {
      writeEffects(place, 'before')
      program('apply', '--sandbox', '--auto-approve', '-C', place)
      writeEffects(place, 'after')
    },
    args: place => planOf(place),
  },
  {
    what: `\`setpoint plan\`, ${MANY} sets to create for the same workspaces`,
    begin: place => writeMany(place),
    args: place => planOf(place),
  },
  {
    what: `\`setpoint plan\`, 2000 moves of a variable among ${MANY} sets`,
    begin: (place, program) => {
      writeMany(place, 0)
      program('apply', '--sandbox', '--auto-approve', '-C', place)
      writeMany(place, 1)
    },
    args: place => planOf(place),
  },
]

/** The cases whose names in the table contain a text. */
export const casesWith = (text = '') => CASES.filter(({ what }) => plain(what).includes(text))

const planOf = place => ['plan', '--sandbox', '-C', place]

const applyOf = place => [
  'apply',
  '--sandbox',
  '--auto-approve',
  '-C',
  place,
  '--secrets',
  join(place, SECRETS),
]

const writeSecrets = (place, sets) =>
  writeFileSync(
    join(place, SECRETS),
    secretNames(sets)
      .map(name => `${name}=value\n`)
      .join(''),
  )

function row(what, pairs) {
  const [ours, theirs] = [pairs.map(pair => pair.ours), pairs.map(pair => pair.floor)]
  const ratios = pairs.map(pair => pair.ours / pair.floor)
  return {
    what,
    against: quantile(ratios, 0.5),
    range: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    quickest: Math.min(...ours) / Math.min(...theirs),
    ours: quantile(ours, 0.5),
    theirs: quantile(theirs, 0.5),
  }
}
