import { FOLDER } from '../ci/pipeline-job.ts'
import type { Merges } from '../forge/find-reviewed.ts'
import { githubMerges } from '../forge/github-merges.ts'
import { gitlabMerges } from '../forge/gitlab-merges.ts'
import type { ForgeProject } from '../forge/pull-request.ts'
import type { Transport } from '../wire/transport.ts'
import type { CommandContext } from './io.ts'
import { downloadFrom } from './with-forge.ts'

/** The file with the saved plan, beside what a job hands over. */
export const PLAN_FILE = 'plan.json'

/** The workflow of this run; '' if the environment does not name it. */
export const workflowIn = ({ env }: CommandContext): string =>
  /^[^/]+\/[^/]+\/(.+?)@/.exec(env.GITHUB_WORKFLOW_REF ?? '')?.[1] ?? ''

/** Merges as the forge of this job knows them. `prefix` stands before the names of its jobs. */
export function mergesOf(io: CommandContext, place: ForgeProject, transport: Transport, prefix = ''): Merges {
  const job = `${prefix}plan`
  return place.forge === 'github'
    ? githubMerges(transport, place, {
        workflow: workflowIn(io),
        artifact: job,
        file: PLAN_FILE,
        download: downloadFrom(io, place),
      })
    : gitlabMerges(transport, place, { job, file: `${FOLDER}/${job}/${PLAN_FILE}` })
}
