/** Looks at one promise of the program; what it finds broken, a sentence each. Finds nothing in the program as it is. */
export type Probe = () => Promise<readonly string[]> | readonly string[]

/** `what: wanted …, got …` where two values differ. */
export const differing = (what: string, wanted: unknown, got: unknown): string[] =>
  JSON.stringify(wanted) === JSON.stringify(got)
    ? []
    : [`${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`]

export const NEVER = new AbortController().signal
