import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestProblems } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import { aProject, KUBERNETES } from './project.ts'

/** The example for Kubernetes: the types of its interface, and its command with secrets as the cluster mounts them. */
test('the commands of the README work', async () => {
  const readme = join(KUBERNETES, 'README.md')
  expectDocument(
    readme,
    await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: KUBERNETES }) }),
  )
})

describe('the job for Kubernetes', () => {
  const manifest: CronJob = parse(readFileSync(join(KUBERNETES, 'cronjob.yaml'), 'utf8'))

  test('is a CronJob to the types of its interface, with no member that they do not know', () => {
    expect(manifestProblems(manifest)).toBe('')
    expect(manifestProblems({ apiVersion: 'batch/v1', kind: 'CronJob', spec: { shedule: 'x' } })).toContain(
      'shedule',
    )
  })

  test('applies with secrets as the cluster mounts them', async () => {
    const { sandbox, cwd, env } = await aProject(KUBERNETES)
    const mounted = aDirectory({ '..2026_01_01/DEPLOY_KEY': 'x' })
    symlinkSync('..2026_01_01', join(mounted, '..data'))
    symlinkSync('..data/DEPLOY_KEY', join(mounted, 'DEPLOY_KEY'))
    const given = manifest.spec.jobTemplate.spec.template.spec.containers[0]?.args ?? []
    expect(given).toEqual(['apply', '--auto-approve', '--secrets', '/run/setpoint/secrets'])
    const { code } = await run(
      given.map(word => (word.startsWith('/run/') ? mounted : word)),
      {
        cwd,
        env: { TFE_ADDRESS: env.TFE_ADDRESS, TFE_TOKEN: sandbox.token },
      },
    )
    expect(code).toBe(0)
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toEqual(['region'])
  })
})

interface CronJob {
  readonly spec: {
    readonly jobTemplate: {
      readonly spec: {
        readonly template: {
          readonly spec: { readonly containers: readonly { readonly args?: readonly string[] }[] }
        }
      }
    }
  }
}
