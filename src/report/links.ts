import type { SourceRange } from '../model/diagnostic.ts'
import type { LinkOf } from './doc.ts'

/** The addresses of places below `sources`. Only paths below the repository have one; all special characters are encoded. */
export const linkTo = (sources: string | undefined): LinkOf | undefined =>
  sources === undefined ? undefined : source => addressOf(source, sources)

function addressOf({ path, line }: SourceRange, sources: string): string | undefined {
  const names = path.split('/')
  const isPlain = names.every(name => name !== '' && name !== '.' && name !== '..')
  // A lone surrogate cannot be encoded.
  if (!isPlain || /\p{Cs}/u.test(path)) return undefined
  return `${sources}${names.map(encoded).join('/')}#L${line}`
}

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*~]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
