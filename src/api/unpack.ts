import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import type { ApiResponse } from '../wire/transport.ts'
import type { RawAnswer } from './exchange.ts'
import { codeOf, Fault } from './fault.ts'

const inflate = promisify(gunzip)

/**
 * The answer as text. Inflating stops at `maxBytes` of output, so that a bomb of some kilobytes costs no more than that
 * (docs/fault-model.md F-06). Rejects with a `Fault`.
 */
export async function unpack({ status, headers, body }: RawAnswer, maxBytes: number): Promise<ApiResponse> {
  const bytes = await plainBytes(body, headers['content-encoding'], maxBytes)
  try {
    return { status, headers, body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new Fault('BAD_TEXT', true)
  }
}

async function plainBytes(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const packed = (encoding ?? 'identity').trim().toLowerCase()
  if (packed === 'identity' || packed === '' || body.length === 0) return body
  if (packed !== 'gzip' && packed !== 'x-gzip') throw new Fault('BAD_ENCODING', true)
  try {
    return await inflated(body, maxBytes)
  } catch (error) {
    throw new Fault(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'TOO_LARGE' : 'BAD_ENCODING', true)
  }
}

/** Bytes. Up to here another thread costs more than it saves. */
const SMALL = 64 * 1024
const LARGEST_PIECE = 4 * 1024 * 1024

/**
 * Another thread hands over piece by piece, and each waits for a turn of the event loop, which are rare while files are read:
 * so all of it is one piece, of the size that the end of the body announces. Where that lies it costs turns, or some memory.
 */
async function inflated(body: Buffer, maxOutputLength: number): Promise<Buffer> {
  const announced = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4)
  return body.length < SMALL && announced < SMALL
    ? gunzipSync(body, { maxOutputLength })
    : await inflate(body, {
        maxOutputLength,
        chunkSize: Math.min(LARGEST_PIECE, Math.max(SMALL, announced + 1)),
      })
}
