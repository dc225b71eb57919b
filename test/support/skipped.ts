/** The title of a test that not every machine can run. If it is skipped, the title says why, and the summary repeats it. */
export const titled = (title: string, isSkipped: boolean, reason: string): string =>
  isSkipped ? `${title} (skipped: ${reason})` : title
