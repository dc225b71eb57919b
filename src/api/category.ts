import type { Category } from '../model/ids.ts'

/** How the configuration category travels: under the name of the tool (docs/service.md 2.2). The word `tool` is read too. */
export const DEFAULT_TOOL = 'terraform'

export const writtenCategory = (category: Category, tool: string): string =>
  category === 'env' ? 'env' : tool

/** `undefined` for a category that we do not know: such a variable is foreign. */
export function readCategory(written: string, tool: string): Category | undefined {
  if (written === 'env') return 'env'
  return written === tool || written === DEFAULT_TOOL || written === 'tool' ? 'terraform' : undefined
}
