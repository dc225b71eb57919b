import { resolve } from 'node:path'

const CACHE = '/node_modules/.cache/'
const here = resolve(import.meta.dirname, '../..')

/** The compiled program and proof that runs, or the sources where they run themselves. */
export const PROGRAM = here

/** The repository, also for what runs compiled, below its `node_modules`. */
export const ROOT = here.includes(CACHE) ? here.slice(0, here.lastIndexOf(CACHE)) : here
