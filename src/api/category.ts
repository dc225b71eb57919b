import type { Category } from '../model/ids.ts'

/**
 * How the configuration category travels: "the lowercase name of the configuration tool" (interface 2.2). The interface
 * also shows it as the word `tool`, so that is read too.
 */
export const DEFAULT_TOOL = 'terraform'

export const writtenCategory = (category: Category, tool: string): string =>
  category === 'env' ? 'env' : tool

/** `undefined` for a category that we do not know: such a variable is foreign. */
export function readCategory(written: string, tool: string): Category | undefined {
  if (written === 'env') return 'env'
  return written === tool || written === DEFAULT_TOOL || written === 'tool' ? 'terraform' : undefined
}
