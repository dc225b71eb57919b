import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/definitions.ts'
import { createShell } from '../../support/shell.ts'
import { fencesOf } from '../../support/transcript.ts'
import { pathOf, type Recorded, recorded, VERSIONS, type Version } from './recorded.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/bad-days.md'), 'utf8')

const FORGES = [
  ['github', '.github/workflows/setpoint.yml'],
  ['gitlab', '.gitlab-ci.yml'],
] as const

const versions = Object.keys(VERSIONS) as Version[]

/** The plan has nothing to do, nothing was made outside, nothing is blocked, and an apply writes nothing. */
async function expectEmptyPlan({ setpoint }: Recorded, sets: number): Promise<void> {
  const { code, stdout } = await setpoint('plan', '--format', 'json', '--detailed-exitcode')
  const plan = JSON.parse(stdout)
  expect([code, plan.steps, plan.blocks, plan.blocked]).toEqual([0, [], [], false])
  expect(plan.facts).toMatchObject({ equalSets: sets, origins: [] })
  expect(plan.facts.inventory).toMatchObject({ adopted: [], requests: 0 })
  const states: string[] = plan.facts.secrets.map((note: { state: { state: string } }) => note.state.state)
  expect([...new Set(states)]).toEqual(['same'])
  expect((await setpoint('drift')).code).toBe(0)
  const applied = await setpoint('apply', '--auto-approve')
  expect([applied.code, applied.stdout]).toEqual([
    0,
    expect.stringMatching(/^setpoint plan .* reads?, 0 writes\nNo changes\. /),
  ])
}

describe.each(versions)('a repository, an inventory and pipelines of %s', version => {
  test('have an empty plan', async () => {
    await expectEmptyPlan(recorded(version), VERSIONS[version])
  })

  test('have warnings that docs/bad-days.md names, and lose those of files that are not read any more', async () => {
    const { cwd, setpoint } = recorded(version)
    const codes = async (): Promise<string[]> => {
      const { stdout, stderr } = await setpoint('plan')
      return [...(stderr + stdout).matchAll(/ warning ([a-z-]+)$/gm)].map(([, code = '']) => code)
    }
    expect((await codes()).filter(code => !PAGE.includes(code))).toEqual([])
    rmSync(join(cwd, 'directory.yaml'), { force: true })
    const configuration = join(cwd, 'setpoint.yaml')
    writeFileSync(configuration, readFileSync(configuration, 'utf8').replace(/^directory: .*\n/m, ''))
    expect(await codes()).not.toContain('no-longer-read')
  })

  test.each(FORGES)(
    'get the pipeline for %s by the commands of docs/bad-days.md, and the plan is still empty',
    async (forge, path) => {
      const before = recorded(version)
      const [commands] = fencesOf(PAGE).filter(({ body }) => body.includes(`init --pipeline ${forge}\n`))
      const shell = createShell(before)
      for (const line of commands?.body.trimEnd().split('\n') ?? []) {
        await shell.run(line)
        expect([line, shell.code()]).toEqual([line, 0])
      }
      const written = readFileSync(join(before.cwd, path), 'utf8')
      expect(written).toBe(readFileSync(join(ROOT, 'pipelines', `${forge}.yml`), 'utf8'))
      await expectEmptyPlan(before, VERSIONS[version])
    },
  )

  test.each(FORGES)('the commands of the old pipeline for %s exist, with their flags', (_, path) => {
    const commands = commandsIn(readFileSync(pathOf(version, join('files', path)), 'utf8'))
    expect(commands.map(([name]) => name)).toEqual(expect.arrayContaining(['plan', 'apply', 'drift']))
    const unknown = commands.flatMap(([name, ...flags]) => {
      const options = COMMANDS.find(command => command.name === name)?.options
      const isKnown = (flag: string) => options?.some(option => option.flags.includes(flag)) === true
      return flags.filter(flag => !isKnown(flag)).map(flag => `${name} ${flag}`)
    })
    expect(unknown).toEqual([])
  })
})

/** `setpoint NAME --flag …` of each line, without what the shell makes of it. */
const commandsIn = (pipeline: string): string[][] =>
  [...pipeline.matchAll(/(?:node_modules\/\.bin\/|npx --no -- )setpoint ([a-z][^|;\n]*)/g)].map(
    ([, words = '']) => words.split(/\s+/).filter((word, at) => at === 0 || word.startsWith('--')),
  )
