// Prints the bill of materials (CycloneDX) of the package: what dist/bundle contains. With `--executable`, that of the single
// executable, which also contains the Node that runs this.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { listedIn } from './third-party.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** npm's bill of everything in the lock file, without what only the development needs, and with what is beside that. */
function billWith(beside) {
  const all = JSON.parse(
    execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      shell: process.platform === 'win32',
    }),
  )
  const listed = listedIn(readFileSync(`${ROOT}dist/bundle/THIRD-PARTY.txt`, 'utf8'))
  const names = listed.map(({ name, version }) => `${name}@${version}`)
  // They were installed for the development, and are in the bundle.
  const bundled = all.components
    .filter(one => names.includes(one['bom-ref']))
    .map(one => ({ ...one, scope: 'required', properties: [] }))
  if (bundled.length !== names.length)
    throw new Error(`the lock file does not have all of ${names.join(', ')}`)
  const components = [...bundled, ...beside]
  const refs = components.map(one => one['bom-ref'])
  const { component } = all.metadata
  return {
    ...all,
    metadata: { ...all.metadata, component: { ...component, name: 'setpoint' } },
    components,
    dependencies: [
      { ref: component['bom-ref'], dependsOn: refs },
      ...all.dependencies
        .filter(({ ref }) => refs.includes(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(one => refs.includes(one)) })),
    ],
  }
}

/** Node with all that is compiled into it. The checksum is that of its own executable, which the program is added to. */
function node() {
  const version = process.versions.node
  return {
    'bom-ref': `node@${version}`,
    type: 'application',
    name: 'node',
    version,
    scope: 'required',
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    hashes: [
      { alg: 'SHA-256', content: createHash('sha256').update(readFileSync(process.execPath)).digest('hex') },
    ],
    licenses: [
      { license: { name: 'Node.js', url: `https://github.com/nodejs/node/blob/v${version}/LICENSE` } },
    ],
  }
}

const beside = process.argv[2] === '--executable' ? [node()] : []
process.stdout.write(`${JSON.stringify(billWith(beside), undefined, 2)}\n`)
