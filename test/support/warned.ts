/** A diagnostic as stderr has it, as the rows of it in the report of a plan. */
export const asRows = (printed: string): string =>
  printed
    .split('\n')
    .map(line => {
      const [, place, severity, code] = /^(?:(\S+) {2})?(warning|error) (\S+)$/.exec(line) ?? []
      if (severity !== undefined) return `  ${severity}  ${place === undefined ? '' : `${place}  `}${code}`
      return line === '' ? line : `    ${line}`
    })
    .join('\n')

/** A report without its columns: one space between words. */
export const plain = (printed: string): string => printed.replaceAll(/(?<=\S) {2,}/g, ' ')
