import { performance } from 'node:perf_hooks'
import { loadDesired } from '../../dist/config/load.js'

const start = performance.now()
const { value, diagnostics } = await loadDesired({ directory: process.argv[2] })
const ms = performance.now() - start
if (value === undefined) throw new Error(JSON.stringify(diagnostics.slice(0, 3)))
console.log(JSON.stringify({ ms, sets: value.sets.length }))
