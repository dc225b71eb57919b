/** Shells that completion is written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The command that scripts of shells ask what may stand at the cursor. It stands in no help. */
export const COMPLETE = '__complete'
