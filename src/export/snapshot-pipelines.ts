/** A part of a template, and what replaces it. */
export type Replacement = readonly [old: string, by: string]

const PROGRAM = 'node node_modules/setpoint/dist/bundle/setpoint.js'

/** Of the newest run that has a snapshot. The checkout could contain a file of that name. */
const DOWNLOAD_GITHUB = `        # Only from runs of main after a push or on a schedule, which no pull request can start: a branch of a fork may be called main, too.
        run: |
          rm -rf snapshot.json
          for event in push schedule; do
            gh run list --workflow setpoint.yml --event "$event" --branch main --limit 10 --json databaseId --jq '.[].databaseId'
          done | sort -rn | while read -r number; do
            if gh run download "$number" --name snapshot; then break; fi
          done
          if [ ! -e snapshot.json ]; then echo 'There is no snapshot yet: the next push to main makes one.' >&2; exit 1; fi
`

/** The pipeline for GitHub whose pull requests hold no token of the service. */
export const SNAPSHOT_GITHUB: readonly Replacement[] = [
  [
    '# Set the repository secret TFE_TOKEN_READ, a token that only reads variables.\n',
    `#   setpoint-read     with the secret TFE_TOKEN_READ, a token that only reads variables; not a secret of the repository
# Pull requests are planned from the newest snapshot, without any token of the service. The next push to main makes the first one.
`,
  ],
  [
    '    # A newer push makes the older plan obsolete.\n',
    '    permissions:\n      actions: read\n      contents: read\n    # A newer push makes the older plan obsolete.\n',
  ],
  [
    `      - name: plan
        run: ${PROGRAM} plan --base HEAD^1 $PLAN_MODE --out plan.json `,
    `      - name: download
${DOWNLOAD_GITHUB}        env:
          GH_TOKEN: \${{ github.token }}
          GH_REPO: \${{ github.repository }}
      - name: plan
        run: ${PROGRAM} plan --snapshot snapshot.json --base HEAD^1 $PLAN_MODE --out plan.json `,
  ],
  [
    `        env:
          # A token that only reads variables: anybody who opens a pull request decides what runs here.
          TFE_TOKEN: \${{ secrets.TFE_TOKEN_READ }}
`,
    '',
  ],
  [
    `        # Only from a scheduled run, which no pull request can start. Artifacts with this name from other runs are ignored.
        run: |
          number=$(gh run list --workflow setpoint.yml --event schedule --branch main --status success --limit 1 --json databaseId --jq '.[].databaseId')
          # Without a number, gh would take an artifact of any run.
          if [ -z "$number" ]; then echo 'There is no snapshot yet: no scheduled run succeeded.' >&2; exit 1; fi
          gh run download "$number" --name snapshot
`,
    DOWNLOAD_GITHUB,
  ],
  ['    needs: [reviewed, apply]\n', '    needs: [reviewed, apply]\n    environment: setpoint-read\n'],
  [
    `  # For plans of forks. The snapshot has no secrets, but everybody who can download artifacts can read its readable values.
  snapshot:
    if: github.event_name == 'schedule'
`,
    `  # For plans of pull requests. The snapshot has no secrets, but everybody who can download artifacts can read its readable values.
  snapshot:
    needs: [apply, approve]
    if: always() && github.ref == 'refs/heads/main' && (github.event_name == 'push' || github.event_name == 'schedule')
    environment: setpoint-read
`,
  ],
  [
    "  drift:\n    if: github.event_name == 'schedule'\n",
    "  drift:\n    if: github.event_name == 'schedule'\n    environment: setpoint-read\n",
  ],
]

/** The pipeline for GitLab whose merge requests hold no token of the service. */
export const SNAPSHOT_GITLAB: readonly Replacement[] = [
  [
    '#   TFE_TOKEN_READ          only reads variables; every pipeline gets it\n',
    `#   TFE_TOKEN_READ          only reads variables; protected
# Merge requests are planned from the newest snapshot of the default branch, without any token of the service. The next
# pipeline of the default branch makes the first one.
`,
  ],
  [
    `    # A token that only reads variables: anybody who opens a merge request decides what runs here.
    - export TFE_TOKEN="$TFE_TOKEN_READ"
    # The base`,
    `    # Of the newest pipeline of the default branch that succeeded. Its branch is not that of a merge request.
    - |
      rm -rf snapshot.json
      node --input-type=module <<'END'
      import { writeFileSync } from 'node:fs'
      const { CI_API_V4_URL, CI_PROJECT_ID, CI_DEFAULT_BRANCH, CI_JOB_TOKEN } = process.env
      const artifacts = \`\${CI_API_V4_URL}/projects/\${CI_PROJECT_ID}/jobs/artifacts/\${encodeURIComponent(CI_DEFAULT_BRANCH)}\`
      const response = await fetch(\`\${artifacts}/raw/snapshot.json?job=snapshot\`, { headers: { 'job-token': CI_JOB_TOKEN } })
      if (!response.ok) throw new Error(\`There is no snapshot (\${response.status}): the next pipeline of \${CI_DEFAULT_BRANCH} makes one.\`)
      writeFileSync('snapshot.json', await response.text())
      END
    # The base`,
  ],
  [
    `${PROGRAM} plan --base FETCH_HEAD $PLAN_MODE`,
    `${PROGRAM} plan --snapshot snapshot.json --base FETCH_HEAD $PLAN_MODE`,
  ],
  [
    '  interruptible: true\n  timeout: 10 minutes\n',
    '  interruptible: true\n  timeout: 10 minutes\n  # Sends requests through HTTPS_PROXY, as Setpoint does.\n  variables: { NODE_USE_ENV_PROXY: "1" }\n',
  ],
  [
    'drift:\n  stage: plan\n',
    `# For plans of merge requests. The snapshot has no secrets, but everybody who can download artifacts can read its readable values.
snapshot:
  stage: report
  needs:
    - { job: apply, optional: true }
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && ($CI_PIPELINE_SOURCE == "push" || $CI_PIPELINE_SOURCE == "schedule")
      when: always
  timeout: 10 minutes
  script:
    - rm -rf snapshot.json
    - export TFE_TOKEN="$TFE_TOKEN_READ"
    - ${PROGRAM} snapshot --out snapshot.json
  artifacts:
    paths: [snapshot.json]
    expire_in: 1 week

drift:
  stage: plan
`,
  ],
]
