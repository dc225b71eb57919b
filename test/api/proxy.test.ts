import { describe, expect, test } from 'vitest'
import { proxyFor } from '../../src/api/proxy.ts'

const PROXY = 'http://proxy.example:3128'
const isProxied = (address: string, NO_PROXY: string): boolean =>
  proxyFor(new URL(address), { HTTPS_PROXY: PROXY, NO_PROXY }) !== undefined

/** What golang.org/x/net/http/httpproxy says, as Terraform 1.11 does where it accepts the host. */
describe('NO_PROXY', () => {
  test.each<[entry: string, direct: readonly string[], proxied: readonly string[]]>([
    ['', [], ['tfe.example.com']],
    [
      'example.com',
      ['example.com', 'tfe.example.com', 'a.b.example.com'],
      ['notexample.com', 'example.com.evil.test'],
    ],
    ['Example.COM', ['tfe.example.com'], []],
    ['.example.com', ['tfe.example.com'], ['example.com']],
    ['*.example.com', ['tfe.example.com'], ['example.com']],
    ['tfe.*', [], ['tfe.example.com']],
    ['*', ['tfe.example.com', '192.0.2.5', '[2001:db8::1]'], []],
    ['x,*', ['tfe.example.com', '192.0.2.5'], []],
    [' other.test , example.com ', ['tfe.example.com'], ['tfe.test']],
    // Only commas separate.
    ['other.test example.com', [], ['tfe.example.com']],
    ['x *', [], ['tfe.example.com']],
    [',,', [], ['tfe.example.com']],
    // A final dot is a part of the name.
    ['example.com.', ['tfe.example.com.'], ['tfe.example.com']],
    ['example.com', [], ['tfe.example.com.']],
    ['tfe.example.com:443', ['tfe.example.com', 'tfe.example.com:443'], ['tfe.example.com:8443']],
    ['example.com:8443', ['tfe.example.com:8443'], ['tfe.example.com']],
    ['example.com:', ['tfe.example.com:8443'], []],
    ['example.com:https', [], ['tfe.example.com']],
    [':443', [], ['tfe.example.com']],
    ['b\u00fccher.example', ['tfe.b\u00fccher.example', 'tfe.xn--bcher-kva.example'], ['bucher.example']],
    ['192.0.2.5', ['192.0.2.5', '192.0.2.5:8443'], ['192.0.2.50']],
    ['192.0.2.5:8443', ['192.0.2.5:8443'], ['192.0.2.5']],
    ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255:8443'], ['192.0.3.0', 'tfe.example.com']],
    ['192.0.2.128/25', ['192.0.2.200'], ['192.0.2.100']],
    ['0.0.0.0/0', ['192.0.2.1'], ['[2001:db8::1]', 'tfe.example.com']],
    ['192.0.2.0/33', [], ['192.0.2.1']],
    ['192.0.2/24', [], ['192.0.2.1']],
    ['192.0.2.0/24:443', [], ['192.0.2.1']],
    ['2001:db8::1', ['[2001:db8::1]', '[2001:DB8:0::1]:8443'], ['[2001:db8::2]']],
    ['[2001:db8::1]:443', ['[2001:db8::1]'], ['[2001:db8::1]:8443']],
    ['[2001:db8::1]', [], ['[2001:db8::1]']],
    ['2001:db8::/32', ['[2001:db8:ffff::1]'], ['[2001:db9::1]', '192.0.2.1']],
    ['192.0.2.0/24', ['[::ffff:192.0.2.1]'], ['[::ffff:198.51.100.1]']],
    ['fe80::1%eth0', [], ['[fe80::1]']],
    ['0/0', [], ['192.0.2.1']],
    ['::/0', ['[2001:db8::1]'], ['192.0.2.1', '[::ffff:192.0.2.1]']],
    ['2.5', [], ['192.0.2.5']],
    ['.2.5', [], ['192.0.2.5']],
  ])('%j', (entry, direct, proxied) => {
    const found = [...direct, ...proxied].map(host => [host, isProxied(`https://${host}`, entry)])
    expect(found).toEqual([...direct.map(host => [host, false]), ...proxied.map(host => [host, true])])
  })
})

describe('the proxy of an environment', () => {
  const of = (address: string, env: Readonly<Record<string, string>>) => proxyFor(new URL(address), env)
  const HTTPS = 'https://tfe.example.com'

  test('is in capitals or not, an empty one counts as unset, and capitals come first', () => {
    expect(of(HTTPS, { HTTPS_PROXY: PROXY })).toBe(PROXY)
    expect(of(HTTPS, { https_proxy: PROXY, HTTPS_PROXY: '' })).toBe(PROXY)
    expect(of(HTTPS, { https_proxy: 'http://other.test', HTTPS_PROXY: PROXY })).toBe(PROXY)
    expect(of(HTTPS, { HTTPS_PROXY: PROXY, no_proxy: 'example.com' })).toBeUndefined()
    expect(of(HTTPS, { HTTPS_PROXY: PROXY, NO_PROXY: 'other.test', no_proxy: 'example.com' })).toBe(PROXY)
  })

  test('is one for each scheme, and needs none itself', () => {
    expect(of(HTTPS, { HTTP_PROXY: PROXY })).toBeUndefined()
    expect(of('http://gitlab.example.com', { HTTPS_PROXY: PROXY })).toBeUndefined()
    expect(of('http://gitlab.example.com', { HTTP_PROXY: 'proxy.example:3128' })).toBe(PROXY)
    expect(of(HTTPS, { HTTPS_PROXY: 'user:secret@proxy.example:3128' })).toBe(
      'http://user:secret@proxy.example:3128',
    )
    expect(of(HTTPS, { HTTPS_PROXY: 'https://proxy.example' })).toBe('https://proxy.example')
  })

  test.each(['http://localhost:8080', 'https://127.0.0.1', 'http://127.8.9.1:1', 'https://[::1]'])(
    'is never used for this machine, because the token would reach it unencrypted: %s',
    address => {
      expect(of(address, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY })).toBeUndefined()
    },
  )
})
