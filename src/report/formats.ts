/** The formats of reports, by their names in `--format` and `--report`. Each has its renderer in `index.ts`. */
export const FORMATS = ['text', 'markdown', 'html', 'json', 'gitlab'] as const

export type Format = (typeof FORMATS)[number]

export const isFormat = (name: string): name is Format => FORMATS.some(format => format === name)

/** What a file of `--report` may be: a format, or the metrics of the run. */
export const FILE_KINDS = [...FORMATS, 'metrics'] as const

export type FileKind = (typeof FILE_KINDS)[number]

export const isFileKind = (name: string): name is FileKind => FILE_KINDS.some(kind => kind === name)

/**
 * Whether a format leaves nothing out, however long the report is. A shortened Markdown report names files in such a format.
 */
export const IS_WHOLE: Readonly<Record<Format, boolean>> = {
  text: true,
  markdown: false,
  html: true,
  json: true,
  gitlab: false,
}
