import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { createSandbox } from '../../src/sandbox/index.ts'
import { workflowProblems } from '../support/forge-schemas.ts'
import { aDirectory } from '../support/program.ts'
import { runJob, stubs, type Workflow } from '../support/workflow.ts'
import { jobIn, runScript } from './gitlab-jobs.ts'

/** The jobs of examples/15-groups, in a real shell with a listening sandbox and a real remote. Needs a build. */
const fileIn = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, '../../examples/15-groups', name), 'utf8')
const WORKFLOW = fileIn('.github/workflows/groups.yml')
const IDS = ['a', 'b', 'c'].map(letter => `ws-${letter.repeat(16)}`)

/** A repository with a group of one workspace, its remote, and a service. */
async function aRepository() {
  const workspacesOf = (count: number) =>
    IDS.slice(0, count).map((id, at) => ({ id, name: `payments-${at}` }))
  const sandbox = await createSandbox({
    seed: { organizations: [{ name: 'acme' }], workspaces: workspacesOf(1) },
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const list = `groups:\n  payments:\n    select: { names: ["payments-*"] }\n    workspaces:\n      payments-0: ${IDS[0]}\n`
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'groups.yaml': list,
    '.gitignore': 'node_modules\n',
  })
  const remote = aDirectory()
  const git = (directory: string, ...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=t@t.invalid', ...words], {
      cwd: directory,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  git(remote, 'init', '--quiet', '--bare', '--initial-branch=main')
  git(remote, 'config', 'receive.advertisePushOptions', 'true')
  git(cwd, 'init', '--quiet', '--initial-branch=main')
  git(cwd, 'add', '--all')
  git(cwd, 'commit', '--quiet', '--message=base')
  git(cwd, 'remote', 'add', 'origin', remote)
  git(cwd, 'push', '--quiet', 'origin', 'main')
  const bin = stubs(join(aDirectory(), 'bin'))
  const env = {
    PATH: `${bin.path}:${process.env.PATH ?? ''}`,
    HOME: cwd,
    TFE_ADDRESS: url,
    RUNNER_TEMP: aDirectory(),
  }
  return {
    cwd,
    env,
    bin,
    token: sandbox.token,
    list,
    remote,
    /** The service has this many workspaces that the selection matches. */
    become: (count: number) =>
      sandbox.restore({ organizations: [{ name: 'acme' }], workspaces: workspacesOf(count) }),
    /** A new checkout of the branch main. */
    checkout: () => git(cwd, 'switch', '--quiet', '--force', 'main'),
    proposed: () => git(remote, 'show', 'setpoint-groups:groups.yaml'),
    tip: () => git(remote, 'rev-parse', 'setpoint-groups'),
  }
}

const lineOf = (at: number): string => `      payments-${at}: ${IDS[at]}`

test("the workflow is valid for GitHub's schema, and only its last step has the token of the bot", () => {
  expect(workflowProblems(WORKFLOW)).toEqual([])
  const { jobs }: Workflow = parse(WORKFLOW)
  const secrets = jobs.groups?.steps.flatMap(({ name, env = {} }) =>
    Object.values(env).flatMap(value => (value.includes('secrets.') ? [[name, value]] : [])),
  )
  expect(secrets).toEqual([
    ['groups', '${{ secrets.TFE_TOKEN_READ }}'],
    ['propose', '${{ secrets.SETPOINT_BOT_TOKEN }}'],
  ])
})

test('on GitHub, one pull request is opened when membership moved, and updated when it moved again', async () => {
  const { cwd, env, bin, token, list, become, checkout, proposed, tip } = await aRepository()
  const context = {
    'secrets.TFE_TOKEN_READ': token,
    'secrets.SETPOINT_BOT_TOKEN': 'token-of-the-bot',
    'github.repository': 'acme/sets',
  }
  const run = async () => {
    checkout()
    const before = bin.calls().length
    const steps = await runJob(parse(WORKFLOW), 'groups', { cwd, env, context })
    expect(steps.map(({ name, code, output }) => [name, code === 0 ? 0 : output])).toEqual([
      ['install', 0],
      ['groups', 0],
      ['propose', 0],
    ])
    return bin.calls().slice(before + 1)
  }
  const list1 = 'gh pr list --head setpoint-groups --state open --limit 1 --json number --jq .[].number'
  const body = `--body-file ${env.RUNNER_TEMP}/body.md`
  expect(await run()).toEqual([])

  become(2)
  expect(await run()).toEqual([
    'gh auth setup-git',
    list1,
    `gh pr create --head setpoint-groups --title Update the groups of workspaces ${body}`,
  ])
  expect(proposed()).toBe(`${list}${lineOf(1)}`)
  expect(readFileSync(join(env.RUNNER_TEMP, 'body.md'), 'utf8')).toContain(`    + payments-1  ${IDS[1]}\n`)
  const first = tip()
  expect(await run()).toEqual(['gh auth setup-git'])
  expect(tip()).toBe(first)

  become(3)
  const gh = readFileSync(join(bin.path, 'gh'), 'utf8')
  writeFileSync(join(bin.path, 'gh'), gh.replace('case "$*" in', `case "$*" in\n'pr list'*) echo 7 ;;`))
  expect(await run()).toEqual(['gh auth setup-git', list1, `gh pr edit 7 ${body}`])
  expect(proposed()).toBe(`${list}${lineOf(1)}\n${lineOf(2)}`)
})

test('on GitLab, a push opens or updates one merge request when membership moved', async () => {
  const { cwd, env, token, list, remote, become, checkout, proposed, tip } = await aRepository()
  const gitlab = {
    ...env,
    TFE_TOKEN_READ: token,
    SETPOINT_BOT_TOKEN: 'token-of-the-bot',
    CI_SERVER_HOST: 'gitlab.example.com',
    CI_PROJECT_PATH: 'acme/sets',
    CI_DEFAULT_BRANCH: 'main',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${remote}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://oauth2:token-of-the-bot@gitlab.example.com/acme/sets.git',
  }
  const hook = `#!/bin/sh\nenv | grep ^GIT_PUSH_OPTION_ | sort > '${remote}/options'\n`
  writeFileSync(join(remote, 'hooks/pre-receive'), hook, { mode: 0o755 })
  const job = jobIn(parse(fileIn('groups.gitlab-ci.yml')), 'groups')
  const run = async () => {
    checkout()
    const { code, output } = await runScript(
      { ...job, before_script: ['npm ci --ignore-scripts'] },
      cwd,
      gitlab,
    )
    expect([code, code === 0 ? '' : output]).toEqual([0, ''])
  }
  await run()
  become(2)
  await run()
  expect(proposed()).toBe(`${list}${lineOf(1)}`)
  expect(readFileSync(join(remote, 'options'), 'utf8').split('\n')).toEqual([
    'GIT_PUSH_OPTION_0=merge_request.create',
    'GIT_PUSH_OPTION_1=merge_request.target=main',
    'GIT_PUSH_OPTION_2=merge_request.remove_source_branch',
    'GIT_PUSH_OPTION_COUNT=3',
    '',
  ])
  const first = tip()
  await run()
  expect(tip()).toBe(first)
})
