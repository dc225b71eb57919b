import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { compile, scratch } from './compile.mjs'

const USAGE = `Plays schedules of faults against the whole program.

  node test/reliability/main.mjs replay "mixed default 7 3=lost-after|0=kill-after"
  node test/reliability/main.mjs run [--rounds N] [--threads N]
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '1' }, threads: { type: 'string' } },
})
const [command, ...schedules] = positionals
if (command === 'replay' && schedules.length > 0) process.exitCode = await replay(schedules)
else if (command === 'run' && schedules.length === 0) process.exitCode = await run()
else {
  process.stderr.write(USAGE)
  process.exitCode = 2
}

async function compiled(name) {
  const directory = scratch(`main-${name}-${process.pid}`)
  compile(directory)
  return { directory, module: file => import(`${directory}/test/reliability/${file}.js`) }
}

async function replay(texts) {
  const { module } = await compiled('replay')
  const { parseSchedule, play } = await module('schedule')
  const { storyOf } = await module('story')
  let broken = 0
  for (const text of texts) {
    const verdict = await play(parseSchedule(text))
    if (verdict.violations.length > 0) broken++
    process.stdout.write(storyOf(text, verdict))
  }
  return broken === 0 ? 0 : 1
}

async function run() {
  const { directory, module } = await compiled('run')
  const [{ moreUnits }, { simulate }, { commandOf }] = await Promise.all(
    ['plan', 'simulate', 'story'].map(module),
  )
  const units = moreUnits(Number(values.rounds))
  const threads = Number(values.threads ?? availableParallelism())
  let [swept, schedules, requests] = [0, 0, 0]
  const began = Date.now()
  const { broken } = await simulate(directory, units, threads, (unit, tally) => {
    schedules += tally.schedules
    requests += tally.requests
    const seconds = Math.round((Date.now() - began) / 1000)
    process.stderr.write(
      `${++swept}/${units.length} ${unit.case} ${unit.profile} ${unit.seed}: ${schedules} schedules, ${seconds} s\n`,
    )
    for (const one of tally.broken) process.stderr.write(commandOf(one))
  })
  process.stdout.write(`${schedules} schedules, ${requests} requests, ${broken.length} broken\n`)
  for (const one of broken) process.stdout.write(commandOf(one))
  return broken.length === 0 ? 0 : 1
}
