import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeded, writeEffects, writeGroups, writeMany } from './effects.mjs'
import { BIN, EMPTY, here, node, pairsOf, processorTime, ratioRow, wholeProcess } from './measure.mjs'
import { organizationsPairs } from './organizations.mjs'
import { secretNames, writeSample, writeSmall } from './samples.mjs'
import { environmentOf, serve } from './serve.mjs'

/** A row: what is measured, and how, in an own directory. Each run is a whole process. */
const row = (what, floorIs, target, pairs, unit = 'ms') => ({
  what,
  measure: async (directory, isQuick) =>
    ratioRow(what, await pairs(directory, isQuick), { target, floorIs, unit }),
})

/** As many pairs as the row needs to be steady. */
const count = (isQuick, full) => (isQuick ? 1 : full)

const besideEmpty = args => async (directory, isQuick) => {
  const small = writeSmall(directory)
  return pairsOf(
    count(isQuick, 21),
    () => wholeProcess([BIN, ...args, ...(args[0] === '--version' ? [] : ['-C', small])]),
    () => wholeProcess([EMPTY]),
  )
}

/** The floor is only parsing in a whole process, without reading or checking the files. */
const besideParse = (sample, args, pairs) => async (directory, isQuick) => {
  const files = writeSample(directory, isQuick ? { ...sample, sets: 100 } : sample)
  return pairsOf(
    count(isQuick, pairs),
    () => wholeProcess([BIN, ...args, '-C', files]),
    () => wholeProcess([here('cold/parse.mjs'), files]),
  )
}

/** Peak memory in MiB, and the promised most. */
async function memory(directory, isQuick) {
  const files = writeSample(directory, { sets: isQuick ? 500 : 17_000, variables: 50, form: 100 })
  const mebibytes = bytesIn(files) / 2 ** 20
  process.stderr.write(`  ${mebibytes.toFixed(0)} MiB of files\n`)
  return pairsOf(
    count(isQuick, 3),
    () => peak([BIN, 'validate', '-C', files]),
    () => 500,
  )
}

function peak(args) {
  const { stderr } = node([`--import=${new URL('cold/memory.mjs', import.meta.url)}`, ...args])
  return Number(stderr.trim().split('\n').at(-1)) / 1024
}

const bytesIn = directory =>
  readdirSync(directory, { recursive: true })
    .map(path => statSync(join(directory, path)))
    .reduce((sum, status) => sum + (status.isFile() ? status.size : 0), 0)

const LATENCY = 50

/** A plan over a real socket to a service that takes 50 ms for every response, and the bare requests of it. */
async function network(directory, isQuick) {
  const files = writeSample(directory, { sets: isQuick ? 100 : 1_000, form: 'files' })
  const service = await serve([files, `${LATENCY}`])
  const bare = [here('cold/requests.mjs'), service.url, service.token, service.organization]
  const pairs = pairsOf(
    count(isQuick, 9),
    () => wholeProcess([BIN, 'plan', '-C', files], environmentOf(service)),
    () => wholeProcess(bare),
  )
  service.end()
  return pairs
}

/** An organization with many workspaces, in which every second set changes the values of its workspaces. */
async function effects(directory, isQuick) {
  writeEffects(directory, 'before')
  node([BIN, 'apply', '--sandbox', '--auto-approve', '-C', directory, '--format', 'json'], {
    env: seeded(directory),
  })
  writeEffects(directory, 'after')
  return pairsOf(
    count(isQuick, 9),
    () => wholeProcess([BIN, 'plan', '--sandbox', '-C', directory], seeded(directory)),
    () => 3_000,
  )
}

/** The ten rules of example 14, by the processor time of all threads. */
async function rules(directory, isQuick) {
  const sets = isQuick ? 200 : 1_000
  writeEffects(directory, 'before', sets)
  node([BIN, 'apply', '--sandbox', '--auto-approve', '-C', directory, '--format', 'json'], {
    env: seeded(directory),
  })
  writeEffects(directory, 'after', sets)
  const args = [BIN, 'plan', '--sandbox', '-C', directory]
  const place = join(directory, 'rules')
  return pairsOf(
    count(isQuick, 9),
    () => {
      cpSync(here('../examples/14-rules/rules'), place, { recursive: true })
      const ms = processorTime(args, seeded(directory))
      rmSync(place, { recursive: true })
      return ms
    },
    () => processorTime(args, seeded(directory)),
  )
}

