import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { unpack } from '../../src/api/exchange.ts'

const answer = (body: Buffer) => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body })
const MIB = 1024 * 1024
const LONG = 'a page of a list, '.repeat(100_000)

describe('a compressed response', () => {
  test.each([0, 1, 3, 65_000, 65_536, 200_000, 5 * MIB])('of %i bytes is decompressed', async length => {
    const text = 'x'.repeat(length)
    expect((await unpack(answer(gzipSync(text)), 64 * MIB)).body).toBe(text)
  })

  test.each([
    ['fewer', 5],
    ['more', 0xffff_ffff],
  ])('is an error if its trailer states %s bytes than it contains', async (_, length) => {
    const body = gzipSync(LONG)
    body.writeUInt32LE(length, body.length - 4)
    await expect(unpack(answer(body), 64 * MIB)).rejects.toMatchObject({ code: 'BAD_ENCODING' })
  })

  test.each([10 * MIB, 100_000, 50_000])(
    'of %i bytes is rejected if the limit is half of that',
    async length => {
      const body = gzipSync(Buffer.alloc(length))
      await expect(unpack(answer(body), length / 2)).rejects.toMatchObject({ code: 'TOO_LARGE' })
      body.writeUInt32LE(5, body.length - 4)
      await expect(unpack(answer(body), length / 2)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    },
  )

  test.each([0, 1, 3, 10, 17])(
    'that is truncated after %i bytes is an error, unless it is empty',
    async length => {
      const body = gzipSync(LONG).subarray(0, length)
      const unpacked = unpack(answer(body), MIB)
      if (length === 0) expect((await unpacked).body).toBe('')
      else await expect(unpacked).rejects.toMatchObject({ code: 'BAD_ENCODING' })
    },
  )
})
