import { writeSync } from 'node:fs'

/** Loaded with `--import`: the last line on stderr is the process's peak memory in KiB. */
process.on('exit', () => writeSync(2, `\n${process.resourceUsage().maxRSS}\n`))
