// Writes dist/bundle/: the compiled program and its packages in few files, because many files take longer to load than most
// runs take. This is the second step of a build; `node dist/cli/bin.js` is the same program without it.
import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { EMBEDDED } from './embedded.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/**
 * `directory` must be as deep below the package as `dist/cli`, because the program looks for package.json from there. With
 * `packageFiles`, code in place of `src/cli/package-files.ts`, the program is one file that may be anywhere.
 */
export async function writeBundle(directory, packageFiles) {
  await rm(directory, { recursive: true, force: true })
  const bundle = await rolldown({
    input: { setpoint: join(ROOT, 'dist/cli/bin.js') },
    platform: 'node',
    plugins: [
      replacing,
      lateBuiltins,
      plainExports,
      ...(packageFiles === undefined ? [] : [packaging(packageFiles)]),
    ],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({
    dir: directory,
    // Node loads CommonJS modules in half the time.
    format: 'cjs',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: packageFiles === undefined && { groups: GROUPS },
    // Late imports are only of Node's own modules, which a single executable cannot import in any other way.
    dynamicImportInCjs: false,
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  await bundle.close()
  await writeFile(join(directory, 'package.json'), '{ "type": "commonjs" }\n')
  await chmod(join(directory, 'setpoint.js'), 0o755)
  const modules = output.flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  const embedded = EMBEDDED.map(name => join(ROOT, 'node_modules', name))
  await writeFile(
    join(directory, 'LICENSES.txt'),
    await licences([...packagesOf(modules), ...embedded].sort()),
  )
}

/**
 * Modules that are loaded together are one file, because another file costs as much as ten thousand characters. Each group
 * takes its modules with all their imports, unless an earlier group has them.
 */
const GROUPS = [
  { name: 'files', test: /\/dist\/cli\/(?:run-program|commands\/validate)\.js$/ },
  { name: 'plan', test: /\/dist\/cli\/commands\/plan\.js$/ },
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
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js'`,
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

const packaging = code => ({
  name: 'packaging',
  load: id => (id === join(ROOT, 'dist/cli/package-files.js') ? code : undefined),
})

/** Parts of Node that most runs never use, and that take up to 6 ms each to load. They are loaded on first use. */
const LATE =
  /^(?:let|const) (\w+) = require\("(node:(?:child_process|crypto|fs\/promises|os|tls|util|zlib))"\);$/gm

const lateBuiltins = {
  name: 'late-builtins',
  renderChunk: code =>
    code.replace(
      LATE,
      (_, name, builtin) => `const ${name} = new Proxy({}, { get: (_, key) => require("${builtin}")[key] });`,
    ),
}

const GETTER =
  /^Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: true,\s*get: function \(\) \{\s*return ([\w$]+);\s*\}\s*\}\);\s*/gm

/** Chunks give each other a plain object instead of a getter for each member: no binding changes after its chunk is loaded. */
const plainExports = {
  name: 'plain-exports',
  renderChunk: code => {
    const members = [...code.matchAll(GETTER)].map(([, name, value]) => `  ${name}: ${value},\n`)
    if (members.length === 0) return null
    const rest = code.replace(GETTER, '')
    if (/^exports\.|^Object\.defineProperty\(exports/m.test(rest))
      throw new Error('a chunk exports in two ways')
    return `${rest}\nmodule.exports = {\n${members.join('')}};\n`
  },
}

const packagesOf = modules =>
  [...new Set(modules.flatMap(id => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))].sort()

/** The licences of all packages inside require this. */
async function licences(packages) {
  const texts = packages.map(async path => {
    const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
    const file = (await readdir(path)).find(entry => /^licen[cs]e(\.\w+)?$/i.test(entry))
    if (file === undefined || !existsSync(join(path, file))) throw new Error(`${name} has no licence text`)
    const text = (await readFile(join(path, file), 'utf8')).trim()
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  return `The files in this directory contain code of these packages.\n\n${(await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeBundle(join(ROOT, 'dist/bundle'))
