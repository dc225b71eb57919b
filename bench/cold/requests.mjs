import { Agent, get } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** Only the bare requests of a plan: the first page, then the others eight at a time. */
const [url, token, organization] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
let inflated = 0

async function page(number) {
  const path = `/api/v2/organizations/${organization}/varsets?include=vars&page%5Bsize%5D=100&page%5Bnumber%5D=${number}`
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }
  const answer = await new Promise((resolve, reject) =>
    get(url + path, { agent, headers }, resolve).on('error', reject),
  )
  const chunks = []
  for await (const chunk of answer) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const text = answer.headers['content-encoding'] === 'gzip' ? await promisify(gunzip)(bytes) : bytes
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
agent.destroy()
if (sets !== first.meta.pagination['total-count']) throw new Error(`received ${sets} sets`)
console.log(JSON.stringify({ bytes: inflated }))
