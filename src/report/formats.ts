/** The forms a report can have, by the name that `--format` and `--report` know. Each has its renderer in `index.ts`. */
export const FORMATS = ['text', 'markdown', 'html', 'json', 'gitlab'] as const

export type Format = (typeof FORMATS)[number]

export const isFormat = (name: string): name is Format => FORMATS.some(format => format === name)

/** Whether a form leaves nothing out, however long the report. Where Markdown is cut, it names files of these. */
export const IS_WHOLE: Readonly<Record<Format, boolean>> = {
  text: true,
  markdown: false,
  html: true,
  json: true,
  gitlab: false,
}
