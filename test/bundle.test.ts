import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificates } from './api/certificates.ts'
import { aPlace } from './cli/place.ts'
import { aDirectory } from './support/program.ts'
import { titled } from './support/skipped.ts'

const ROOT = resolve(import.meta.dirname, '..')
const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': 'variableSets:\n  aws:\n    env:\n      AWS_REGION: eu-west-1\n      TEXT: "a\\nb"\n',
}
const certificates = makeCertificates()
let bundle = ''

const portOf = (server: Server): number => (server.address() as AddressInfo).port
const listening = (server: Server) => new Promise<void>(done => server.listen(0, '127.0.0.1', done))

describe('the bundle', () => {
  beforeAll(() => {
    // At the same depth below the package as the published bundle.
    bundle = mkdtempSync(join(ROOT, 'dist/bundle-'))
    const script = `import { writeBundle } from ${JSON.stringify(join(ROOT, 'scripts/bundle.mjs'))}
await writeBundle(${JSON.stringify(bundle)})`
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' })
  })
  afterAll(() => rmSync(bundle, { recursive: true, force: true }))

  const both = (cwd: string, ...args: string[]) =>
    [join(bundle, 'setpoint.js'), join(ROOT, 'dist/cli/bin.js')].map(program => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: cwd },
      })
      return { status, stdout, stderr }
    })

  test.each([
    ['--version'],
    ['--help'],
    ['validate'],
    ['validate', '--resolved'],
    ['plan', '--sandbox'],
    ['plan', '--sandbox', '--format', 'markdown'],
    ['schema'],
    ['schema', 'sets'],
    ['paln'],
  ])('behaves like the program that is not bundled: %s %s', (...args) => {
    const [bundled, unbundled] = both(aDirectory(FILES), ...args.filter(part => part !== undefined))
    expect(bundled).toEqual(unbundled)
    expect((bundled?.stdout ?? '') + (bundled?.stderr ?? '')).not.toBe('')
  })

  test('sends requests over the network', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets:\n  aws:\n    env:\n      A: b\n' })
    const env = { PATH: process.env.PATH, HOME: place.cwd, ...place.env }
    const bundled = promisify(execFile)(
      process.execPath,
      [join(bundle, 'setpoint.js'), 'apply', '--auto-approve'],
      { cwd: place.cwd, env },
    )
    expect((await bundled).stdout).toContain('+ aws')
    expect(place.live()).toHaveLength(1)
  })

  test.skipIf(certificates === undefined)(
    titled(
      'reaches the service through the tunnel of a proxy',
      certificates === undefined,
      'no openssl on the path',
    ),
    async () => {
      if (certificates === undefined) return
      const cwd = aDirectory({ ...FILES, 'authority.pem': certificates.foreign.cert })
      const requests: (string | undefined)[] = []
      const service = createTlsServer(certificates.foreign, ({ url }, response) => {
        requests.push(url)
        response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
      })
      const tunnels: (string | undefined)[] = []
      const proxy = createServer().on('connect', ({ url }, socket) => {
        tunnels.push(url)
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        const onward = connect(portOf(service), '127.0.0.1')
        for (const end of [socket, onward]) end.on('error', () => {})
        socket.pipe(onward).pipe(socket)
      })
      await Promise.all([listening(service), listening(proxy)])
      const env = {
        PATH: process.env.PATH,
        HOME: cwd,
        SETPOINT_ADDRESS: 'https://elsewhere.example',
        SETPOINT_TOKEN: 'token',
        HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
        NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem'),
      }
      const run = promisify(execFile)(process.execPath, [join(bundle, 'setpoint.js'), 'plan'], { cwd, env })
      await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('(401)') })
      expect(tunnels).toEqual(['elsewhere.example:443'])
      expect(requests).toEqual([expect.stringContaining('/organizations/acme/')])
      service.close()
      proxy.close()
    },
  )

  test('reports mistakes in files that need the complete parser', () => {
    const cwd = aDirectory(FILES)
    writeFileSync(join(cwd, 'sets/b.yaml'), 'variableSets:\n  b: { evn: {} }\n  "c": [\n')
    const [bundled, unbundled] = both(cwd, 'validate')
    expect(bundled).toEqual(unbundled)
    expect(bundled?.status).toBe(1)
  })

  test('contains the license of every bundled package', () => {
    const files = readdirSync(bundle).filter(name => name.endsWith('.js'))
    const code = files.map(name => readFileSync(join(bundle, name), 'utf8')).join('\n')
    const inside = [
      ...new Set(
        [...code.matchAll(/^\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(match => match[1]),
      ),
    ]
    const terms = readFileSync(join(bundle, 'LICENSES.txt'), 'utf8')
    expect(inside).toEqual(expect.arrayContaining(['commander', 'undici', 'yaml']))
    for (const name of inside) expect(terms).toMatch(new RegExp(`^${name} \\d.*\\([A-Z]`, 'm'))
  })
})
