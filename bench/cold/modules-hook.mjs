import { writeSync } from 'node:fs'

export async function load(url, context, next) {
  writeSync(2, `${url}\n`)
  return next(url, context)
}
