import { createServer } from 'node:https'
import { afterEach, describe, expect, test } from 'vitest'
import { isFinalCode } from '../../src/api/errors.ts'
import { httpTransport } from '../../src/api/http.ts'
import { createPatience, withRetry } from '../../src/api/retry.ts'
import { type ApiRequest, TransportError } from '../../src/wire/transport.ts'
import { type Certificate, makeCertificates } from '../support/certificates.ts'
import { titled } from '../support/skipped.ts'
import { virtualTime } from './live.ts'

const certificates = makeCertificates()
const GET: ApiRequest = { method: 'GET', path: '/api/v2/x', headers: { authorization: 'Bearer canary' } }

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function serve({ key, cert }: Certificate) {
  let requests = 0
  const server = createServer({ key, cert }, (_, response) => {
    requests++
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endings.push(() => new Promise(resolve => server.close(resolve)))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `https://127.0.0.1:${port}`, requests: () => requests }
}

describe.skipIf(certificates === undefined)(
  titled('a service with a certificate', certificates === undefined, 'no openssl on the path'),
  () => {
    if (certificates === undefined) return
    const { own, expired, foreign } = certificates

    test.each([
      ['that is self-signed', own, undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['that expired', expired, expired.cert, 'CERT_HAS_EXPIRED'],
      ['for another host', foreign, foreign.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ])(
      '%s receives no request, and there is no retry',
      { tags: ['F-07'] },
      async (_, certificate, ca, code) => {
        const { url, requests } = await serve(certificate)
        const transport = httpTransport(url, ca === undefined ? {} : { ca })
        endings.push(transport.close)
        let attempts = 0
        const retrying = withRetry(
          (request, signal) => {
            attempts++
            return transport(request, signal)
          },
          { patience: createPatience(), timing: virtualTime() },
        )
        const error = await retrying(GET).catch((reason: unknown) => reason)
        expect(error).toBeInstanceOf(TransportError)
        expect(error).toMatchObject({ sent: 'no', code })
        expect(String(error)).toContain(`the certificate of the service is not trusted (${code})`)
        expect({ attempts, requests: requests() }).toEqual({ attempts: 1, requests: 0 })
      },
    )

    test('of a configured private CA is trusted', async () => {
      const { url } = await serve(own)
      const transport = httpTransport(url, { ca: own.cert })
      endings.push(transport.close)
      expect((await transport(GET)).status).toBe(200)
    })
  },
)

describe('an error code', () => {
  test.each([
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_NOT_YET_VALID',
    'CERT_REVOKED',
    'INVALID_CA',
    'HOSTNAME_MISMATCH',
  ])('%s is final, because a retry meets the same certificate', code => {
    expect(isFinalCode(code)).toBe(true)
  })

  test.each([
    'ABORTED',
    'UNCHECKED_TLS',
    'BAD_PROXY',
    'PROXY_LOGIN',
    'PROXY_FORBIDS',
    'UND_ERR_INVALID_ARG',
    'UND_ERR_DESTROYED',
  ])('%s is final, because a retry changes nothing', code => {
    expect(isFinalCode(code)).toBe(true)
  })

  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'DEADLINE',
    'UND_ERR_SOCKET',
    'PROXY',
    'PROXY_UNREACHABLE',
  ])('%s is not final', code => {
    expect(isFinalCode(code)).toBe(false)
  })
})
