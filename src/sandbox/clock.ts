/** The one place where the sandbox looks at the machine's clock; everything else is handed a clock. */
export const systemClock = (): Date => new Date()
