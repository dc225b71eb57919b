import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parse } from 'yaml'
import { createReader } from '../../dist/api/reader.js'
import { loadGroups } from '../../dist/config/load.js'
import { groupsText } from '../../dist/report/group-report.js'
import { groupDifferences, updatedGroups } from '../../dist/run/group-updates.js'
import { createSandbox } from '../../dist/sandbox/index.js'

/** Prints how many milliseconds `setpoint groups --update` takes beside its requests: the responses are recorded before. */
const [directory] = process.argv.slice(2)
const sandbox = await createSandbox({ seed: parse(readFileSync(join(directory, 'seed.yaml'), 'utf8')) })
const recorded = new Map()
const recording = async request => {
  const response = await sandbox.transport({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${sandbox.token}` },
  })
  recorded.set(JSON.stringify([request.path, request.query]), response)
  return response
}
const replaying = async request => recorded.get(JSON.stringify([request.path, request.query]))

async function update(transport) {
  const { value: loaded } = await loadGroups({ directory })
  const { value: found } = await groupDifferences({ reader: createReader(transport) }, loaded)
  const { value: files } = await updatedGroups(loaded, found, async path =>
    readFileSync(join(directory, path), 'utf8'),
  )
  if (files.length !== 1 || groupsText(found, { color: false, left: 0 }) === '') throw new Error('no update')
}

await update(recording)
const start = performance.now()
await update(replaying)
console.log(performance.now() - start)
await sandbox.close()
