import { again, type Done, type Promised } from './family.ts'

/** Promises, each with a check that throws if it is broken. */
export type Checks<Subject> = Readonly<Record<string, (subject: Subject) => void | Promise<void>>>

/** For each promise, nothing or what its check threw. */
export async function checkAll<Subject>(
  checks: Checks<Subject>,
  subject: Subject,
): Promise<Record<string, readonly string[]>> {
  const broken: Record<string, readonly string[]> = {}
  for (const [promise, check] of Object.entries(checks))
    try {
      await check(subject)
      broken[promise] = []
    } catch (error) {
      broken[promise] = [error instanceof Error ? (error.stack ?? error.message) : String(error)]
    }
  return broken
}

export const checkedPromises = (
  family: string,
  promises: readonly string[],
  done: readonly Done<unknown, { readonly broken: Readonly<Record<string, readonly string[]>> }>[],
): readonly Promised[] =>
  promises.map(promise => ({
    promise,
    broken: done.flatMap(({ task, found }) =>
      (found.broken[promise] ?? []).map(text => `${text}\n${again(family, task)}`),
    ),
  }))
