import { performance } from 'node:perf_hooks'
import { readPages } from '../pages.mjs'

const pages = readPages(process.argv[2])
const start = performance.now()
let sets = 0
for (const page of pages) sets += JSON.parse(page).data.length
const ms = performance.now() - start
console.log(JSON.stringify({ ms, sets }))
