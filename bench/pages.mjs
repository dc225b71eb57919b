import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ORGANIZATION } from './samples.mjs'

const HEADERS = { 'content-type': 'application/vnd.api+json' }

/** Saves the responses of the list of sets, one page in a file. */
export async function savePages(transport, directory) {
  mkdirSync(directory, { recursive: true })
  for (let number = 1, last = 1; number <= last; number++) {
    const { status, body } = await transport({
      method: 'GET',
      path: `/api/v2/organizations/${ORGANIZATION}/varsets`,
      query: { include: 'vars', 'page[size]': '100', 'page[number]': String(number) },
      headers: HEADERS,
    })
    if (status !== 200) throw new Error(`page ${number} was answered with ${status}`)
    last = JSON.parse(body).meta.pagination['total-pages']
    writeFileSync(join(directory, `${String(number).padStart(5, '0')}.json`), body)
  }
  return directory
}

export const readPages = directory =>
  readdirSync(directory)
    .toSorted()
    .map(name => readFileSync(join(directory, name), 'utf8'))

/** Answers the list from saved pages, and no other request. */
export const transportOver = pages => async request => ({
  status: 200,
  headers: HEADERS,
  body: pages[Number(request.query['page[number]'] ?? 1) - 1],
})
