import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** A temporary directory from which packages can be imported. */
export const scratch = name => join(ROOT, 'node_modules/.cache/setpoint-proof', name)

/**
 * Compiles the program and its proof to JavaScript in `out`, for threads and child processes. Does not check types, because
 * `npm run types` does.
 */
export function compile(out) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0' }))
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      rootDir: ROOT,
      outDir: out,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [join(ROOT, 'src'), join(ROOT, 'test')],
    exclude: [join(ROOT, 'test/**/*.test.ts')],
  }
  const settingsFile = join(out, 'tsconfig.json')
  writeFileSync(settingsFile, JSON.stringify(settings))
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', settingsFile], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the program could not be compiled:\n${stdout}${stderr}`)
  // `init` and `export` copy them for editors.
  cpSync(join(ROOT, 'dist/schemas'), join(out, 'dist/schemas'), { recursive: true })
}
