// Writes dist/bundle/, which is all that the package runs: the command, the library and the sandbox with the packages that they
// contain, the licences of these, and the type declarations. This is the second step of a build; `node dist/cli/bin.js` is the
// same program without it (docs/decisions/0027-one-package.md).
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { copyDeclarations } from './declarations.mjs'
import { thirdParty } from './third-party.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** The command and the exports of package.json. What they share is in one file, so a class is the same for all of them. */
const ENTRIES = {
  setpoint: join(ROOT, 'dist/cli/bin.js'),
  library: join(ROOT, 'dist/library/index.js'),
  sandbox: join(ROOT, 'dist/sandbox/index.js'),
}

/** `directory` must be as deep below the package as `dist/cli`, because the program looks for package.json from there. */
export async function writeBundle(directory) {
  await rm(directory, { recursive: true, force: true })
  const bundle = await rolldown({
    input: ENTRIES,
    platform: 'node',
    plugins: [replacing],
    onLog: (level, log) => {
      // The library imports the commands that the program loads late.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({
    dir: directory,
    // Node loads CommonJS modules in half the time.
    format: 'cjs',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: GROUPS },
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  await bundle.close()
  await writeFile(join(directory, 'package.json'), '{ "type": "commonjs" }\n')
  await chmod(join(directory, 'setpoint.js'), 0o755)
  const modules = output.flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  await writeFile(join(directory, 'THIRD-PARTY.txt'), await thirdParty(modules))
  await copyDeclarations(
    join(ROOT, 'dist'),
    ['library/index.d.ts', 'sandbox/index.d.ts'],
    join(directory, 'types'),
  )
}

/**
 * Modules that are loaded together are one file, because another file costs as much as ten thousand characters. Each group
 * takes its modules with all their imports, unless an earlier group has them.
 */
const GROUPS = [
  // `--version` loads this alone.
  { name: 'package', test: /\/dist\/run\/package-files\.js$/ },
  { name: 'files', test: /\/dist\/cli\/(?:run-program|commands\/validate)\.js$/ },
  { name: 'plan', test: /\/dist\/run\/plan\.js$/ },
  { name: 'http', test: /\/dist\/api\/http\.js$|\/dist-undici\.js$/ },
  { name: 'sandbox', test: /\/dist\/sandbox\/sandbox\.js$/ },
]

/** Modules that are loaded but not needed here. */
const REPLACED = [
  {
    // For commands that are separate programs. There are none, and loading it would take a tenth of a start.
    source: 'node:child_process',
    importer: /\/node_modules\/commander\//,
    code: 'export {}',
  },
  {
    // The whole package is four times as long, mostly for browser features: fetch, sockets, caches, mocks.
    source: 'undici',
    importer: /\/dist\/api\//,
    // Sets what the package sets when it is loaded: `connect`, through which proxies open tunnels.
    code: `import connect from 'undici/lib/api/api-connect.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
Dispatcher.prototype.connect = connect
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js'`,
  },
  {
    // Only for HTTP/2, which is not used. The package supports a Node that was built without it.
    source: 'node:http2',
    importer: /\/node_modules\/undici\//,
    code: `throw new Error('HTTP/2 is not in the bundle')`,
  },
]

/** Beside `node_modules`, so that imports of packages resolve. */
const pathOf = ({ source }) => join(ROOT, `dist-${source.replace('node:', 'node-')}.js`)

const replacing = {
  name: 'replacing',
  resolveId: (source, importer) => {
    const one = REPLACED.find(one => one.source === source && one.importer.test(importer ?? ''))
    return one && pathOf(one)
  },
  load: id => REPLACED.find(one => id === pathOf(one))?.code,
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeBundle(join(ROOT, 'dist/bundle'))
