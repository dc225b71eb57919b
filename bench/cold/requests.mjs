import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, request } from 'undici'

/** The bare requests of a plan and nothing else: the first page, and the others eight at a time. */
const [url, token, organization] = process.argv.slice(2)
const dispatcher = new Agent({ connections: 8 })
let inflated = 0

async function page(number) {
  const path = `/api/v2/organizations/${organization}/varsets?include=vars&page%5Bsize%5D=100&page%5Bnumber%5D=${number}`
  const { body, headers } = await request(url + path, {
    dispatcher,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  const text = headers['content-encoding'] === 'gzip' ? await promisify(gunzip)(bytes) : bytes
  inflated += text.length
  return JSON.parse(text)
}

const first = await page(1)
const pages = first.meta.pagination['total-pages']
let sets = first.data.length
let next = 2
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (next <= pages) {
      const { data } = await page(next++)
      sets += data.length
    }
  }),
)
await dispatcher.close()
if (sets !== first.meta.pagination['total-count']) throw new Error(`${sets} sets came`)
console.log(JSON.stringify({ bytes: inflated }))
