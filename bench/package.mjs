import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { finish, here } from './measure.mjs'

const ROOT = here('..')
const kib = bytes => `${Math.round(bytes / 1024)} KiB`

/** What a user installs: our package, and every package that it needs at run time. */
export function packageTable() {
  // On Windows, `npm` is a script that only a shell can start.
  const options = { cwd: ROOT, shell: process.platform === 'win32' }
  const { stdout } = finish('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options)
  const [packed] = Object.values(JSON.parse(stdout))
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const installed = Object.entries(packages).filter(([path, entry]) => path !== '' && !entry.dev)
  const size = installed.reduce((sum, [path]) => sum + sizeOf(join(ROOT, path)), 0)
  const scripts = installed.filter(([, entry]) => entry.hasInstallScript).length
  return {
    title: 'Package',
    rows: [
      { what: 'our package, packed', value: kib(packed.size) },
      { what: 'our package, unpacked', value: `${kib(packed.unpackedSize)} in ${packed.entryCount} files` },
      { what: 'direct dependencies', value: `${Object.keys(packages[''].dependencies ?? {}).length}` },
      { what: 'packages installed beside it', value: `${installed.length}, together ${kib(size)}` },
      { what: 'of those with an install script', value: `${scripts}` },
    ],
  }
}

const sizeOf = directory =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
