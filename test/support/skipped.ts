/** The title of what not every machine can run. Where it is skipped it says why, and the summary of a run repeats it. */
export const titled = (title: string, isSkipped: boolean, reason: string): string =>
  isSkipped ? `${title} (skipped: ${reason})` : title
