import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { finish } from './measure.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const KIB = 1024

/** What a user installs: our own package and every package it needs at run time. Sizes in KiB. */
export function packageFigures() {
  const { stdout } = finish('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT })
  const [packed] = Object.values(JSON.parse(stdout))
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const installed = Object.entries(packages).filter(([path, entry]) => path !== '' && !entry.dev)
  return {
    files: packed.entryCount,
    packed: Math.round(packed.size / KIB),
    unpacked: Math.round(packed.unpackedSize / KIB),
    direct: Object.keys(packages[''].dependencies ?? {}).length,
    all: installed.length,
    allSize: Math.round(installed.reduce((sum, [path]) => sum + sizeOf(join(ROOT, path)), 0) / KIB),
    scripts: installed.filter(([, entry]) => entry.hasInstallScript).length,
  }
}

const sizeOf = directory =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
