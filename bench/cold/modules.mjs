import { register } from 'node:module'

/** Loaded with `--import`: the address of every module that is loaded afterwards, on stderr. */
register('./modules-hook.mjs', import.meta.url)
