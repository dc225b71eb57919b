import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { againstTable, casesWith } from './against.mjs'
import { machineText } from './machine.mjs'
import { BIN } from './measure.mjs'
import { ROWS } from './rows.mjs'
import { plain, tableMarkdown, tableText } from './tables.mjs'

/**
 * Measures each row of docs/reliability.md as a ratio to a floor of the same run. `--only TEXT` selects rows, `--quick` takes one pair of
 * each and small samples. `--write` puts the table into the page. `--against DIR` compares this build with the one in another clone.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    against: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const say = text => process.stderr.write(`${text}\n`)
const rows = ROWS.filter(({ what }) => plain(what).includes(values.only))
const known = values.against === undefined ? ROWS : casesWith()
const chosen = values.against === undefined ? rows : casesWith(values.only)

const mistake =
  chosen.length === 0
    ? [
        `no row contains "${values.only}". The rows are:`,
        ...known.map(({ what }) => `  ${plain(what)}`),
      ].join('\n')
    : values.write && (values.quick || values.against !== undefined || values.only !== '')
      ? '--write takes every row, in full'
      : existsSync(BIN)
        ? undefined
        : 'dist/ does not exist. Run: npm run build'
if (mistake === undefined) await run()
else {
  say(mistake)
  process.exitCode = 1
}

async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'setpoint-bench-'))
  try {
    const machine = machineText()
    const table = values.against === undefined ? await measured(directory) : compared(directory)
    console.log(`${machine}\n\n${tableText(table)}`)
    if (values.write) writePage(machine, table)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const compared = directory =>
  againstTable(directory, resolve(values.against), values.quick ? 3 : 9, values.only)

async function measured(directory) {
  const done = []
  for (const [at, { what, measure }] of rows.entries()) {
    say(plain(what))
    done.push({ what, ...(await measure(join(directory, `${at}`), values.quick)) })
  }
  return { title: 'Figures', rows: done }
}

/** Replaces what is between the marks of the page. */
function writePage(machine, table) {
  const page = new URL('../docs/reliability.md', import.meta.url)
  const text = `<!-- figures -->\n\nMeasured on: ${machine}.\n\n${tableMarkdown(table)}\n\n<!-- /figures -->`
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(/<!-- figures -->[\s\S]*<!-- \/figures -->/, () => text),
  )
  say('wrote docs/reliability.md')
}
