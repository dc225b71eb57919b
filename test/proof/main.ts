import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import type { Size } from './family.ts'
import { machineText } from './machine.ts'
import { withSection } from './page.ts'
import { ROOT } from './place.ts'
import { type Findings, families, jobsOf, joined, type Part, type Progress, prove } from './run.ts'
import { brokenText, endText, figuresText, type Verdict, verdictOn } from './verdict.ts'

const USAGE = `Proves by numbers what Setpoint promises. Exits 1 if a promise is broken.

  npm run proof                          everything, a quarter of an hour on two cores
  npm run proof -- --slice 3/8           every eighth task
  npm run proof -- --size part           a part in which every fault hits every request, two to three minutes: what CI runs
  npm run proof -- --family kills        one family (repeatable)
  npm run proof -- --seed 7              other schedules, orders and texts
  npm run proof -- --threads 1           one core
  npm run proof -- --write               everything, and the figures into docs/reference/proof.md
  npm run proof -- --slice 3/8 --save 3.json
  npm run proof -- --join 1.json --join 2.json … --write
  npm run proof -- --again 'FAMILY {…}'  one task again, as a broken promise prints it
`

export async function main(argv: readonly string[]): Promise<number> {
  try {
    return await execute(readArguments(argv))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isUsage = error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError
    stderr.write(`${error.message}\n${isUsage ? `\n${USAGE}` : ''}`)
    return 2
  }
}

async function execute(values: ReturnType<typeof readArguments>): Promise<number> {
  if (values.help) {
    stdout.write(USAGE)
    return 0
  }
  if (values.again !== undefined) return await repeat(values.again)
  const all = await families(values.family)
  const began = performance.now()
  const findings =
    values.join.length > 0 ? joined(values.join.map(read)) : await run(all, values.part, values.threads)
  if (values.save !== undefined) writeFileSync(values.save, JSON.stringify(findings))
  const verdict = verdictOn(all, findings)
  const minutes = Math.round((performance.now() - began) / 60_000)
  stdout.write(`${report(verdict, findings.part)}`)
  const isKept = verdict.promises.every(({ broken }) => broken.length === 0)
  if (values.write && isKept) writePage(verdict, findings.part, values.join.length > 0 ? undefined : minutes)
  return isKept ? 0 : 1
}

export function readArguments(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      again: { type: 'string' },
      family: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
      join: { type: 'string', multiple: true, default: [] },
      save: { type: 'string' },
      // The published figures have the seed 1, and so has any part: chance never decides what lands.
      seed: { type: 'string', default: '1' },
      size: { type: 'string', default: 'whole' },
      slice: { type: 'string', default: '1/1' },
      threads: { type: 'string', default: `${availableParallelism()}` },
      write: { type: 'boolean', default: false },
    },
  })
  const size = SIZES.find(one => one === values.size)
  if (size === undefined) throw new RangeError(`--size must be one of ${SIZES.join(', ')}.`)
  const [slice = 0, of = 0] = values.slice.split('/').map(Number)
  if (!(Number.isInteger(slice) && Number.isInteger(of) && slice >= 1 && slice <= of))
    throw new RangeError('--slice requires a number and the number of slices, such as 3/8.')
  const seed = whole('--seed', values.seed)
  if (values.write && (size !== 'whole' || values.slice !== '1/1' || values.family.length > 0))
    throw new RangeError('--write needs the whole proof: all of it at once, or all slices with --join.')
  const part: Part = { size, seed, slice, of }
  return { ...values, part, threads: whole('--threads', values.threads) }
}

const SIZES: readonly Size[] = ['whole', 'part', 'sample']

function whole(flag: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new RangeError(`${flag} must be a whole number from 1.`)
  return number
}

const read = (file: string): Findings => JSON.parse(readFileSync(file, 'utf8')) as Findings

async function run(
  all: Awaited<ReturnType<typeof families>>,
  part: Part,
  threads: number,
): Promise<Findings> {
  const jobs = jobsOf(all, part)
  stderr.write(`${partText(part)}: ${jobs.length} tasks on ${threads} threads\n`)
  return await prove(
    part,
    jobs,
    threads,
    progressTo(text => stderr.write(text)),
  )
}

const partText = ({ size, seed, slice, of }: Part): string =>
  `proof, ${size}${of === 1 ? '' : `, slice ${slice}/${of}`}, --seed ${seed}`

/** Reports at intervals what is done and how long the rest may take. */
function progressTo(write: (text: string) => void): (progress: Progress) => void {
  const began = performance.now()
  let said = began
  return ({ jobs, jobsDone, share, last }) => {
    const now = performance.now()
    if (now - said < 5_000 && jobsDone < jobs) return
    said = now
    const left = ((now - began) / share) * (1 - share)
    const text = left < 90_000 ? `${Math.round(left / 1_000)} s` : `${Math.round(left / 60_000)} min`
    write(`${jobsDone}/${jobs} tasks, ${Math.round(share * 100)} %, about ${text} left: ${last.family}\n`)
  }
}

function report(verdict: Verdict, part: Part): string {
  const details = Object.values(verdict.conclusions).flatMap(({ details }) => details ?? [])
  return [
    ...details.map(text => `${text}\n`),
    figuresText(verdict),
    `${brokenText(verdict)}${partText(part)}: ${endText(verdict)}`,
  ].join('\n')
}

function writePage({ conclusions }: Verdict, part: Part, minutes: number | undefined): void {
  const file = join(ROOT, 'docs/reference/proof.md')
  const took = minutes === undefined ? 'in slices' : `in ${minutes} minutes`
  const made = `Written by \`npm run proof -- --write\` (seed ${part.seed}) ${took}, on ${machineText()}.`
  const page = Object.entries(conclusions).reduce(
    (text, [family, { section }]) => withSection(text, family, section),
    withSection(readFileSync(file, 'utf8'), 'made', made),
  )
  writeFileSync(file, page)
  stdout.write('Wrote docs/reference/proof.md.\n')
}

/** Repeats one task, and prints its steps and what it broke. */
async function repeat(text: string): Promise<number> {
  const [, name, json] = /^([\w-]+) (\{.*\})$/s.exec(text.trim()) ?? []
  if (name === undefined || json === undefined) throw new RangeError('--again requires a family and a task.')
  const [family] = await families([name])
  const task: unknown = JSON.parse(json)
  const found = await family?.run(task)
  stdout.write(family?.story?.(found) ?? '')
  const part: Part = { size: 'whole', seed: 1, slice: 1, of: 2 }
  const verdict = verdictOn(family === undefined ? [] : [family], {
    part,
    done: { [name]: [{ task, found }] },
    crashed: [],
  })
  stdout.write(`${brokenText(verdict)}${endText(verdict)}`)
  return verdict.promises.every(({ broken }) => broken.length === 0) ? 0 : 1
}
