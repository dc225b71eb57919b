import type { SourceRange } from '../model/diagnostic.ts'
import type { Placed } from './phrase.ts'
import type { View } from './view.ts'

/** The view with an address for each place: `sources` and a file's path make one. */
export function linked(view: View, sources: string | undefined): View {
  if (sources === undefined) return view
  const at = <T extends { readonly source?: SourceRange }>(one: T): T =>
    one.source === undefined ? one : { ...one, source: placed(one.source, sources) }
  return {
    ...view,
    sets: view.sets.map(set => at({ ...set, changes: set.changes.map(at) })),
    warnings: view.warnings.map(at),
    ...(view.end === undefined ? {} : { end: { ...view.end, rows: view.end.rows.map(at) } }),
  }
}

/** Paths of the repository alone: nothing of a name leads anywhere else, and each character that is not plain is encoded. */
function placed(source: SourceRange, sources: string): Placed {
  const names = source.path.split('/')
  const isPlain = names.every(name => name !== '' && name !== '.' && name !== '..')
  // Half a character has no form in an address.
  if (!isPlain || /\p{Cs}/u.test(source.path)) return source
  const path = names.map(encoded).join('/')
  return { ...source, href: `${sources}${path}#L${source.line}` }
}

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*~]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
