import { parse } from 'yaml'
import { type SandboxSeed, SeedError } from './seed.ts'
import { checkSeed } from './seed-shape.ts'

/** Reads a seed from YAML or JSON text. Throws SeedError; YAML's own errors are in it. */
export function parseSeed(source: string): SandboxSeed {
  try {
    return checkSeed(parse(source, { schema: 'core', maxAliasCount: 0 }) ?? {})
  } catch (error) {
    if (error instanceof SeedError) throw error
    throw new SeedError([error instanceof Error ? error.message : 'not YAML'])
  }
}
