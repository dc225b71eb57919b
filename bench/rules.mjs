import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEffects } from './effects.mjs'
import { BIN, node, pairsOf, processorTime, ratioRow, wholeProcess } from './measure.mjs'

const SETS = 1_000

/** Ten rules of every kind, none of which is violated: what a repository pays for them in each plan. */
const RULES = [
  ['set', undefined, 'set.name.matches("^[a-z0-9-]+$")'],
  ['set', 'set.action == "create"', '!set.global'],
  ['set', 'set.global', 'set.variables.size() < 50'],
  ['set', 'set.name.startsWith("prod-")', 'set.projects.all(p, p.startsWith("prod-"))'],
  ['variable', 'has(variable.secret)', 'has(variable.version)'],
  ['variable', 'variable.category == "env"', 'variable.key.matches("^[A-Z][A-Z0-9_]*$")'],
  ['exposure', 'exposure.kind == "secret"', 'exposure.projects.all(p, p.startsWith("prod-"))'],
  ['effect', 'effect.key == "VARIABLE_0"', 'effect.kind != "lost"'],
  ['effect', undefined, 'effect.count <= 2000'],
  ['plan', undefined, 'plan.deletes == 0 && plan.affected <= 2000'],
]

/** Whole processes on the embedded sandbox: with a service, a plan waits for the network as well. */
export function rulesTable(directory, count) {
  const place = join(directory, 'rules')
  writeEffects(place, 'before', SETS)
  node([BIN, 'apply', '--sandbox', '--auto-approve', '-C', place, '--format', 'json'])
  writeEffects(place, 'after', SETS)
  const args = [BIN, 'plan', '--sandbox', '-C', place]
  const rules = join(place, 'rules')
  const pairsBy = measured =>
    pairsOf(
      count,
      () => {
        writeRules(rules)
        const ms = measured(args)
        rmSync(rules, { recursive: true })
        return ms
      },
      () => measured(args),
    )
  const [whole, processor] = [pairsBy(wholeProcess), pairsBy(processorTime)]
  rmSync(place, { recursive: true, force: true })
  const what = `plan of ${SETS} sets for 2000 workspaces, ten rules`
  const judged = { target: 1.05, floorIs: 'the same plan without rules' }
  return {
    title: 'Rules: whole processes',
    rows: [
      ratioRow(what, whole, judged),
      ratioRow(`${what}, processor time of all threads`, processor, judged),
    ],
  }
}

export function writeRules(directory) {
  mkdirSync(directory)
  const texts = RULES.map(
    ([subject, when, require], at) =>
      `  rule-${at}:\n    for: ${subject}\n${when === undefined ? '' : `    when: '${when}'\n`}    require: '${require}'\n    message: It is violated.\n    level: warn\n`,
  )
  writeFileSync(join(directory, 'all.yaml'), `rules:\n${texts.join('')}`)
}
