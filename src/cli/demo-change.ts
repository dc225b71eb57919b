import { join } from 'node:path'
import { createSandbox } from '../sandbox/index.ts'
import type { ApiRequest } from '../wire/transport.ts'

const SET = 'payments-prod'
const VARIABLE = 'LOG_LEVEL'
const VALUE = 'debug'

/** What a colleague does in the browser: finds the set, and changes one variable. Returns what to print. */
export async function changeByHand(directory: string): Promise<string> {
  const sandbox = await createSandbox({ file: join(directory, '.setpoint/sandbox') })
  try {
    const send = async (method: ApiRequest['method'], path: string, body?: unknown): Promise<unknown> => {
      const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' }
      const request = { method, path: `/api/v2/${path}`, headers }
      const answer = await sandbox.transport(
        body === undefined ? request : { ...request, body: JSON.stringify(body) },
      )
      if (answer.status !== 200) throw new Error(`the sandbox answered ${answer.status}`)
      return JSON.parse(answer.body)
    }
    const set = idOf(await send('GET', 'organizations/acme/varsets'), 'name', SET)
    const variable = idOf(await send('GET', `varsets/${set}/relationships/vars`), 'key', VARIABLE)
    await send('PATCH', `varsets/${set}/relationships/vars/${variable}`, {
      data: { type: 'vars', attributes: { key: VARIABLE, category: 'env', value: VALUE } },
    })
    return `  PATCH varsets/${set}/relationships/vars/${variable}   ${VARIABLE}: info -> ${VALUE}\n`
  } finally {
    await sandbox.close()
  }
}

/** The id of the one entry of a list whose attribute has this value. */
function idOf(document: unknown, attribute: string, value: string): string {
  const entries: unknown =
    typeof document === 'object' && document !== null && 'data' in document ? document.data : []
  for (const entry of Array.isArray(entries) ? entries : [])
    if (entry?.attributes?.[attribute] === value && typeof entry.id === 'string') return entry.id
  throw new Error(`the sandbox has no ${value}`)
}
