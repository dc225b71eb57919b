import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads set files one after the other, checks nothing, and keeps what a plan needs of every variable. */
const sets = join(process.argv[2], 'sets')
const kept = []
for (const path of readdirSync(sets))
  for (const [index, line] of readFileSync(join(sets, path), 'utf8').split('\n').entries()) {
    const colon = line.indexOf(': ')
    if (/^ {6}\w/.test(line))
      kept.push({
        key: line.slice(6, colon),
        value: { text: line.slice(colon + 2) },
        description: '',
        hcl: false,
        source: { path, line: index + 1, column: 7 },
      })
  }
console.log(JSON.stringify({ kept: kept.length }))
