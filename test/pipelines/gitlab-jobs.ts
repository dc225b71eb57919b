import { shell } from '../support/workflow.ts'

export interface GitlabJob {
  readonly before_script?: readonly string[]
  readonly script: readonly string[]
  readonly artifacts?: { readonly paths?: readonly string[]; readonly reports?: unknown }
  readonly [key: string]: unknown
}

export const jobIn = (pipeline: Readonly<Record<string, unknown>> | string, name: string): GitlabJob => {
  if (typeof pipeline === 'string') throw new Error(pipeline)
  const job = pipeline[name]
  if (!isJob(job)) throw new Error(`there is no job ${name}`)
  return job
}

const isJob = (value: unknown): value is GitlabJob =>
  typeof value === 'object' && value !== null && 'script' in value && Array.isArray(value.script)

/** Runs a job like GitLab's runner: all lines in one shell, which ends at the first failure. */
export const runScript = (job: GitlabJob, cwd: string, env: Readonly<Record<string, string>>) =>
  shell(`set -o pipefail\n${[...(job.before_script ?? []), ...job.script].join('\n')}`, cwd, env)
