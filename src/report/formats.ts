/** The forms a report can have, by the name that `--format` and `--report` know. Each has its renderer in `index.ts`. */
export const FORMATS = ['text', 'markdown', 'html', 'json', 'gitlab'] as const

export type Format = (typeof FORMATS)[number]

export const isFormat = (name: string): name is Format => FORMATS.some(format => format === name)
