import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, EMPTY, node, pairsOf, ratioRow, wholeProcess } from './measure.mjs'
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

/** What a command may load beside our own modules and Node's: the rest costs every start and does nothing there. */
const LOADED = [
  ['--version', [], []],
  ['--help', [], ['commander']],
  ['validate', ['-C'], ['commander', 'picomatch']],
  ['plan', ['--sandbox', '-C'], ['commander', 'diff', 'picomatch']],
]

const WATCH = `--import=${new URL('cold/modules.mjs', import.meta.url)}`

export function modulesTable(small) {
  const rows = LOADED.map(([command, options, allowed]) => {
    const args = options.length === 0 ? [] : [...options, small]
    const { stderr } = node([WATCH, BIN, command, ...args])
    const urls = stderr.split('\n').filter(line => line.startsWith('file:'))
    const packages = [
      ...new Set(urls.flatMap(url => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])),
    ]
    const own = urls.filter(url => url.includes('/dist/') && !url.includes('/node_modules/')).length
    return {
      what: `\`${['setpoint', command, ...options.filter(option => option !== '-C')].join(' ')}\``,
      own,
      packages,
      mustHold: true,
      met: own > 0 && packages.every(name => allowed.includes(name)),
    }
  })
  return { title: 'Modules loaded', rows }
}
