import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { actionProblems } from '../support/forge-schemas.ts'
import { aDirectory } from '../support/program.ts'
import { runSteps, type StepRun, type WorkflowStep } from '../support/workflow.ts'
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

const defaults = ({ inputs }: Action): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, { default: text = '' }]) => [name, text]))
