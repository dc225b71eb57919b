import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, platform, tmpdir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * Runs commands of the built program against a sandbox in a process of its own, and prints requests, seconds, processor time and peak
 * memory of each. `--quick` takes a tenth of everything, once. `--write` puts the table into docs/reliability.md.
 */
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
})
const here = path => fileURLToPath(new URL(path, import.meta.url))
const BIN = here('../dist/bundle/setpoint.js')
const size = count => (values.quick ? count / 10 : count)
const [SETS, WORKSPACES, PROJECTS, ORGANIZATIONS] = [1_000, 2_000, 20, 300].map(size)
const list = (count, make) => Array.from({ length: count }, (_, at) => make(at))

/** The last line of the program: its peak memory in KiB, and microseconds of processor time. */
const METER = `--import=data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
    writeSync(2, '\\n' + maxRSS + ' ' + (userCPUTime + systemCPUTime))
  })`)}`

const rows = []
/** One row: the run that took the least time. A command that writes runs once, for it has nothing to do after that. */
function measure(what, args, { env = {}, isOnline = true } = {}) {
  process.stderr.write(`${what}\n`)
  const times = values.quick || args[0] === 'apply' ? 1 : 3
  const [best] = list(times, () => finished(args, env, isOnline)).sort((a, b) => a.seconds - b.seconds)
  rows.push({ what, ...best })
}

function finished(args, env, isOnline) {
  const start = performance.now()
  const { error, status, stdout, stderr } = spawnSync(
    process.execPath,
    [METER, BIN, ...args, ...(isOnline ? ['--verbose'] : [])],
    { encoding: 'utf8', maxBuffer: 1024 ** 3, env: { PATH: process.env.PATH, ...env } },
  )
  const seconds = (performance.now() - start) / 1_000
  if (error) throw error
  if (status !== 0)
    throw new Error(`${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`.slice(0, 2_000))
  const [memory, processor] = stderr.split('\n').at(-1).split(' ').map(Number)
  const requests = stderr.match(/^(?:GET|POST|PATCH|DELETE) \//gm)?.length ?? 0
  return { requests, seconds, processor: processor / 1e6, memory: memory / 1024 }
}

/** The embedded service with a seed, on its own port: the environment for its clients. */
async function serve(directory, seed, args = []) {
  const file = join(directory, 'seed.json')
  write(file, JSON.stringify(seed))
  const child = spawn(process.execPath, [BIN, 'sandbox', '--seed', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const env = Object.fromEntries(
    String(line)
      .trim()
      .split(' ')
      .map(pair => pair.split('=')),
  )
  return { env, end: () => child.kill() }
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** The text of a set as people write them: short and long forms, HCL and data. `word` is in the value of its first variable. */
function setText(at, { variables = 20, word = 'value', targets = '' } = {}) {
  const lines = list(variables, one => {
    const text = `${one === 0 ? word : 'value'}-${at}-${one}.eu-west-1.example.com`
    const forms = [text, `"${text}"`, `{ value: ${text}, description: Of job ${one}. }`]
    return `      VARIABLE_${one}: ${forms[one % forms.length]}\n`
  })
  const terraform = `      subnets: { data: [subnet-${at}a, subnet-${at}b] }\n      tags: { hcl: '{ team = "core", cost = ${at} }' }\n`
  return `  team-${at}:\n    description: Settings of team ${at}.\n${targets}    env:\n${lines.join('')}    terraform:\n${terraform}`
}

/** A set for ten workspaces, or every fourth one for a project. */
const targetsOf = at =>
  at % 4 === 0
    ? `    projects: [project-${at % PROJECTS}]\n`
    : `    workspaces: [${list(10, one => `workspace-${(at * 37 + (one * WORKSPACES) / 10) % WORKSPACES}`).join(', ')}]\n`

function writeSets(directory, word) {
  write(join(directory, 'setpoint.yaml'), 'organization: acme\n')
  for (const at of list(SETS, at => at)) {
    const text = setText(at, { word, targets: targetsOf(at) })
    write(join(directory, `sets/team-${at}.yaml`), `variableSets:\n${text}`)
  }
}

async function one(directory) {
  measure('`setpoint --version`', ['--version'], { isOnline: false })
  writeSets(directory, 'value')
  const offline = { isOnline: false }
  measure(`\`setpoint validate\`: ${SETS} files of 22 variables`, ['validate', '-C', directory], offline)
  const large = join(directory, 'large')
  write(join(large, 'setpoint.yaml'), 'organization: acme\n')
  for (const file of list(size(100), at => at)) {
    const sets = list(100, at => setText(file * 100 + at, { variables: 48 }))
    write(join(large, `sets/${file}.yaml`), `variableSets:\n${sets.join('')}`)
  }
  const count = size(10_000)
  measure(`\`setpoint validate\`: ${count} sets of 50 variables`, ['validate', '-C', large], offline)
  rmSync(large, { recursive: true })

  const { env, end } = await serve(directory, {
    organizations: [{ name: 'acme' }],
    projects: list(PROJECTS, at => ({ name: `project-${at}` })),
    workspaces: list(WORKSPACES, at => ({ name: `workspace-${at}`, project: `project-${at % PROJECTS}` })),
  })
  const run = (what, ...args) => measure(what, [...args, '-C', directory], { env })
  const apply = ['apply', '--auto-approve', '--rate', '1000']
  run(`\`setpoint plan\`: ${SETS} sets to create for ${WORKSPACES} workspaces`, 'plan')
  run('`setpoint apply` of that plan, at `--rate 1000`', ...apply)
  run('`setpoint plan`: nothing to do', 'plan')
  writeSets(directory, 'changed')
  run(`\`setpoint plan\`: a variable changed in each of ${SETS} sets`, 'plan')
  cpSync(here('../examples/14-rules/rules'), join(directory, 'rules'), { recursive: true })
  run('the same plan, with ten rules', 'plan')
  rmSync(join(directory, 'rules'), { recursive: true })
  run('`setpoint apply` of that plan, at `--rate 1000`', ...apply)
  run('`setpoint drift`: none', 'drift')
  run('`setpoint explain` of a workspace', 'explain', 'workspace-1')
  run('`setpoint export` of everything', 'export', '--out', 'exported')
  end()
}

