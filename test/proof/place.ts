import { resolve } from 'node:path'

const CACHE = '/node_modules/.cache/'
const here = resolve(import.meta.dirname, '../..')

/** The directory of this program, compiled or as sources. */
export const PROGRAM = here

/** The repository, even if this program is compiled below `node_modules`. */
export const ROOT = here.includes(CACHE) ? here.slice(0, here.lastIndexOf(CACHE)) : here
