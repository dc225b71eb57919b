import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { BIN, EMPTY, here, middleOf, node, pairsOf, ratioRow, wholeProcess } from './measure.mjs'
import { VARIABLES, writeSample } from './samples.mjs'

const LATENCY = 50

/**
 * A plan over a real socket to a service that takes 50 ms for every response, compared with the bare requests and the bare
 * parse in whole processes. So the floor contains the start of Node and of a library once. The extra time of our own start is
 * subtracted from ours.
 */
export async function networkTable(directory, sizes, count) {
  const start = ownStart(directory, count)
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
      () => ({ requests: wholeProcess(bare), parse: wholeProcess(parse) }),
    )
    const what = `plan of ${sets} sets of ${VARIABLES} variables, ${LATENCY} ms`
    const longer = pairs.map(({ ours, floor }) => ({
      ours: ours - start,
      floor: Math.max(floor.requests, floor.parse),
    }))
    const alone = pairs.map(({ ours, floor }) => ({ ours, floor: floor.requests }))
    rows.push(
      ratioRow(`${what}, without our start-up (${Math.round(start)} ms)`, longer, {
        target: 1.15,
        floorIs: 'the longer of only requests and only parsing',
      }),
      ratioRow(what, alone, { floorIs: 'only the requests' }),
    )
    service.end()
  }
  return { title: 'Plan over the network: whole processes', rows }
}

/** How much longer `validate` of one small set takes than an empty script. Does not load the HTTP client. */
function ownStart(directory, count) {
  const files = writeSample(join(directory, 'network-start'), { sets: 1 })
  const pairs = pairsOf(
    count,
    () => wholeProcess([BIN, 'validate', '-C', files]),
    () => wholeProcess([EMPTY]),
  )
  return middleOf(pairs.map(({ ours, floor }) => ours - floor))
}

const OPERATIONS = 500
const RATE = 30

/** How much of a rate limit an apply uses. The floor is the time that the limit itself requires. */
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
  const what = `apply of ${operations} operations, --rate ${RATE}, ${refused} refused`
  const judged = ratioRow(what, [{ ours, floor: start + (lines.length / RATE) * 1000 }], {
    target: 1 / 0.95,
    floorIs: `\`validate\`, and ${lines.length} requests at ${RATE} a second`,
  })
  // The first thirty may be sent at once, and the last ones when their second begins.
  const earliest = start + (Math.ceil(lines.length / RATE) - 1) * 1000
  const strict = ratioRow(what, [{ ours, floor: earliest }], {
    floorIs: `\`validate\`, and ${lines.length} requests with at most ${RATE} in any second`,
  })
  const shown = refused === 0 ? judged : { ...judged, mustHold: true, met: false }
  return { title: 'Apply at a rate limit: whole process', rows: [shown, strict] }
}

export const environmentOf = ({ url, token }) => ({
  ...process.env,
  SETPOINT_ADDRESS: url,
  SETPOINT_TOKEN: token,
})

/** The service, in its own process. */
export async function serve(args) {
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
