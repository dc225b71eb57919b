import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { createSandbox } from '../../src/sandbox/index.ts'
import { checkSeed } from '../../src/sandbox/seed.ts'
import { aDirectory } from '../support/program.ts'
import { createShell } from '../support/shell.ts'

const CASES = join(import.meta.dirname, 'cases')

type Files = Readonly<Record<string, string>>

/** Files by path below a directory. The schemas for editors are the same for each export. */
const filesIn = (directory: string): Files =>
  Object.fromEntries(
    (existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [])
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
      .filter(path => !path.includes('.setpoint-schemas/'))
      .sort()
      .map(path => [path, readFileSync(join(directory, path), 'utf8')]),
  )

/** The service of a case; without `live.yaml`, a connection is an error. */
async function serviceOf(directory: string) {
  const path = join(directory, 'live.yaml')
  if (!existsSync(path)) return {}
  const seed = checkSeed({ organizations: [{ name: 'acme' }], ...parse(readFileSync(path, 'utf8')) })
  const sandbox = await createSandbox({ seed })
  onTestFinished(() => sandbox.close())
  const env = { SETPOINT_ADDRESS: 'https://tfe.example.com', SETPOINT_TOKEN: sandbox.token }
  return { env, transport: sandbox.transport }
}

/** Runs the `$` lines of `said.txt`, and returns them with what they print, and every file that they write or change. */
async function exported(directory: string) {
  const service = await serviceOf(directory)
  const state = join(directory, 'state.json')
  const before: Files = {
    ...('env' in service ? { 'setpoint.yaml': 'organization: acme\n' } : {}),
    ...(existsSync(state) ? { 'state.json': readFileSync(state, 'utf8') } : {}),
    ...filesIn(join(directory, 'before')),
  }
  const cwd = aDirectory(before)
  const shell = createShell({ cwd, ...service })
  let said = ''
  for (const [line, command = ''] of readFileSync(join(directory, 'said.txt'), 'utf8').matchAll(
    /^\$ (.*)\n/gm,
  )) {
    said += line + (await shell.run(command)).replaceAll(cwd, '/repository')
    if (shell.code() !== 0) said += `exit code ${shell.code()}\n`
  }
  const after = Object.entries(filesIn(cwd)).filter(([path, text]) => before[path] !== text)
  return { said, after: Object.fromEntries(after) }
}

/**
 * `live.yaml` is the service, or `state.json` a Terraform state; `before` are the files (without a setpoint.yaml, that of "acme"), `said.txt`
 * commands and what they print, `after` the files that they wrote or changed. `UPDATE_GOLDEN=1` writes the last two; a new case needs the
 * `$` lines alone.
 */
describe('an export says and writes', () => {
  test.each(readdirSync(CASES))('%s', async name => {
    const directory = join(CASES, name)
    const made = await exported(directory)
    if (process.env.UPDATE_GOLDEN === '1') renew(directory, made)
    expect(made).toEqual({
      said: readFileSync(join(directory, 'said.txt'), 'utf8'),
      after: filesIn(join(directory, 'after')),
    })
    // What a case calls so is a secret, and stands in its commands alone.
    expect(JSON.stringify({ ...made, said: made.said.replace(/^\$ .*$/gm, '') })).not.toContain('canary')
  })
})

function renew(directory: string, { said, after }: { readonly said: string; readonly after: Files }): void {
  writeFileSync(join(directory, 'said.txt'), said)
  rmSync(join(directory, 'after'), { recursive: true, force: true })
  for (const [path, text] of Object.entries(after)) {
    const to = join(directory, 'after', path)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, text)
  }
}
