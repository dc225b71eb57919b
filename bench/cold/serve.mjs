import { ORGANIZATION } from '../samples.mjs'
import { openWorld, requestsOf } from '../world.mjs'

/**
 * A service on a port of its own that has what the files say: `serve.mjs FILES LATENCY [LIMIT]`. Prints where it is, and
 * ends with the standard input. It answers from memory, so that its own time is not measured as ours.
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
