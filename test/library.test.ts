import { expect, test } from 'vitest'
import {
  applyPrepared,
  createReader,
  createWriter,
  explainWorkspace,
  exportFrom,
  exportText,
  loadDesired,
  machineTiming,
  openLine,
  preparePlan,
  renders,
  secretsOf,
  Token,
  withToken,
} from '../src/index.ts'
import { createSandbox } from '../src/sandbox/index.ts'
import { aDirectory } from './support/program.ts'

const NEVER = new AbortController().signal

test('the library does what the command line does: files to a plan, an apply, and an empty plan', async () => {
  const directory = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml':
      'variableSets:\n  a:\n    workspaces: [network-prod]\n    env: { X: 1.10, KEY: { secret: KEY } }\n',
  })
  const { value: desired } = await loadDesired({ directory })
  if (desired === undefined) throw new Error('the files are right')
  const sandbox = await createSandbox()
  const line = openLine(withToken(sandbox.transport, new Token(sandbox.token)), {
    timing: machineTiming(() => 0.5),
    rate: 'unlimited',
  })
  const service = {
    address: 'sandbox',
    reader: createReader(line.reading),
    writer: () => createWriter(line.transport),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
  const plan = async () => (await preparePlan(desired, service, [])).prepared
  const prepared = await plan()
  if (prepared === undefined) throw new Error('there is a plan')
  expect(renders.text({ kind: 'plan', plan: prepared.plan }, { color: false, width: 100 })).toContain(
    'env X  ',
  )
  const { result } = await applyPrepared({
    prepared,
    service,
    secrets: secretsOf({ SETPOINT_SECRET_KEY: 'k' }),
    concurrency: 4,
    failFast: false,
    stop: NEVER,
    abandon: NEVER,
    sleep: async () => {},
  })
  expect(result?.exitCode).toBe(0)
  expect((await plan())?.plan.steps).toEqual([])
  expect(sandbox.snapshot().sets?.[0]?.variables?.map(({ key, value }) => [key, value])).toEqual([
    ['KEY', undefined],
    ['X', '1.10'],
  ])
  const exported = await exportFrom(service, {
    organization: 'acme',
    only: [],
    owns: [],
    directory: { workspaces: [], projects: [] },
  })
  expect(exportText(exported.sets, '')).toContain('  a:\n    workspaces:\n      - network-prod\n')
  const { value } = await explainWorkspace(desired, service, 'network-prod', 'live')
  expect(value?.variables.map(({ key, before }) => [key, before?.set, before?.text])).toEqual([
    ['env/KEY', 'a', undefined],
    ['env/X', 'a', '1.10'],
  ])
})
