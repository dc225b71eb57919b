import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { actionProblems, workflowProblems } from '../support/forge-schemas.ts'
import { aDirectory } from '../support/program.ts'
import { readWorkflow, runSteps, type StepRun, type WorkflowStep } from '../support/workflow.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/** The action at the root: its forge's schema, and its commands in a real shell. Needs a build. */
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8')

interface Action {
  readonly runs: { readonly steps: readonly WorkflowStep[] }
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
}

describe('the action for GitHub', () => {
  const action: Action = parse(TEXT)

  test('is taken by the schema of the forge, and puts no input into a command', () => {
    expect(actionProblems(TEXT)).toEqual([])
    expect(actionProblems('name: x\nruns: { using: composite, steps: [{ run: x }] }')).not.toEqual([])
    expect(action.runs.steps.filter(({ run: command = '' }) => command.includes('${{'))).toEqual([])
  })

  test('plans, takes more arguments line by line, and says what came of it', async () => {
    const { sandbox, cwd, env } = await aProject(GITLAB)
    const temp = aDirectory({ summary: '' })
    const use = (inputs: Readonly<Record<string, string>>): Promise<StepRun[]> => {
      const all = Object.entries({
        ...defaults(action),
        token: '',
        address: '',
        approve: '',
        arguments: '',
        ...inputs,
      })
      return runSteps(action.runs.steps.slice(0, 2), {
        cwd,
        context: Object.fromEntries(all.map(([name, value]) => [`inputs.${name}`, value])),
        env: {
          ...{
            ...env,
            GITHUB_ACTION_PATH: ROOT,
            RUNNER_TEMP: temp,
            GITHUB_STEP_SUMMARY: join(temp, 'summary'),
          },
          SETPOINT_SECRET_DEPLOY_KEY: 'x',
        },
      })
    }
    const codes = async (inputs: Readonly<Record<string, string>>): Promise<string> =>
      (await use(inputs)).map(({ name, code }) => `${name} ${code}`).join()
    expect(await codes({ token: 'reads' })).toBe('build 0,run 0')
    expect(readFileSync(join(temp, 'summary'), 'utf8')).toContain('1 set is created')
    expect(await codes({ command: 'plan', token: 'reads', arguments: '--only\n$(touch broken) `x`' })).toBe(
      'build 0,run 1',
    )
    expect(await codes({ command: 'plan; touch broken', token: 'reads' })).toBe('build 0,run 1')
    expect(await codes({ command: 'drift', token: 'reads' })).toBe('build 0,run 0')
    expect(await codes({ command: 'apply', token: 'reads' })).toBe('build 0,run 1')
    expect(await codes({ command: 'apply', token: sandbox.token })).toBe('build 0,run 0')
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toEqual(['region'])
    expect(readdirSync(cwd)).not.toContain('broken')
  })
})

/** Its commands are run by the proof, in `test/delivery`. */
describe('the workflow of a release', () => {
  const path = join(ROOT, '.github/workflows/release.yml')
  const text = readFileSync(path, 'utf8')
  const { jobs, permissions } = readWorkflow(path)

  test('is taken by the schema of the forge, pins what it uses, and puts nothing into a command', () => {
    expect(workflowProblems(text)).toEqual([])
    const uses = text.match(/uses: .*/g) ?? []
    expect(uses.length).toBeGreaterThan(10)
    expect(uses.filter(line => !/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    )
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run))
    expect(commands.filter(command => command.includes('${{'))).toEqual([])
  })

  test('runs code of packages only where nothing can be written and there is no identity', () => {
    expect(permissions).toEqual({ contents: 'read' })
    const rights = Object.entries(jobs).map(([name, job]) => [name, job.permissions])
    expect(Object.fromEntries(rights)).toEqual({
      build: undefined,
      binary: undefined,
      release: { contents: 'write', 'id-token': 'write', attestations: 'write' },
      action: { contents: 'write' },
      npm: { 'id-token': 'write' },
    })
    for (const { permissions, steps } of Object.values(jobs))
      if (permissions !== undefined)
        expect(steps.map(({ run = '' }) => run).join('\n')).not.toMatch(
          /\bnpm (?:ci|install|run|exec)|\bnode\b/,
        )
  })
})

const defaults = ({ inputs }: Action): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, { default: text = '' }]) => [name, text]))
