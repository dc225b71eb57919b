import { expect, test } from 'vitest'
import { failureOf } from '../../src/cli/failure.ts'
import { TransportError } from '../../src/wire/transport.ts'

const hintOf = (code: string) => failureOf(new TransportError('no answer', { sent: 'no', code }))?.hint

test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'Check the address'],
  ['PROXY_UNREACHABLE', 'Check HTTPS_PROXY and HTTP_PROXY'],
  ['PROXY_LOGIN', 'http://USER:PASSWORD@HOST:PORT'],
  ['PROXY_FORBIDS', 'Allow the host'],
  ['ECONNREFUSED', 'Check the address'],
])('a failure with the code %s has a matching hint', (code, hint) => {
  expect(hintOf(code)).toContain(hint)
})
