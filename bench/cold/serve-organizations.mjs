import { createSandbox } from '../../dist/sandbox/index.js'
import { namesOf, setsOf, tokenOf } from '../organizations.mjs'

/** A service with many organizations, each with its sets and a token: `serve-organizations.mjs MANY LATENCY`. As `serve.mjs` otherwise. */
const [many, latency] = process.argv.slice(2)
const names = namesOf(Number(many))
const sandbox = await createSandbox({
  seed: {
    organizations: names.map(name => ({ name })),
    sets: names.flatMap(setsOf),
    tokens: [...names.map(tokenOf), tokenOf('all')].map(token => ({ token, permission: 'admin' })),
  },
})
const { url } = await sandbox.listen({ latency: Number(latency) })
console.log(JSON.stringify({ url, token: tokenOf('all') }))
process.stdin.on('end', () => process.exit()).resume()
