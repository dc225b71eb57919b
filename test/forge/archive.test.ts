import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ArchiveError, fileInZip } from '../../src/forge/archive.ts'
import { aDirectory } from '../support/program.ts'
import { titled } from '../support/skipped.ts'
import { type ZipFile, zipOf } from './routes.ts'

const text = (zip: Buffer, name = 'plan.json'): string | undefined => fileInZip(zip, name)?.toString()
const PLAN: ZipFile = { name: 'plan.json', text: '{"format":2}' }
const BIG = { name: 'plan.html', text: 'a'.repeat(100_000) }

describe('an artifact', () => {
  test('returns one file, compressed or not, among other files', () => {
    expect(text(zipOf([BIG, PLAN, { name: 'sub/', text: '' }, { name: 'sub/ü.md', text: 'x' }]))).toBe(
      '{"format":2}',
    )
    expect(text(zipOf([{ ...PLAN, method: 0 }], 'a comment'))).toBe('{"format":2}')
    expect(text(zipOf([BIG]))).toBeUndefined()
    expect(text(zipOf([]))).toBeUndefined()
  })

  const isAlone = !hasPython()
  test.skipIf(isAlone)(titled('is read if another program made it', isAlone, 'there is no python3'), () => {
    const folder = aDirectory({ 'plan.json': '{"format":2}', 'plan.html': BIG.text })
    execFileSync('python3', ['-m', 'zipfile', '-c', 'plan.zip', 'plan.html', 'plan.json'], { cwd: folder })
    const zip = readFileSync(join(folder, 'plan.zip'))
    expect([text(zip), text(zip, 'plan.html')?.length]).toEqual(['{"format":2}', 100_000])
  })

  test.each<[string, readonly ZipFile[]]>([
    ['has a path out of the archive', [PLAN, { name: '../x', text: 'x' }]],
    ['has `..` in the middle of its path', [PLAN, { name: 'a/../../x', text: 'x' }]],
    ['has `.` in its path', [PLAN, { name: './x', text: 'x' }]],
    ['has an absolute path', [PLAN, { name: '/etc/x', text: 'x' }]],
    ['has a backslash in its path', [PLAN, { name: 'a\\b', text: 'x' }]],
    ['has a drive letter in its path', [PLAN, { name: 'C:x', text: 'x' }]],
    ['has an empty name', [PLAN, { name: '', text: 'x' }]],
    ['is contained twice', [PLAN, { ...PLAN, text: 'other' }]],
    ['is contained twice, in another case', [PLAN, { ...PLAN, name: 'PLAN.json' }]],
    ['is a link', [{ ...PLAN, mode: 0o120777 }]],
    ['is encrypted', [{ ...PLAN, flags: 1 }]],
    ['has an unknown compression method', [{ ...PLAN, method: 12 }]],
    ['has another checksum', [{ ...PLAN, checksum: 1 }]],
    ['is larger than stated', [{ ...PLAN, size: 3 }]],
    ['is smaller than stated', [{ ...PLAN, size: 300 }]],
    ['has another name in its local header', [{ ...PLAN, localName: 'other.jso' }]],
    ['states a size of 4 GB', [PLAN, { name: 'x', text: 'x', size: 0xffff_fff0 }]],
  ])('is refused if a file %s', (_, files) => {
    expect(() => text(zipOf(files))).toThrow(ArchiveError)
  })

  test('is refused if it is truncated anywhere, and a changed byte does not crash the reader', () => {
    const zip = zipOf([PLAN, { name: 'plan.md', text: 'hello' }])
    for (let length = 0; length < zip.length; length++)
      expect(() => text(zip.subarray(0, length))).toThrow(ArchiveError)
    for (let at = 0; at < zip.length; at++)
      for (const bit of [1, 16, 128]) {
        const changed = Buffer.from(zip)
        changed[at] = (changed[at] ?? 0) ^ bit
        let found: string | undefined
        try {
          found = text(changed)
        } catch (error) {
          expect(error).toBeInstanceOf(ArchiveError)
          continue
        }
        expect([undefined, '{"format":2}']).toContain(found)
      }
  })

  test('is refused if two files overlap, or if it has too many files or bytes', () => {
    const zip = zipOf([PLAN, { ...PLAN, name: 'plan.txt' }])
    zip.writeUInt32LE(0, zip.lastIndexOf(Buffer.from('plan.txt')) - 4)
    expect(() => text(zip)).toThrow(ArchiveError)
    const many = Array.from({ length: 1_001 }, (_, index) => ({ name: `${index}`, text: '' }))
    expect(() => text(zipOf(many))).toThrow('more than 1000 files')
    const large = { name: 'x', text: 'x', size: 128 * 1024 * 1024 }
    expect(() => text(zipOf([PLAN, large]))).toThrow('more than 134217728 bytes')
  })

  test('of 400 MB is refused before it is unpacked, also if it states another size, and needs little memory', () => {
    const two = Buffer.alloc(2 * 1024 * 1024)
    const small = { name: 'x', text: '', packed: packedZeros(2), size: two.length, checksum: crc32(two) }
    expect(fileInZip(zipOf([small]), 'x')?.equals(two)).toBe(true)
    const megabytes = 400
    const packed = packedZeros(megabytes)
    expect(packed.length).toBeLessThan(1024 * 1024)
    const bytes = megabytes * 1024 * 1024
    const refusalOf = (size: number): string => {
      const before = process.memoryUsage.rss()
      try {
        text(zipOf([{ name: 'plan.json', text: '', packed, size }]))
      } catch (error) {
        expect(error).toBeInstanceOf(ArchiveError)
        expect(process.memoryUsage.rss() - before).toBeLessThan(50 * 1024 * 1024)
        return String(error)
      }
      return 'accepted'
    }
    expect(refusalOf(bytes)).toContain('its files have more than 134217728 bytes')
    for (const size of [0, 12, 1024 * 1024]) expect(refusalOf(size)).toContain('"plan.json" is damaged')
  })
})

/** That many megabytes of zeros, compressed piece by piece. */
function packedZeros(megabytes: number): Buffer {
  const piece = Buffer.alloc(1024 * 1024)
  const packed = deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([...Array.from({ length: megabytes }, () => packed), deflateRawSync(Buffer.alloc(0))])
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
