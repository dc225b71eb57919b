import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEffects } from './effects.mjs'
import { BIN, here, node, pairsOf, processorTime, ratioRow, wholeProcess } from './measure.mjs'

const SETS = 1_000

/** The ten rules of example 14, of which this plan violates one. */
const TEN = directory => cpSync(here('../examples/14-rules/rules'), directory, { recursive: true })

/** One rule: mostly the cost of the thread and its library. */
const ONE = directory => {
  mkdirSync(directory)
  writeFileSync(
    join(directory, 'one.yaml'),
    'rules:\n  one:\n    for: plan\n    require: plan.deletes == 0\n    message: None.\n    level: warn\n',
  )
}

/** Whole processes on the embedded sandbox: with a service, a plan waits for the network as well. */
export function rulesTable(directory, count) {
  const place = join(directory, 'rules')
  writeSets(place, 'before')
  node([BIN, 'apply', '--sandbox', '--auto-approve', '-C', place, '--format', 'json'])
  writeSets(place, 'after')
  const args = [BIN, 'plan', '--sandbox', '-C', place]
  const rules = join(place, 'rules')
  const pairsBy = (measured, write) =>
    pairsOf(
      count,
      () => {
        write(rules)
        const ms = measured(args)
        rmSync(rules, { recursive: true })
        return ms
      },
      () => measured(args),
    )
  const what = `plan of ${SETS} sets for 2000 workspaces`
  const target = { target: 1.05, floorIs: 'the same plan without rules' }
  const rows = [
    ratioRow(`${what}, ten rules`, pairsBy(wholeProcess, TEN), target),
    ratioRow(`${what}, ten rules, processor time of all threads`, pairsBy(processorTime, TEN), target),
    ratioRow(`${what}, one rule, processor time of all threads`, pairsBy(processorTime, ONE), {
      floorIs: target.floorIs,
    }),
  ]
  rmSync(place, { recursive: true, force: true })
  return { title: 'Rules: whole processes', rows }
}

/** With descriptions, because a rule asks for them. */
function writeSets(place, value) {
  writeEffects(place, value, SETS)
  const file = join(place, 'sets/all.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replaceAll(/^( {2}set-\d+:)$/gm, '$1\n    description: Of the bench.'))
}
