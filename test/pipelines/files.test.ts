import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { componentOf } from '../../scripts/component.mjs'
import { pipelineOf } from '../../src/export/new-files.ts'
import { gitlabPipeline, workflowProblems } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import type { Workflow } from '../support/workflow.ts'
import { jobIn } from './gitlab-jobs.ts'
import { ROOT } from './project.ts'

/** The files that users get: what they declare. What their commands do is played in merges.test.ts and schedule.test.ts. */
const EXAMPLES = { github: 'examples/06-github-actions', gitlab: 'examples/08-gitlab-ci' } as const
const OF_FORGE = { github: '.github/workflows/setpoint.yml', gitlab: '.gitlab-ci.yml' } as const
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const GITHUB = pipelineOf('github', {})?.text ?? ''
const GITLAB = pipelineOf('gitlab', {})?.text ?? ''
const COMPONENT = 'templates/setpoint/template.yml'
const SWITCHES = ['snapshot', 'alone', 'groups'] as const
const VARIANTS = Array.from({ length: 8 }, (_, bits) =>
  Object.fromEntries(SWITCHES.map((name, at) => [name, (bits & (1 << at)) !== 0])),
)

describe('what the files contain', () => {
  test.each([
    [
      EXAMPLES.github,
      'github',
      '# Add the secrets that the files reference: setpoint secrets --format github',
      'SETPOINT_SECRET_DEPLOY_KEY: ${{ secrets.DEPLOY_KEY }}',
    ],
    [
      EXAMPLES.gitlab,
      'gitlab',
      '# Before this line, export the secrets that the files reference: setpoint secrets --format gitlab',
      '- export SETPOINT_SECRET_DEPLOY_KEY="$DEPLOY_KEY"',
    ],
  ] as const)(
    '%s has the pipeline that init writes, with the secret of the example',
    (folder, forge, comment, line) => {
      const written = pipelineOf(forge, {})?.text ?? ''
      expect(written).toContain(comment)
      expect(textOf(join(folder, OF_FORGE[forge]))).toBe(written.replaceAll(comment, line))
    },
  )

  test('example 15 has the pipelines that init writes beside groups.yaml', async () => {
    for (const forge of ['github', 'gitlab'] as const)
      expect(textOf(join('examples/15-groups', OF_FORGE[forge]))).toBe(
        pipelineOf(forge, { groups: true })?.text,
      )
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'groups.yaml': 'groups: {}\n' })
    await run(['init', '--pipeline', 'github'], { cwd })
    expect(readFileSync(join(cwd, OF_FORGE.github), 'utf8')).toBe(
      pipelineOf('github', { groups: true })?.text,
    )
  })

  test('the component is made from the pipeline for GitLab', () => {
    expect(textOf(COMPONENT)).toBe(componentOf(GITLAB))
  })

  test('init writes a change alone only with a pipeline', async () => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
    expect((await run(['init', '--only-this-change'], { cwd })).stderr).toContain('requires --pipeline')
    expect((await run(['init', '--pipeline', 'gitlab', '--only-this-change'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, OF_FORGE.gitlab), 'utf8')).toBe(pipelineOf('gitlab', { alone: true })?.text)
  })

  test.each(['github', 'gitlab'] as const)(
    'the README of the example for %s shows real output',
    async forge => {
      const folder = join(ROOT, EXAMPLES[forge])
      const readme = join(folder, 'README.md')
      expectDocument(
        readme,
        await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: folder }) }),
      )
      expect((await run(['validate'], { cwd: folder })).code).toBe(0)
    },
  )
})

