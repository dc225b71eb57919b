import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EMBEDDED, listedIn } from '../scripts/third-party.mjs'
import { makeCertificates } from './support/certificates.ts'
import { aPlace } from './support/place.ts'
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

  test('contains the licenses of everything that is inside, and of nothing else', () => {
    const files = readdirSync(bundle).filter(name => name.endsWith('.js'))
    const code = files.map(name => readFileSync(join(bundle, name), 'utf8')).join('\n')
    // The bundler writes above each module where it comes from. The thread of rules is one text, without such lines.
    const modules = [...code.matchAll(/^\s*\/\/ (?:node_modules\/(\S+)|\\0(rolldown)\/.*)$/gm)].map(
      ([, path = '', helpers]) => helpers ?? path,
    )
    const nameIn = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''
    const inside = [...new Set([...modules.map(nameIn), ...EMBEDDED])].toSorted()
    const terms = readFileSync(join(bundle, 'THIRD-PARTY.txt'), 'utf8')
    expect(inside).toEqual(expect.arrayContaining(['commander', 'rolldown', 'undici', 'yaml']))
    expect(listedIn(terms).map(({ name }) => name)).toEqual(inside)
    for (const name of inside) {
      const folder = join(ROOT, 'node_modules', name)
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      expect(terms).toMatch(new RegExp(`^${name} ${version.replaceAll('.', '\\.')} \\([A-Z]`, 'm'))
      for (const file of readdirSync(folder).filter(file => /^licen[cs]e/i.test(file)))
        expect(terms).toContain(readFileSync(join(folder, file), 'utf8').trim())
    }
    expect([terms.includes('Fedor Indutny'), terms.includes('Evan Wallace')]).toEqual([
      modules.some(path => path.includes('/llhttp/')),
      inside.includes('rolldown'),
    ])
    expect(terms).not.toContain(ROOT)
  })

  describe('an older Node', () => {
    const entry = (): string => readFileSync(join(bundle, 'setpoint.js'), 'utf8')

    test.each(['18.20.8', '20.18.3', '21.7.3', '22.2.0'])(
      '%s gets one line that says which one is needed',
      old => {
        const cwd = aDirectory({
          'old.cjs': `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${old}' } })\n`,
        })
        for (const command of ['--version', 'validate']) {
          const args = ['--require', './old.cjs', join(bundle, 'setpoint.js'), command]
          const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
          expect([status, stdout, stderr]).toEqual([
            1,
            '',
            `setpoint needs Node 20.19 or newer, and of Node 22 at least 22.3. This is Node ${old}.\n`,
          ])
        }
      },
    )

    test('can read what runs before that line', () => {
      const [before = '', after] = entry().split('if (major')
      const loaded = [...before.matchAll(/require\("(.+?)"\)/g)].map(([, path = '']) => path)
      const texts = [entry(), ...loaded.map(path => readFileSync(join(bundle, path), 'utf8'))]
      expect([loaded.filter(path => !path.startsWith('./')), after?.includes('require("./start')]).toEqual([
        [],
        true,
      ])
      for (const text of texts)
        expect(text).not.toMatch(
          /\?\?|\?\.(?!\d)|\*\*|\basync\b|\bawait\b|\bclass\b|\{\s*\.\.\.|catch \{|\d_\d|node:/,
        )
    })

    test('is named in package.json as well', () => {
      const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
      expect(engines.node).toBe('^20.19 || >=22.3')
    })
  })
})