/** A plan over many organizations with a token for each. */
async function many(directory) {
  const names = list(ORGANIZATIONS, at => `org${at}`)
  const key = at => `VARIABLE_${at}`
  const sets = list(10, at => ({ name: `team-${at}`, variables: list(20, one => `value-${at}-${one}`) }))
  for (const name of names) {
    const texts = sets.map(
      set =>
        `  ${set.name}:\n    env:\n${set.variables.map((value, at) => `      ${key(at)}: ${value}\n`).join('')}`,
    )
    write(join(directory, `orgs/${name}/setpoint.yaml`), `organization: ${name}\n`)
    write(join(directory, `orgs/${name}/sets/sets.yaml`), `variableSets:\n${texts.join('')}`)
  }
  const seed = {
    organizations: names.map(name => ({ name })),
    sets: names.flatMap(organization =>
      sets.map(({ name, variables }) => ({
        name,
        organization,
        variables: variables.map((value, at) => ({ key: key(at), category: 'env', value })),
      })),
    ),
  }
  const { env, end } = await serve(directory, seed, [
    ...['--latency', '100ms'],
    ...names.flatMap(name => ['--token', `token-of-${name}=admin`]),
  ])
  const own = Object.fromEntries(
    names.map(name => [`SETPOINT_TOKEN_${name.toUpperCase()}`, `token-of-${name}`]),
  )
  const args = ['plan', '-C', directory, '--config', 'orgs/*/setpoint.yaml']
  const what = `\`setpoint plan\` of ${ORGANIZATIONS} organizations, 100 ms a response, a token for each`
  measure(what, args, { env: { ...env, ...own } })
  end()
}

const load = loadavg()[0].toFixed(1)
const directory = mkdtempSync(join(tmpdir(), 'setpoint-bench-'))
try {
  await one(join(directory, 'one'))
  await many(join(directory, 'many'))
} finally {
  rmSync(directory, { recursive: true, force: true })
}
const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 1024 ** 3)} GiB, ${platform()}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, load ${load} at the start`
const table = [
  '| what | requests | seconds | of processor | peak memory |',
  '|-|-|-|-|-|',
  ...rows.map(
    ({ what, requests, seconds, processor, memory }) =>
      `| ${what} | ${requests} | ${seconds.toFixed(2)} | ${processor.toFixed(2)} | ${memory.toFixed(0)} MiB |`,
  ),
].join('\n')
console.log(`${machine}\n\n${table}`)
if (values.write) {
  const page = here('../docs/reliability.md')
  const text = `<!-- figures -->\n\nMeasured on: ${machine}.\n\n${table}\n\n<!-- /figures -->`
  const marks = /<!-- figures -->[\s\S]*<!-- \/figures -->/
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(marks, () => text),
  )
}
