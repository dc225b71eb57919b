import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseDocument } from 'yaml'

const sets = join(process.argv[2], 'sets')
const texts = [
  readFileSync(join(process.argv[2], 'setpoint.yaml'), 'utf8'),
  ...readdirSync(sets).map(name => readFileSync(join(sets, name), 'utf8')),
]
const start = performance.now()
let documents = 0
for (const text of texts) documents += parseDocument(text).toJS() === null ? 0 : 1
const ms = performance.now() - start
console.log(JSON.stringify({ ms, documents }))
