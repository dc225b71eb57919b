import { crc32, inflateRawSync } from 'node:zlib'

/** An archive that is not accepted: damaged, too large, or of a form that no honest pipeline creates. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** Bytes of an archive. Far above any artifact with a plan and its reports, as the following limits. */
export const LARGEST_ARCHIVE = 64 * 1024 * 1024

const MOST_FILES = 1_000
/** Bytes of all files, unpacked. */
const MOST_BYTES = 128 * 1024 * 1024

interface ZipEntry {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly checksum: number
  readonly packed: number
  readonly size: number
  readonly offset: number
}

/**
 * One file of a zip archive, or `undefined` if it has no file with that name. Every entry is checked before one is unpacked:
 * its name, its sizes, and that no two overlap or share a name. Unpacking ends where the file is larger than its stated size. Nothing is
 * written to the disk. Throws an `ArchiveError`.
 */
export function fileInZip(zip: Buffer, name: string): Buffer | undefined {
  const entries = entriesOf(zip)
  const found = entries.find(entry => entry.name === name)
  const places = entries.map(entry => placeOf(zip, entry)).toSorted((a, b) => a.begin - b.begin)
  for (const [index, { begin }] of places.entries())
    if (begin < (places[index - 1]?.end ?? 0)) throw new ArchiveError('two of its files overlap')
  return found === undefined ? undefined : unpacked(zip, found)
}

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50

function entriesOf(zip: Buffer): ZipEntry[] {
  const end = endOf(zip)
  const count = zip.readUInt16LE(end + 10)
  const begin = zip.readUInt32LE(end + 16)
  const isWhole =
    zip.readUInt32LE(end + 4) === 0 &&
    zip.readUInt16LE(end + 8) === count &&
    begin + zip.readUInt32LE(end + 12) === end
  if (!isWhole) throw new ArchiveError('its list of files is damaged, or in parts')
  if (count > MOST_FILES) throw new ArchiveError(`it has more than ${MOST_FILES} files`)
  const entries: ZipEntry[] = []
  let at = begin
  for (let index = 0; index < count; index++) {
    const { entry, next } = entryAt(zip, at, end)
    entries.push(entry)
    at = next
  }
  if (at !== end) throw new ArchiveError('its list of files is damaged')
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  if (names.size < entries.length) throw new ArchiveError('two of its files have the same name')
  if (entries.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES)
    throw new ArchiveError(`its files have more than ${MOST_BYTES} bytes`)
  return entries
}

/** The offset of the record that ends an archive. Only its own comment may follow. */
function endOf(zip: Buffer): number {
  for (let at = zip.length - 22; at >= 0 && at >= zip.length - 22 - 0xffff; at--)
    if (zip.readUInt32LE(at) === END && at + 22 + zip.readUInt16LE(at + 20) === zip.length) return at
  throw new ArchiveError('it is not a zip archive, or it is truncated')
}

/** Encryption, patches and newer features are refused. Sizes after the data and UTF-8 names are usual. */
const USUAL_FLAGS = 0b1000_0000_1110
const LINK = 0o120000
const TYPE = 0o170000

function entryAt(zip: Buffer, at: number, end: number): { entry: ZipEntry; next: number } {
  if (at + 46 > end || zip.readUInt32LE(at) !== CENTRAL)
    throw new ArchiveError('its list of files is damaged')
  const nameLength = zip.readUInt16LE(at + 28)
  const next = at + 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  if (next > end) throw new ArchiveError('its list of files is damaged')
  const entry = {
    name: nameIn(zip.subarray(at + 46, at + 46 + nameLength)),
    flags: zip.readUInt16LE(at + 8),
    method: zip.readUInt16LE(at + 10),
    checksum: zip.readUInt32LE(at + 16),
    packed: zip.readUInt32LE(at + 20),
    size: zip.readUInt32LE(at + 24),
    offset: zip.readUInt32LE(at + 42),
  }
  const isUsual =
    (entry.flags & ~USUAL_FLAGS) === 0 &&
    (entry.method === 8 || (entry.method === 0 && entry.packed === entry.size)) &&
    zip.readUInt16LE(at + 34) === 0 &&
    ((zip.readUInt32LE(at + 38) >>> 16) & TYPE) !== LINK
  if (!isUsual) throw new ArchiveError(`it contains ${JSON.stringify(entry.name)} in an unsupported format`)
  return { entry, next }
}

/** A relative path with `/` that does not leave its directory. */
function nameIn(bytes: Buffer): string {
  const name = textIn(bytes)
  const parts = name.replace(/\/$/, '').split('/')
  if (/[\0\\:]/.test(name) || parts.some(part => part === '' || part === '.' || part === '..'))
    throw new ArchiveError(`it contains the path ${JSON.stringify(name)}`)
  return name
}

export function textIn(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ArchiveError('it contains a text that is not UTF-8')
  }
}

/** The place of a file's data. The header before it must agree with the list. */
function placeOf(zip: Buffer, entry: ZipEntry): { begin: number; data: number; end: number } {
  const { name, offset, packed, flags, method } = entry
  const damaged = new ArchiveError(`its file ${JSON.stringify(name)} is damaged`)
  if (offset + 30 > zip.length || zip.readUInt32LE(offset) !== LOCAL) throw damaged
  const nameLength = zip.readUInt16LE(offset + 26)
  const data = offset + 30 + nameLength + zip.readUInt16LE(offset + 28)
  const isSame =
    data + packed <= zip.length &&
    zip.readUInt16LE(offset + 6) === flags &&
    zip.readUInt16LE(offset + 8) === method &&
    zip.subarray(offset + 30, offset + 30 + nameLength).equals(Buffer.from(name))
  if (!isSame) throw damaged
  return { begin: offset, data, end: data + packed }
}

function unpacked(zip: Buffer, entry: ZipEntry): Buffer {
  const { data, end } = placeOf(zip, entry)
  const bytes = inflated(zip.subarray(data, end), entry)
  if (bytes === undefined || bytes.length !== entry.size || crc32(bytes) !== entry.checksum)
    throw new ArchiveError(`its file ${JSON.stringify(entry.name)} is damaged`)
  return bytes
}

function inflated(packed: Buffer, { method, size }: ZipEntry): Buffer | undefined {
  if (method === 0) return packed
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}