describe('every variant', () => {
  test.each(VARIANTS)('is valid for both forges: %o', async variant => {
    expect(workflowProblems(pipelineOf('github', variant)?.text ?? '')).toEqual([])
    const found = gitlabPipeline(aDirectory(), pipelineOf('gitlab', variant)?.text ?? '')
    expect(typeof found === 'string' ? found : '').toBe('')
  })

  test('the checks of the forges find mistakes', () => {
    expect(workflowProblems('on: push\njobs: { a: { runson: x, steps: [] } }')).not.toEqual([])
    expect(gitlabPipeline(aDirectory(), 'a: { script: [x], artifcts: {} }')).toContain(
      "'artifcts' property is not expected",
    )
  })

  test('the component is valid, needs an image, and its jobs know each other', () => {
    const including = (inputs: object): string =>
      `include: [{ local: templates/setpoint/template.yml, inputs: ${JSON.stringify(inputs)} }]\nstages: [test, deploy]\n`
    const files = { templates: join(ROOT, 'templates') }
    const image = `node:24@sha256:${'a'.repeat(64)}`
    const found = gitlabPipeline(files, including({ image, directory: 'infra' }))
    expect(jobIn(found, 'setpoint-plan')).toMatchObject({ stage: 'test', image: { name: image } })
    expect(jobIn(found, 'setpoint-plan').script.at(-1)).toMatch(/ ci plan -C "infra"$/)
    expect(jobIn(found, 'setpoint-approve').script.at(-1)).toMatch(/ ci apply -C "infra"$/)
    expect(jobIn(found, 'setpoint-apply')).toMatchObject({
      stage: 'deploy',
      artifacts: { paths: ['.setpoint-ci/setpoint-apply'] },
    })
    expect(typeof gitlabPipeline(files, including({}))).toBe('string')
  })
})

/** The only lines of shell: an installation, one command of ours, the gate, and on GitLab the base and the secrets of the files. */
const FORMS = [
  /^npm ci --ignore-scripts --no-bin-links$/,
  /^node node_modules\/setpoint\/dist\/bundle\/setpoint\.js ci (?:plan|apply|report)(?: --snapshot| --only-this-change)?(?: -C "\$\[\[ inputs\.directory \]\]")?$/,
  /^true$/,
  /^git fetch --depth=1 origin "\$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"$/,
  /^export SETPOINT_SECRET_[A-Z_]+="\$[A-Z_]+"$/,
  /^\$\[\[ inputs\.secrets \]\]$/,
]

/** Every line of shell in a YAML file. */
function shellIn(text: string): string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value)) {
      const isShell = ['run', 'script', 'before_script', 'after_script'].includes(key)
      if (isShell && (typeof one === 'string' || Array.isArray(one))) found.push(...[one].flat().map(String))
      else visit(one)
    }
  }
  for (const document of parseAllDocuments(text)) visit(document.toJSON())
  return found.flatMap(one => one.trimEnd().split('\n'))
}

test('no YAML that users get reads a result: its shell is an installation and one command', () => {
  const all = [
    ...VARIANTS.flatMap(variant => ['github', 'gitlab'].map(forge => pipelineOf(forge, variant)?.text ?? '')),
    ...[EXAMPLES.github, 'examples/15-groups'].map(folder => textOf(join(folder, OF_FORGE.github))),
    ...[EXAMPLES.gitlab, 'examples/15-groups'].map(folder => textOf(join(folder, OF_FORGE.gitlab))),
    textOf(COMPONENT),
  ]
  const lines = all.flatMap(shellIn)
  expect(lines.length).toBeGreaterThan(100)
  expect(lines.filter(line => !FORMS.some(form => form.test(line)))).toEqual([])
  expect(shellIn('a: { run: "x | tee y" }')).toEqual(['x | tee y'])
  // And no step is there for another reason.
  const uses = all.flatMap(text => text.match(/uses: .*/g) ?? [])
  const pinned =
    /^uses: actions\/(?:checkout|setup-node|upload-artifact|download-artifact)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
  expect(uses.filter(line => !pinned.test(line))).toEqual([])
})

test('the action is one call, and no input is in the text of its shell', () => {
  expect(shellIn(textOf('action.yml'))).toEqual([
    'node "$GITHUB_ACTION_PATH/dist/bundle/setpoint.js" $INPUT_COMMAND -C "$INPUT_DIRECTORY"',
  ])
})

