import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { type Environment, isLoopback } from './address.ts'

/**
 * The proxy for an address, or `undefined` for none. Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` as Terraform does (Go's `httpproxy`): the
 * name in capitals comes before the other one, an empty one counts as unset, and https never uses `HTTP_PROXY`. Never a proxy for this machine:
 * with plain http the token would travel to the proxy unencrypted.
 */
export function proxyFor({ protocol, hostname, port }: URL, env: Environment): string | undefined {
  const read = (name: string): string => env[name] || env[name.toLowerCase()] || ''
  const proxy = read(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === '' || isLoopback(hostname)) return undefined
  const host = { name: hostname.replace(/^\[|\]$/g, ''), port: port || DEFAULT_PORTS[protocol] || '' }
  if (
    read('NO_PROXY')
      .split(',')
      .some(entry => matches(entry.trim().toLowerCase(), host))
  )
    return undefined
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

interface Host {
  /** In the form of `new URL`, without brackets. */
  readonly name: string
  readonly port: string
}

/** Whether an entry of `NO_PROXY` has the host: `*`, a network, an address, or a domain. The last two may have a port. */
function matches(entry: string, host: Host): boolean {
  if (entry === '*') return true
  const isName = versionOf(host.name) === 0
  const [, network = '', digits = ''] = /^([^/]+)\/(\d+)$/.exec(entry) ?? []
  const [version, bits] = [versionOf(network), Number(digits)]
  if (version !== 0 && bits <= (version === 4 ? 32 : 128)) {
    // The platform also finds `192.0.2.1` in `::/0`, as `::ffff:192.0.2.1`.
    const isOther = version === 6 && bits < 96 && /^::ffff:|^[^:]*$/.test(host.name)
    return !isName && !isOther && within(list => list.addSubnet(network, bits, familyOf(version)), host.name)
  }
  const [, bracketed, plain, wanted = ''] = /^(?:\[([^\][]*)\]|([^\][:]*)):([^\][:]*)$/.exec(entry) ?? []
  const name = bracketed ?? plain ?? entry
  if (wanted !== '' && wanted !== host.port) return false
  return isName
    ? isInDomain(name, host.name)
    : versionOf(name) !== 0 && within(list => list.addAddress(name, familyOf(versionOf(name))), host.name)
}

/** 0 for a name. An address with a zone is none of a host. */
const versionOf = (text: string): number => (text.includes('%') ? 0 : isIP(text))

const familyOf = (version: number): 'ipv4' | 'ipv6' => (version === 4 ? 'ipv4' : 'ipv6')

/** Knows that `::ffff:192.0.2.1` is `192.0.2.1`. */
function within(add: (list: BlockList) => void, address: string): boolean {
  const list = new BlockList()
  add(list)
  return list.check(address, familyOf(versionOf(address)))
}

/** A domain has its subdomains, too; `.example.com` and `*.example.com` have them only. A final dot is a part of the name. */
function isInDomain(domain: string, name: string): boolean {
  if (domain === '') return false
  const plain = domain.replace(/^\*(?=\.)/, '')
  // Of a name in ASCII it would make an address: 2.5 is 2.0.0.5.
  const ascii = (/^[\x20-\x7e]*$/.test(plain) ? '' : domainToASCII(plain)) || plain
  return plain.startsWith('.') ? name.endsWith(ascii) : name === ascii || name.endsWith(`.${ascii}`)
}
