import { ORGANIZATION } from '../samples.mjs'
import { openWorld, requestsOf } from '../world.mjs'

/**
 * A service on its own port with the sets of the files: `serve.mjs FILES LATENCY [LIMIT]`. Prints its address, and ends with
 * the standard input. It answers from memory, so that its own time is not measured.
 */
const [files, latency, limit] = process.argv.slice(2)
const world = await openWorld()
if (files !== '') await requestsOf(world, files, { apply: true })
const { url } = await world.sandbox.listen({
  latency: Number(latency),
  ...(limit === undefined ? {} : { rateLimit: { hint: 'reset', requestsPerSecond: Number(limit) } }),
})
console.log(JSON.stringify({ url, token: world.sandbox.token, organization: ORGANIZATION }))
process.stdin.on('end', () => process.exit()).resume()
