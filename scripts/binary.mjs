// Writes binary/: a single executable with the program, the files that it reads of its package, and the Node that runs this
// (docs/decisions/0020-single-executable.md). It needs dist/bundle, of a build or of a package.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'postject'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** Node looks for this text in itself. If it ends in 1, Node runs the program inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Writes the executable into the directory, and returns its path. */
export async function writeBinary(directory) {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const temporary = name => join(directory, name)
  const schemas = readdirSync(join(ROOT, 'dist/schemas')).map(name => `dist/schemas/${name}`)
  await writeOneFile(temporary('program.js'))
  const config = {
    main: temporary('program.js'),
    output: temporary('blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: Object.fromEntries(['package.json', ...schemas].map(path => [path, join(ROOT, path)])),
  }
  writeFileSync(temporary('config.json'), JSON.stringify(config))
  execFileSync(process.execPath, ['--experimental-sea-config', temporary('config.json')], { stdio: 'pipe' })
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
  const terms = readFileSync(join(ROOT, 'dist/bundle/THIRD-PARTY.txt'), 'utf8')
  writeFileSync(join(directory, 'THIRD-PARTY.txt'), `${NODE_TERMS}\n\n${terms}`)
  for (const name of ['program.js', 'blob', 'config.json']) rmSync(temporary(name))
  return binary
}

/** The files of the bundle as one, because a program inside an executable can only load modules of Node. */
async function writeOneFile(file) {
  const bundle = await rolldown({ input: join(ROOT, 'dist/bundle/setpoint.js'), platform: 'node' })
  await bundle.write({ file, format: 'cjs', codeSplitting: false, dynamicImportInCjs: false })
  await bundle.close()
}

const NODE_TERMS = `This executable is Node.js ${process.version} with Setpoint inside. The licenses of Node.js and of what it contains:
https://github.com/nodejs/node/blob/${process.version}/LICENSE`

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${await writeBinary(join(ROOT, 'binary'))}\n`)
