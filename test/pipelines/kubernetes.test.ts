import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestProblems } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import { aProject, KUBERNETES, ROOT } from './project.ts'

/** Without a shell, and not by a name that a dependency could take. */
const PROGRAM = ['node', 'node_modules/setpoint/dist/bundle/setpoint.js']

/** Checks the example for Kubernetes against the types of its API, and runs its command with secrets as a cluster mounts them. */
test('the README shows the real output of its commands', async () => {
  const readme = join(KUBERNETES, 'README.md')
  expectDocument(
    readme,
    await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: KUBERNETES }) }),
  )
})

test('the Indexed Job for many organizations is valid for the Kubernetes API, and never retries exit codes 2 and 4', () => {
  const many = parse(readFileSync(join(ROOT, 'examples/many-organizations/job.yaml'), 'utf8'))
  expect(manifestProblems(many)).toBe('')
  const { spec } = many.spec.jobTemplate
  expect([spec.backoffLimit, spec.backoffLimitPerIndex, spec.maxFailedIndexes]).toEqual([
    undefined,
    2,
    undefined,
  ])
  expect(
    spec.podFailurePolicy.rules.map((rule: { action: string; onExitCodes?: object }) => [
      rule.action,
      rule.onExitCodes,
    ]),
  ).toEqual([
    ['Ignore', undefined],
    ['FailIndex', { containerName: 'setpoint', operator: 'In', values: [2, 4] }],
  ])
  expect(spec.template.spec.containers[0].command).toEqual(PROGRAM)
})

test.each(['examples/09-kubernetes', 'examples/many-organizations'])(
  'the image of %s installs what the README installs',
  folder => {
    const dockerfile = readFileSync(join(ROOT, folder, 'Dockerfile'), 'utf8')
    const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8')
    // A package that is only installed for development is missing after --omit=dev.
    expect(readme).toContain('npm install --save-dev ./setpoint-')
    expect(dockerfile).toContain('RUN npm ci --ignore-scripts --no-bin-links\n')
    const copied = [...dockerfile.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, words = '']) => words.split(' '))
    const installed = ['package.json', 'package-lock.json', 'setpoint-*.tgz']
    expect(copied.filter(name => !installed.includes(name) && !existsSync(join(ROOT, folder, name)))).toEqual(
      [],
    )
  },
)

test('the status of a pod that failed has the last lines of its log', () => {
  for (const file of ['examples/09-kubernetes/cronjob.yaml', 'examples/many-organizations/job.yaml']) {
    const manifest = parse(readFileSync(join(ROOT, file), 'utf8'))
    expect(manifestProblems(manifest)).toBe('')
    const [container] = manifest.spec.jobTemplate.spec.template.spec.containers
    expect(container.terminationMessagePolicy).toBe('FallbackToLogsOnError')
  }
})

test('a signal during start-up ends the program, and the pods share a process namespace so that it is never process 1', async () => {
  for (const file of ['examples/09-kubernetes/cronjob.yaml', 'examples/many-organizations/job.yaml']) {
    const { spec } = parse(readFileSync(join(ROOT, file), 'utf8'))
    expect(spec.jobTemplate.spec.template.spec.shareProcessNamespace).toBe(true)
  }
  // Here too, another process is process 1.
  const ends = await Promise.all(
    Array.from({ length: 3 }, async (_, at) => {
      const program = spawn(process.execPath, [
        join(ROOT, 'dist/bundle/setpoint.js'),
        'sandbox',
        '--port',
        '0',
      ])
      const ended = new Promise(done => program.on('exit', (code, signal) => done(signal ?? code)))
      await new Promise(done => setTimeout(done, at * 20))
      program.kill('SIGTERM')
      return await ended
    }),
  )
  expect(ends.filter(end => end !== 'SIGTERM' && end !== 143)).toEqual([])
})

describe('the CronJob', () => {
  const manifest: CronJob = parse(readFileSync(join(KUBERNETES, 'cronjob.yaml'), 'utf8'))

  test('is valid for the Kubernetes API, and the check finds unknown members', () => {
    expect(manifestProblems(manifest)).toBe('')
    expect(manifestProblems({ apiVersion: 'batch/v1', kind: 'CronJob', spec: { shedule: 'x' } })).toContain(
      'shedule',
    )
  })

  test('needs no writable directory for an apply that a digest approves', async () => {
    const { sandbox, cwd, env } = await aProject(KUBERNETES)
    const { containers } = manifest.spec.jobTemplate.spec.template.spec
    const [container] = containers
    expect(container?.securityContext.readOnlyRootFilesystem).toBe(true)
    expect(container?.volumeMounts.filter(({ readOnly }) => readOnly !== true)).toEqual([])
    const files = (): string[] => readdirSync(cwd).toSorted()
    const before = files()
    const service = {
      TFE_ADDRESS: env.TFE_ADDRESS,
      TFE_TOKEN: sandbox.token,
      SETPOINT_SECRET_DEPLOY_KEY: 'x',
    }
    const { stdout } = await run(['plan', '--format', 'json'], { cwd, env: service })
    const { digest } = JSON.parse(stdout)
    const { code } = await run(['apply'], { cwd, env: { ...service, SETPOINT_APPROVE: digest } })
    expect([code, files()]).toEqual([0, before])
  })

  test('applies with secrets as a cluster mounts them', async () => {
    const { sandbox, cwd, env } = await aProject(KUBERNETES)
    const mounted = aDirectory({ '..2026_01_01/DEPLOY_KEY': 'x' })
    symlinkSync('..2026_01_01', join(mounted, '..data'))
    symlinkSync('..data/DEPLOY_KEY', join(mounted, 'DEPLOY_KEY'))
    const [container] = manifest.spec.jobTemplate.spec.template.spec.containers
    expect(container?.command).toEqual(PROGRAM)
    const given = container?.args ?? []
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
          readonly spec: {
            readonly containers: readonly {
              readonly command?: readonly string[]
              readonly args?: readonly string[]
              readonly workingDir: string
              readonly securityContext: { readonly readOnlyRootFilesystem?: boolean }
              readonly volumeMounts: readonly {
                readonly name: string
                readonly mountPath: string
                readonly readOnly?: boolean
              }[]
            }[]
            readonly volumes: readonly { readonly name: string }[]
          }
        }
      }
    }
  }
}
