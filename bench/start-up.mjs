import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, EMPTY, here, node, pairsOf, ratioRow, wholeProcess } from './measure.mjs'
import { ORGANIZATION } from './samples.mjs'

/** A repository with one set of one variable. */
export function writeSmall(directory) {
  mkdirSync(join(directory, 'sets'), { recursive: true })
  writeFileSync(join(directory, 'setpoint.yaml'), `organization: ${ORGANIZATION}\n`)
  writeFileSync(
    join(directory, 'sets/aws.yaml'),
    'variableSets:\n  aws:\n    description: Where we are.\n    env:\n      AWS_REGION: eu-west-1\n',
  )
  return directory
}

export function startUpTable(small, count) {
  const against = (what, args, target) =>
    ratioRow(
      what,
      pairsOf(
        count,
        () => wholeProcess([BIN, ...args]),
        () => wholeProcess([EMPTY]),
      ),
      { target, floorIs: 'an empty Node script' },
    )
  return {
    title: 'Start-up: whole processes',
    rows: [
      against('`setpoint --version`', ['--version'], 1.15),
      against('`setpoint validate`, one small set', ['validate', '-C', small], 1.5),
      against('`setpoint plan --sandbox`, one small set', ['plan', '--sandbox', '-C', small], 2),
    ],
  }
}

/** The files of the bundle that a command may load, by the first part of their names: the rest costs every start and does nothing. */
const LOADED = [
  ['--version', [], ['setpoint', 'rolldown-runtime']],
  ['--help', [], ['setpoint', 'rolldown-runtime', 'files']],
  ['validate', ['-C'], ['setpoint', 'rolldown-runtime', 'files']],
  ['plan', ['--sandbox', '-C'], ['setpoint', 'rolldown-runtime', 'files', 'plan', 'sandbox']],
]

export function modulesTable(small) {
  const rows = LOADED.map(([command, options, allowed]) => {
    const args = options.length === 0 ? [] : [...options, small]
    const { stderr } = node(['--require', here('cold/modules.cjs'), BIN, command, ...args])
    const files = stderr.split('\n').flatMap(line => /^loaded .*\/dist\/(.+)$/.exec(line)?.[1] ?? [])
    const packages = stderr.split('\n').filter(line => /^loaded .*\/node_modules\//.test(line)).length
    const names = files.map(file => /^bundle\/(.+?)(?:-[\w-]{8})?\.js$/.exec(file)?.[1] ?? file)
    return {
      what: `\`${['setpoint', command, ...options.filter(option => option !== '-C')].join(' ')}\``,
      files: names,
      mustHold: true,
      met: names.length > 0 && packages === 0 && names.every(name => allowed.includes(name)),
    }
  })
  return { title: 'Files loaded', rows }
}
