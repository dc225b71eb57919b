import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { aDirectory } from '../../support/program.ts'
import { readWorkflow, runSteps } from '../../support/workflow.ts'

const WORKFLOW = readWorkflow(resolve(import.meta.dirname, '../../../.github/workflows/servers.yml'))
const RELEASE = 'a release'
const CHECKSUM = 'inputs.otf-sha256 || vars.OTF_SHA256'

/** Runs the step that fetches the server, with programs in place of curl and unzip. */
async function fetched(checksum: string) {
  const cwd = aDirectory()
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  const [curl, unzip] = [`printf '%s' '${RELEASE}' > otf/otfd.zip\ntouch fetched`, 'touch unpacked']
  for (const [name, text] of Object.entries({ curl, unzip }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const steps = WORKFLOW.jobs.otf?.steps.filter(({ name }) => name === 'otf') ?? []
  const [step] = await runSteps(steps, {
    cwd,
    context: { [CHECKSUM]: checksum },
    env: { PATH: `${bin}:${process.env.PATH}` },
  })
  const [isFetched, isUnpacked] = ['fetched', 'unpacked'].map(name => existsSync(join(cwd, name)))
  return { code: step?.code, output: step?.output, isFetched, isUnpacked }
}

test('the nightly workflow fetches no OTF without a checksum, and unpacks nothing that has another one', async () => {
  for (const none of ['', 'TODO', `${'0'.repeat(63)}`])
    expect(await fetched(none)).toEqual({
      code: 1,
      output:
        'Set the variable OTF_SHA256 to the SHA-256 of otfd_0.6.3_linux_amd64.zip: the release lists it.\n',
      isFetched: false,
      isUnpacked: false,
    })
  const other = await fetched('0'.repeat(64))
  expect([other.code, other.isFetched, other.isUnpacked]).toEqual([1, true, false])
  const right = await fetched(createHash('sha256').update(RELEASE).digest('hex'))
  expect([right.code, right.isFetched, right.isUnpacked]).toEqual([0, true, true])
})

test('the nightly workflow starts no image of Terrence without its digest', async () => {
  const started = async (digest: string) => {
    const cwd = aDirectory()
    const bin = join(cwd, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho "$@" > started\n', { mode: 0o755 })
    const steps = WORKFLOW.jobs.terrence?.steps.filter(({ name }) => name === 'terrence') ?? []
    const [step] = await runSteps(steps, {
      cwd,
      context: { 'inputs.terrence-sha256 || vars.TERRENCE_SHA256': digest },
      env: { PATH: `${bin}:${process.env.PATH}`, GITHUB_ENV: join(cwd, 'env') },
    })
    const file = join(cwd, 'started')
    return {
      code: step?.code,
      output: step?.output,
      started: existsSync(file) ? readFileSync(file, 'utf8') : '',
    }
  }
  for (const none of ['', 'latest', `${'0'.repeat(63)}`])
    expect(await started(none)).toEqual({
      code: 1,
      output:
        'Set the variable TERRENCE_SHA256 to the digest of ghcr.io/essinghigh-org/terrence: the registry shows it.\n',
      started: '',
    })
  const right = await started('a'.repeat(64))
  expect([right.code, right.started]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `^run --detach .*--publish 127\\.0\\.0\\.1:8098:3000 .*terrence@sha256:${'a'.repeat(64)}\n$`,
      ),
    ),
  ])
})
