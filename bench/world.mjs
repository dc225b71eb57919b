import { createReader } from '../dist/api/reader.js'
import { createWriter } from '../dist/api/writer.js'
import { loadDesired } from '../dist/config/load.js'
import { Secret } from '../dist/model/secret.js'
import { applyPrepared } from '../dist/run/apply-prepared.js'
import { preparePlan, stateSourceOf } from '../dist/run/prepare.js'
import { createSandbox } from '../dist/sandbox/index.js'
import { ORGANIZATION } from './samples.mjs'

/** A sandbox in memory, with a transport that counts. */
export async function openWorld() {
  const sandbox = await createSandbox({ seed: { organizations: [{ name: ORGANIZATION }] } })
  const counts = { reads: 0, writes: 0 }
  const authorized = request => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${sandbox.token}` },
  })
  const uncounted = (request, signal) => sandbox.transport(authorized(request), signal)
  const transport = (request, signal) => {
    counts[request.method === 'GET' ? 'reads' : 'writes']++
    return uncounted(request, signal)
  }
  const service = {
    address: 'sandbox',
    reader: createReader(transport),
    writer: () => createWriter(transport),
    retriesExhausted: () => false,
    requests: () => ({ ...counts }),
  }
  return { sandbox, service, uncounted, close: () => sandbox.close() }
}

/** Loads, plans and, with `apply`, applies. Returns the number of requests. */
export async function requestsOf({ service }, directory, { apply }) {
  const before = service.requests()
  const desired = await desiredFrom(directory)
  const { prepared, diagnostics } = await preparePlan(
    desired,
    stateSourceOf(service, desired.organization),
    [],
  )
  if (prepared === undefined) throw new Error(JSON.stringify(diagnostics))
  if (apply) await applied({ prepared, service })
  const after = service.requests()
  return { reads: after.reads - before.reads, writes: after.writes - before.writes }
}

async function desiredFrom(directory) {
  const { value, diagnostics } = await loadDesired({ directory })
  if (value === undefined) throw new Error(JSON.stringify(diagnostics))
  return value
}

async function applied({ prepared, service }) {
  const never = new AbortController().signal
  const { result } = await applyPrepared({
    prepared,
    service,
    secrets: () => new Secret('value'),
    concurrency: 8,
    failFast: false,
    stop: never,
    abandon: never,
    sleep: async () => {},
  })
  if (result?.exitCode !== 0) throw new Error('the apply failed')
}
