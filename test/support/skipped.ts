/** The title of a test that not every machine can run. A skipped test has the reason in its title, which the summary repeats. */
export const titled = (title: string, isSkipped: boolean, reason: string): string =>
  isSkipped ? `${title} (skipped: ${reason})` : title
