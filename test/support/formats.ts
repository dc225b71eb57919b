import { FORMATS, type Format } from '../../src/report/formats.ts'

/** Formats that say what changes and why. GitLab's widget has three counts. A new format is one of these. */
export const TELLING: readonly Format[] = FORMATS.filter(format => format !== 'gitlab')

/** Formats for people. */
export const FOR_PEOPLE: readonly Format[] = TELLING.filter(format => format !== 'json')
