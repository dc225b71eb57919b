import type { NewFile } from './document.ts'

const GITHUB = `# The plan on each pull request, the apply after the merge, drift every night.
name: setpoint
on:
  pull_request:
  push:
    branches: [main]
  schedule:
    - cron: "17 4 * * *"

permissions:
  contents: read

jobs:
  plan:
    # A pull request from a fork gets no secrets, so there is nothing to plan with.
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with: { persist-credentials: false }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: npx --no -- setpoint validate
      - run: npx --no -- setpoint plan --format markdown >> "$GITHUB_STEP_SUMMARY"
        env:
          # May read variables, and nothing else: whoever opens a pull request decides what runs here.
          TFE_TOKEN: \${{ secrets.TFE_TOKEN_READ }}

  apply:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    timeout-minutes: 30
    # One apply at a time, and none cut off: the service has no lock.
    concurrency: { group: setpoint-apply, cancel-in-progress: false }
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with: { persist-credentials: false }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: npx --no -- setpoint apply --auto-approve
        env:
          # And the secrets that the files name: setpoint secrets --format github
          TFE_TOKEN: \${{ secrets.TFE_TOKEN }}

  drift:
    if: github.event_name == 'schedule'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with: { persist-credentials: false }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: npx --no -- setpoint drift --format markdown >> "$GITHUB_STEP_SUMMARY"
        env:
          TFE_TOKEN: \${{ secrets.TFE_TOKEN_READ }}
`

const GITLAB = `# The plan on each merge request, the apply after the merge, drift on a schedule.
# TFE_TOKEN_READ is a masked CI variable; TFE_TOKEN is masked and protected, so that only protected branches get it.
default:
  image: node:24
  before_script:
    - npm ci --ignore-scripts

plan:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - npx --no -- setpoint validate
    # May read variables, and nothing else: whoever opens a merge request decides what runs here.
    - TFE_TOKEN="$TFE_TOKEN_READ" npx --no -- setpoint plan

apply:
  rules:
    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  # One apply at a time, and none cut off: the service has no lock.
  resource_group: setpoint
  interruptible: false
  script:
    # Before it the secrets that the files name: setpoint secrets --format gitlab
    - npx --no -- setpoint apply --auto-approve

drift:
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  script:
    - TFE_TOKEN="$TFE_TOKEN_READ" npx --no -- setpoint drift
`

/** The pipeline of a forge, as `init` writes it; none for `none`. */
export const PIPELINES: Readonly<Record<string, NewFile>> = {
  github: { path: '.github/workflows/setpoint.yml', text: GITHUB },
  gitlab: { path: '.gitlab-ci.yml', text: GITLAB },
}