/** 10,000 sets for 2,000 workspaces, of which 2,000 move a variable. */
async function moves(directory, isQuick) {
  writeMany(directory, 0)
  node([BIN, 'apply', '--sandbox', '--auto-approve', '-C', directory, '--format', 'json'], {
    env: seeded(directory),
  })
  const equal = () => wholeProcess([BIN, 'plan', '--sandbox', '-C', directory], seeded(directory))
  return pairsOf(
    count(isQuick, 3),
    () => {
      writeMany(directory, 1)
      const ms = equal()
      writeMany(directory, 0)
      return ms
    },
    equal,
  )
}

/** The selections of twenty groups in an organization with 20,000 workspaces, and the new text of their file. */
async function groups(directory, isQuick) {
  writeGroups(directory, isQuick ? 2_000 : 20_000)
  return pairsOf(
    count(isQuick, 5),
    () => Number(node([here('cold/groups.mjs'), directory]).stdout),
    () => 3_000,
  )
}

const RATE = 30

/** How much of a rate limit an apply uses. */
async function rateLimit(directory, isQuick) {
  const operations = isQuick ? 60 : 500
  const files = writeSample(directory, { sets: operations })
  const service = await serve(['', '0', `${RATE}`])
  const secrets = join(directory, 'secrets')
  mkdirSync(secrets)
  for (const name of secretNames(operations)) writeFileSync(join(secrets, name), 'x')
  const args = [BIN, 'apply', '-C', files, '--auto-approve', '--rate', `${RATE}`, '--secrets', secrets]
  const ours = wholeProcess(args, environmentOf(service))
  service.end()
  // The requests: the sets, and two reads of lists that have a page for a hundred.
  const requests = operations + 1 + Math.ceil(operations / 100)
  return [{ ours, floor: (requests / RATE) * 1_000 }]
}

const ONE_THOUSAND_FILES = { sets: 1_000, form: 'files' }
const LARGE = { sets: 10_000, variables: 50, form: 100 }

/** The rows of docs/reliability.md. */
export const ROWS = [
  row('`setpoint --version`', 'an empty Node script', undefined, besideEmpty(['--version'])),
  row('`setpoint validate`, one small set', 'an empty Node script', undefined, besideEmpty(['validate'])),
  row(
    '`setpoint plan --sandbox`, one small set',
    'an empty Node script',
    undefined,
    besideEmpty(['plan', '--sandbox']),
  ),
  row(
    '`setpoint validate`, 1,000 files of 20 variables',
    'parse the same YAML',
    1.8,
    besideParse(ONE_THOUSAND_FILES, ['validate'], 11),
  ),
  row(
    '`setpoint validate`, 10,000 sets of 50 variables',
    'parse the same YAML',
    undefined,
    besideParse(LARGE, ['validate'], 3),
  ),
  row('`setpoint validate`, 50 MB of files: peak memory', 'the promised most', 1, memory, 'MiB'),
  row('plan of 1,000 sets over the network, 50 ms a response', 'only the requests', undefined, network),
  row('plan of 200 sets for 2,000 workspaces, 1,000 changes', '3 seconds, the promised most', 1, effects),
  row(
    'groups of 20,000 workspaces, rewritten, beside the requests',
    '3 seconds, the promised most',
    1,
    groups,
  ),
  row(
    'plan of 10,000 sets for 2,000 workspaces, 2,000 moves',
    'the same plan without a change',
    undefined,
    moves,
  ),
  row('ten rules on a plan of 1,000 sets: processor time', 'the same plan without rules', 2, rules),
  row('apply of 500 sets at `--rate 30`', 'the requests at 30 a second', undefined, rateLimit),
  row(
    'plan of 300 organizations, 100 ms a response, a token for each',
    'one token for all',
    1 / 3,
    organizationsPairs,
  ),
]
