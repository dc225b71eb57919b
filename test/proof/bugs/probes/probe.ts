/** Checks one promise of the program. Returns a sentence for each violation, and nothing for the unchanged program. */
export type Probe = () => Promise<readonly string[]> | readonly string[]

/** `what: wanted …, got …` if two values differ. */
export const differing = (what: string, wanted: unknown, got: unknown): string[] =>
  JSON.stringify(wanted) === JSON.stringify(got)
    ? []
    : [`${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`]
