import { writeBinary } from '../scripts/binary.mjs'
import { BIN, EMPTY, here, node, pairsOf, programProcess, ratioRow, wholeProcess } from './measure.mjs'

/**
 * One row for each command: first with the Node that measures, then with each other Node compared with its own empty script;
 * then the single executable compared with the bundle.
 */
export async function startUpTable(small, count, others = []) {
  const commands = [
    ['`setpoint --version`', ['--version'], 1.15],
    ['`setpoint validate`, one small set', ['validate', '-C', small], 1.5],
    ['`setpoint plan --sandbox`, one small set', ['plan', '--sandbox', '-C', small], 2],
  ]
  const nodes = [
    { named: '' },
    ...others.map(binary => ({
      binary,
      named: `, Node ${node(['--version'], { binary }).stdout.trim().slice(1)}`,
    })),
  ]
  const rows = nodes.flatMap(({ binary, named }) =>
    commands.map(([what, args, target]) => {
      const pairs = pairsOf(
        count,
        () => wholeProcess([BIN, ...args], process.env, binary),
        () => wholeProcess([EMPTY], process.env, binary),
      )
      return ratioRow(`${what}${named}`, pairs, { target, floorIs: 'an empty Node script' })
    }),
  )
  const binary = await writeBinary(`${small}-binary`)
  const single = commands.map(([what, args]) => {
    const pairs = pairsOf(
      count,
      () => programProcess(binary, args),
      () => wholeProcess([BIN, ...args]),
    )
    return ratioRow(`${what}, single executable`, pairs, { floorIs: 'the npm bundle' })
  })
  return { title: 'Start-up: whole processes', rows: [...rows, ...single] }
}

/**
 * The files of the bundle that each command may load, by the first part of their names. Every other file would only slow its
 * start.
 */
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
