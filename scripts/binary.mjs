// Writes binary/: a single executable with the program, the files that it reads of its package, and the Node that runs this
// (docs/decisions/0020-single-executable.md). Run it after a build.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'postject'
import { writeBundle } from './bundle.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const ENDING = '.schema.json'
/** Node looks for this text in itself. If it ends in 1, Node runs the program inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Writes the executable into the directory, and returns its path. */
export async function writeBinary(directory) {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const schemas = readdirSync(join(ROOT, 'schemas'))
  const bundle = join(directory, 'bundle')
  await writeBundle(bundle, packageFiles(schemas))
  const config = {
    main: join(bundle, 'setpoint.js'),
    output: join(directory, 'blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: Object.fromEntries(schemas.map(name => [name, join(ROOT, 'schemas', name)])),
  }
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config))
  execFileSync(process.execPath, ['--experimental-sea-config', join(directory, 'config.json')], {
    stdio: 'pipe',
  })
  const binary = join(directory, 'setpoint')
  copyFileSync(process.execPath, binary)
  const isMac = process.platform === 'darwin'
  if (isMac) execFileSync('codesign', ['--remove-signature', binary])
  await inject(binary, 'NODE_SEA_BLOB', readFileSync(config.output), {
    sentinelFuse: FUSE,
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  })
  // macOS does not start a program without any signature. This one does not identify anybody.
  if (isMac) execFileSync('codesign', ['--sign', '-', binary])
  writeFileSync(join(directory, 'LICENSES.txt'), terms(readFileSync(join(bundle, 'LICENSES.txt'), 'utf8')))
  for (const name of ['bundle', 'blob', 'config.json']) rmSync(join(directory, name), { recursive: true })
  return binary
}

/** Replaces src/cli/package-files.ts. */
function packageFiles(schemas) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const names = schemas.filter(name => name.endsWith(ENDING)).map(name => name.slice(0, -ENDING.length))
  return `export const packageVersion = () => ${JSON.stringify(version)}
export const schemaNames = async () => ${JSON.stringify(names)}
export const schemaText = async name => process.getBuiltinModule('node:sea').getAsset(name + '${ENDING}', 'utf8')
`
}

const terms =
  packages => `This executable is Node.js ${process.version} with Setpoint inside. The licenses of Node.js and of the bundled packages:
https://github.com/nodejs/node/blob/${process.version}/LICENSE

${packages}`

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${await writeBinary(join(ROOT, 'binary'))}\n`)
