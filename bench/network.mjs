import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { BIN, here, node, pairsOf, ratioRow, wholeProcess } from './measure.mjs'
import { VARIABLES, writeSample } from './samples.mjs'

const LATENCY = 50

/** A plan over a real socket to a service that takes 50 ms for every answer, beside the bare requests. */
export async function networkTable(directory, sizes, count) {
  const rows = []
  for (const sets of sizes) {
    const files = writeSample(join(directory, `network-${sets}`), { sets, form: 'files' })
    const service = await serve([files, `${LATENCY}`])
    const plan = [BIN, 'plan', '-C', files]
    const bare = [here('cold/requests.mjs'), service.url, service.token, service.organization]
    const parse = [here('cold/parse.mjs'), files]
    const environment = environmentOf(service)
    const pairs = pairsOf(
      count,
      () => wholeProcess(plan, environment),
      () => Math.max(wholeProcess(bare), wholeProcess(parse)),
    )
    const alone = pairsOf(
      count,
      () => wholeProcess(plan, environment),
      () => wholeProcess(bare),
    )
    const what = `plan of ${sets} sets of ${VARIABLES} variables, ${LATENCY} ms`
    rows.push(
      ratioRow(what, pairs, { target: 1.15, floorIs: 'the longer of bare requests and bare parse' }),
      ratioRow(what, alone, { floorIs: 'bare requests alone' }),
    )
    service.end()
  }
  return { title: 'Plan over the network: whole processes', rows }
}

const OPERATIONS = 500
const RATE = 30

/** How much of a limit an apply uses: the floor is the time that the limit itself asks for. */
export async function applyTable(directory, operations = OPERATIONS) {
  const files = writeSample(join(directory, `apply-${operations}`), { sets: operations })
  const service = await serve(['', '0', `${RATE}`])
  const state = mkdtempSync(join(directory, 'secrets-'))
  const args = [BIN, 'apply', '-C', files, '--auto-approve', '--rate', `${RATE}`, '--verbose']
  const secrets = Array.from({ length: operations }, (_, set) => [
    `SETPOINT_SECRET_SECRET_${set * VARIABLES + 7}`,
    'x',
  ])
  const began = performance.now()
  const { stderr } = node(args, {
    env: { ...environmentOf(service), ...Object.fromEntries(secrets), XDG_CACHE_HOME: state },
  })
  const ours = performance.now() - began
  service.end()
  const lines = stderr.split('\n').filter(line => / \d+ ms$/.test(line))
  const refused = lines.filter(line => / 429 /.test(line)).length
  const start = wholeProcess([BIN, 'validate', '-C', files])
  // The first thirty may leave at once, and the last ones as soon as their second begins.
  const fullSeconds = Math.ceil(lines.length / RATE) - 1
  const row = ratioRow(
    `apply of ${operations} operations, --rate ${RATE}, ${refused} refused`,
    [{ ours, floor: start + fullSeconds * 1000 }],
    {
      target: 1 / 0.95,
      floorIs: `\`validate\`, and ${lines.length} requests as early as ${RATE} in any second allow`,
    },
  )
  const shown = refused === 0 ? row : { ...row, mustHold: true, met: false }
  return { title: 'Apply at a limit: whole process', rows: [shown] }
}

const environmentOf = ({ url, token }) => ({
  ...process.env,
  SETPOINT_ADDRESS: url,
  SETPOINT_TOKEN: token,
})

/** The service in a process of its own. */
async function serve(args) {
  const child = spawn(process.execPath, [here('cold/serve.mjs'), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.includes('\n')) break
  }
  return { ...JSON.parse(text), end: () => child.kill() }
}
