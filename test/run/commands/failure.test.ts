import { expect, test } from 'vitest'
import { IncompleteListingError, MalformedResponseError } from '../../../src/api/errors.ts'
import { failureOf } from '../../../src/run/commands/failure.ts'
import { TransportError } from '../../../src/wire/transport.ts'

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

test.each([
  ['a malformed response', new MalformedResponseError('the body is not JSON')],
  ['a list without page data', new IncompleteListingError('no page data', 5, true)],
])('%s sends nobody to check the address, and does not promise that another run helps', (_, error) => {
  const hint = failureOf(error)?.hint
  expect(hint).toBeDefined()
  expect(hint).not.toMatch(/address|again/)
})
