import { type YamlValue, yamlText } from '../config/yaml-text.ts'
import { NO_FIELDS } from '../model/fields.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import { NOWHERE } from './desired-set.ts'
import { exportText, type NewFile, schemaLine } from './document.ts'

export interface FirstConfiguration {
  readonly organization: string
  readonly owner: string
  /** Patterns of the names that the repository may declare; empty: any. */
  readonly owns: readonly string[]
}

/** The configuration that a repository begins with. */
export const configurationFile = (
  { organization, owner, owns }: FirstConfiguration,
  up: string,
): NewFile => ({
  path: 'setpoint.yaml',
  text:
    schemaLine('setpoint', up) +
    yamlText(
      new Map<string, YamlValue>([
        ['organization', organization],
        ['owner', owner],
        ...(owns.length === 0 ? [] : [['owns', owns] as const]),
      ]),
    ),
})

/** What Git is to leave alone: the state of the embedded sandbox, and installed packages. */
export const ignoreFile: NewFile = { path: '.gitignore', text: '.setpoint/\nnode_modules/\n' }

/** A set to begin with, of a name that the patterns of the repository allow. */
export const exampleSet = ([pattern]: FirstConfiguration['owns']): DesiredSet => ({
  name: pattern === undefined ? 'first-set' : pattern.replaceAll('*', 'first').replaceAll('?', 'x'),
  description: 'A first set. Change it, and run setpoint plan.',
  global: false,
  priority: false,
  variables: [{ key: 'env/GREETING', value: { text: 'hello' }, ...NO_FIELDS, source: NOWHERE }],
  workspaces: [],
  previousNames: [],
  source: NOWHERE,
})

export const firstSetFile = (owns: FirstConfiguration['owns'], up: string): NewFile => ({
  path: 'sets/first-set.yaml',
  text: exportText([exampleSet(owns)], up),
})

const GITHUB = `# The plan into each pull request, the apply after the merge, drift every night.
name: setpoint
on:
  pull_request:
  push:
    branches: [main]
  schedule:
    - cron: "17 4 * * *"
  # Approves a blocked plan: the digest that the pull request or the failed apply shows.
  workflow_dispatch:
    inputs:
      digest:
        description: All 64 digits of the plan's digest; approves it, guards included
        required: true

permissions:
  contents: read

jobs:
  plan:
    # A pull request from a fork gets no secrets, so there is nothing to plan with.
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        # What is checked out is the merge: its first parent is the base that the plan tells this change from.
        with: { persist-credentials: false, fetch-depth: 2 }
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: node_modules/.bin/setpoint validate
      - run: node_modules/.bin/setpoint plan --base HEAD^1 --report markdown=plan.md --report html=plan.html --report markdown="$GITHUB_STEP_SUMMARY"
        env:
          # May read variables, and nothing else: whoever opens a pull request decides what runs here.
          TFE_TOKEN: \${{ secrets.TFE_TOKEN_READ }}
      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        with:
          name: plan
          path: |
            plan.md
            plan.html

  # Apart from the plan: this job may write to the pull request, and runs nothing that the pull request brought.
  comment:
    needs: plan
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions:
      contents: read
      pull-requests: write
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          ref: \${{ github.event.pull_request.base.sha }}
          persist-credentials: false
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with: { node-version: 24 }
      - uses: actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1
        with: { name: plan, path: report }
      - run: npm ci --ignore-scripts
      - run: node_modules/.bin/setpoint comment report/plan.md
        env:
          GITHUB_TOKEN: \${{ github.token }}

  apply:
    if: github.ref == 'refs/heads/main' && (github.event_name == 'push' || github.event_name == 'workflow_dispatch')
    runs-on: ubuntu-latest
    timeout-minutes: 30
    # One apply at a time, and none cut off: the service has no lock.
    concurrency: { group: setpoint-apply, cancel-in-progress: false }
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with: { persist-credentials: false }
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: node_modules/.bin/setpoint apply --auto-approve --report markdown="$GITHUB_STEP_SUMMARY"
        env:
          # Empty after a push. Set, it is the only consent that counts.
          SETPOINT_APPROVE: \${{ inputs.digest }}
          # And the secrets that the files name: setpoint secrets --format github
          TFE_TOKEN: \${{ secrets.TFE_TOKEN }}

  drift:
    if: github.event_name == 'schedule'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with: { persist-credentials: false }
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: node_modules/.bin/setpoint drift --report markdown="$GITHUB_STEP_SUMMARY"
        env:
          TFE_TOKEN: \${{ secrets.TFE_TOKEN_READ }}
`

const GITLAB = `# The plan on each merge request, the apply after the merge, drift on a schedule.
# TFE_TOKEN_READ is a masked CI variable; TFE_TOKEN is masked and protected, so that only protected branches get it.
# With SETPOINT_COMMENT_TOKEN, a project access token with the scope "api", the plan becomes a comment: CI_JOB_TOKEN may not.
variables:
  # Approves a blocked plan: set it where a pipeline is started by hand.
  SETPOINT_APPROVE:
    value: ""
    description: All 64 digits of the plan's digest; approves it, guards included

default:
  image: node:24
  before_script:
    - npm ci --ignore-scripts

plan:
  rules:
    # A merge request from a fork gets no variables of this project, so there is nothing to plan with.
    - if: $CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID
  interruptible: true
  script:
    - node_modules/.bin/setpoint validate
    - git fetch --depth=1 origin "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
    # May read variables, and nothing else: whoever opens a merge request decides what runs here.
    - TFE_TOKEN="$TFE_TOKEN_READ" node_modules/.bin/setpoint plan --base FETCH_HEAD --report markdown=plan.md --report html=plan.html --report gitlab=widget.json
    - if [ -n "$SETPOINT_COMMENT_TOKEN" ]; then node_modules/.bin/setpoint comment plan.md; fi
  artifacts:
    paths: [plan.md, plan.html]
    reports:
      terraform: widget.json

apply:
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && ($CI_PIPELINE_SOURCE == "push" || $CI_PIPELINE_SOURCE == "web")
  # One apply at a time, and none cut off: the service has no lock.
  resource_group: setpoint
  interruptible: false
  script:
    # Before it the secrets that the files name: setpoint secrets --format gitlab
    - node_modules/.bin/setpoint apply --auto-approve

drift:
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  script:
    - TFE_TOKEN="$TFE_TOKEN_READ" node_modules/.bin/setpoint drift
`

/** The pipeline of a forge, as `init` writes it; none for `none`. */
export const PIPELINES: Readonly<Record<string, NewFile>> = {
  github: { path: '.github/workflows/setpoint.yml', text: GITHUB },
  gitlab: { path: '.gitlab-ci.yml', text: GITLAB },
}
