import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAll } from './figures.mjs'
import { machineText } from './machine.mjs'
import { pageText, tableText } from './tables.mjs'

/** Figures as ratios to a floor measured in the same run. `--write` puts them into docs/performance.md. */
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
})
const directory = mkdtempSync(join(tmpdir(), 'setpoint-bench-'))
try {
  const say = text => process.stderr.write(`${text}\n`)
  const tables = await measureAll(directory, { quick: values.quick, say })
  console.log([machineText(), ...tables.map(tableText)].join('\n\n'))
  if (values.write) {
    writeFileSync(new URL('../docs/performance.md', import.meta.url), pageText(machineText(), tables))
    say('docs/performance.md is written')
  }
  if (tables.some(table => table.rows.some(row => row.mustHold && !row.met))) process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
