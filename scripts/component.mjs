import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The head of the component: what whoever includes it can choose. */
const HEAD = `# A component for GitLab's CI/CD catalog: the pipeline of \`setpoint init --pipeline gitlab\`. Made by scripts/component.mjs.
# For the variables and the setup, see docs/ci.md, GitLab.
spec:
  inputs:
    directory:
      description: Directory of setpoint.yaml, relative to the root of the project.
      default: .
    image:
      description: An image with Node 20.19 or newer, npm and git, by its digest, such as node:24@sha256:<digest>.
    plan-stage:
      default: test
    apply-stage:
      default: deploy
    secrets:
      description: A command that exports SETPOINT_SECRET_NAME for each secret, before the apply.
      default: "true"
---
.setpoint:
  image: $[[ inputs.image ]]
  timeout: 10 minutes
  # Installs the Setpoint that the project's package-lock.json pins.
  before_script: [npm ci --ignore-scripts --no-bin-links]

`

const JOBS = 'plan|main|report|apply|approve|reported|reported-approved'

/** The component from the pipeline for GitLab: other names of jobs, no defaults for all jobs, and inputs. */
export const componentOf = pipeline => {
  const jobs = pipeline.slice(pipeline.indexOf('# The only job with code'))
  const text = jobs
    .replace(new RegExp(`^(${JOBS}):\n(?!  extends)`, 'gm'), '$1:\n  extends: .setpoint\n')
    .replace(new RegExp(`^(${JOBS}):$`, 'gm'), 'setpoint-$1:')
    .replace(new RegExp(`extends: (${JOBS})$`, 'gm'), 'extends: setpoint-$1')
    .replace(new RegExp(`\\.setpoint-ci/(${JOBS})\\b`, 'g'), '.setpoint-ci/setpoint-$1')
    .replace(new RegExp(`needs: \\[(${JOBS})\\]`, 'g'), 'needs: [setpoint-$1]')
    .replace(new RegExp(`job: (${JOBS}),`, 'g'), 'job: setpoint-$1,')
    .replace(/"(approve)"/g, '"setpoint-$1"')
    .replace(/stage: (?:plan|report)$/gm, 'stage: $[[ inputs.plan-stage ]]')
    .replace(/stage: (?:apply|reported)$/gm, 'stage: $[[ inputs.apply-stage ]]')
    .replace(/^ *# Before this line, export .*$/m, '    - $[[ inputs.secrets ]]')
    .replace(
      /script: \[(node \S+ ci \w+.*?)\]$/gm,
      (_, command) => `script:\n    - ${command} -C "$[[ inputs.directory ]]"`,
    )
    .replace(/^( +- node \S+ ci (?:plan|apply))$/gm, '$1 -C "$[[ inputs.directory ]]"')
  return HEAD + text
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { pipelineOf } = await import('../dist/export/new-files.js')
  const path = new URL('../templates/setpoint/template.yml', import.meta.url)
  const text = componentOf(pipelineOf('gitlab', {})?.text ?? '')
  if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}