describe('on GitHub', () => {
  const jobsOf = (text: string): Workflow => parse(text)
  const secretsOf = (text: string): object =>
    Object.fromEntries(
      Object.entries(jobsOf(text).jobs).map(([name, job]) => {
        const secrets = JSON.stringify(job).match(/secrets\.\w+/g) ?? []
        return [name, [job.environment ?? '', ...new Set(secrets)].join(' ').trim()]
      }),
    )

  test('each job has the rights of its row', () => {
    const { jobs, permissions, on } = jobsOf(GITHUB)
    expect(permissions).toEqual({ contents: 'read' })
    expect(Object.keys(on)).toEqual(['pull_request', 'merge_group', 'push', 'schedule', 'workflow_dispatch'])
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      plan: { contents: 'read', actions: 'read' },
      main: { contents: 'read', actions: 'read', 'pull-requests': 'read' },
      report: { contents: 'read', 'pull-requests': 'write', issues: 'write' },
      approve: {},
      apply: { contents: 'read', actions: 'read' },
      reported: { contents: 'read', 'pull-requests': 'write' },
    })
  })

  test('each job has the secrets of its row, and the write token is in one environment', () => {
    expect(secretsOf(GITHUB)).toEqual({
      plan: 'secrets.TFE_TOKEN_READ',
      main: 'secrets.TFE_TOKEN_READ',
      report: '',
      approve: 'setpoint-approve',
      apply: 'setpoint-apply secrets.TFE_TOKEN',
      reported: '',
    })
    expect(secretsOf(pipelineOf('github', { snapshot: true, groups: true })?.text ?? '')).toEqual({
      plan: '',
      main: 'setpoint-read secrets.TFE_TOKEN_READ',
      report: 'secrets.SETPOINT_BOT_TOKEN',
      approve: 'setpoint-approve',
      apply: 'setpoint-apply secrets.TFE_TOKEN',
      reported: '',
    })
  })

  test('waiting for a person holds no lock, no code and no secret', () => {
    const { approve, apply } = jobsOf(GITHUB).jobs
    expect(approve).toMatchObject({ steps: [{ run: 'true' }], environment: 'setpoint-approve' })
    expect(approve).not.toHaveProperty('concurrency')
    expect(apply).toMatchObject({ concurrency: { group: 'setpoint-apply', 'cancel-in-progress': false } })
  })

  test('results come from the runner, never from the checkout, and no job uses a cache', () => {
    for (const { steps } of Object.values(jobsOf(GITHUB).jobs))
      for (const { uses = '', with: given = {} } of steps) {
        if (/artifact/.test(uses))
          expect(given.path).toMatch(/^\$\{\{ runner\.temp \}\}\/setpoint\/(?:in|out)$/)
        if (uses.includes('checkout')) expect(given['persist-credentials']).toBe(false)
        if (uses.includes('setup-node')) expect(given['package-manager-cache']).toBe(false)
      }
  })

  test('a job that can write to pull requests runs the code of the base', () => {
    const [checkout] = jobsOf(GITHUB).jobs.report?.steps ?? []
    expect(checkout?.with?.ref).toBe('${{ github.event.pull_request.base.sha || github.sha }}')
  })
})

describe('on GitLab', () => {
  const pipeline = gitlabPipeline(join(ROOT, EXAMPLES.gitlab), GITLAB)

  test('each job hands over its own folder', () => {
    const handing = ['plan', 'main', 'apply', 'approve']
    for (const name of handing)
      expect(jobIn(pipeline, name).artifacts).toMatchObject({
        when: 'always',
        paths: [`.setpoint-ci/${name}`],
      })
    for (const name of ['report', 'reported', 'reported-approved'])
      expect(jobIn(pipeline, name).artifacts).toBeUndefined()
  })

  test('only an apply has an environment, and approve waits for a person', () => {
    expect(jobIn(pipeline, 'apply')).toMatchObject({
      environment: { name: 'setpoint-apply' },
      resource_group: 'setpoint',
    })
    expect(jobIn(pipeline, 'approve')).toMatchObject({
      environment: { name: 'setpoint-approve' },
      rules: [{ when: 'manual', allow_failure: true }],
    })
    for (const name of ['plan', 'main', 'report', 'reported'])
      expect(jobIn(pipeline, name).environment).toBeUndefined()
  })
})
