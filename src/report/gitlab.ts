import type { View } from './view.ts'

/**
 * The report that GitLab shows in a merge request as its `terraform` widget: how many sets are created, updated and
 * deleted, the same figures as in the headline. It holds no text of others.
 */
export function renderGitlab({ sets }: Pick<View, 'sets'>): string {
  const count = (sign: View['sets'][number]['sign']): number => sets.filter(set => set.sign === sign).length
  return `${JSON.stringify({ create: count('+'), update: count('~'), delete: count('-') })}\n`
}
