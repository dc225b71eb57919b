// Writes dist/bundle/: the compiled program with its packages in few files, because a program of many files takes longer to
// load than most runs take. The second step of a build; `node dist/cli/bin.js` is the same program without it.
import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** Loaded with the first request over the network, and as large as everything else together. */
const OUTSIDE = ['undici']
const NO_PROGRAMS = '\0no-programs'

/** `directory` has to be as deep below the package as `dist/cli`: the program looks for package.json from there. */
export async function writeBundle(directory, from = join(ROOT, 'dist')) {
  await rm(directory, { recursive: true, force: true })
  const bundle = await rolldown({
    input: { setpoint: join(from, 'cli/bin.js') },
    platform: 'node',
    external: OUTSIDE,
    plugins: [withoutChildProcess],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({ dir: directory, format: 'esm', chunkFileNames: '[name]-[hash].js' })
  await bundle.close()
  await chmod(join(directory, 'setpoint.js'), 0o755)
  const modules = output.flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  await writeFile(join(directory, 'LICENSES.txt'), await licences(packagesOf(modules)))
}

/**
 * commander loads it for commands that are programs of their own. There are none, and it would be a tenth of a start.
 */
const withoutChildProcess = {
  name: 'without-child-process',
  resolveId: (source, importer) =>
    source === 'node:child_process' && importer?.includes('/node_modules/commander/')
      ? NO_PROGRAMS
      : undefined,
  load: id => (id === NO_PROGRAMS ? 'export {}' : undefined),
}

const packagesOf = modules =>
  [...new Set(modules.flatMap(id => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))].sort()

/** The terms of every package whose code is inside ask for this. */
async function licences(packages) {
  const texts = packages.map(async path => {
    const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
    const file = (await readdir(path)).find(entry => /^licen[cs]e(\.\w+)?$/i.test(entry))
    if (file === undefined || !existsSync(join(path, file))) throw new Error(`${name} has no licence text`)
    const text = (await readFile(join(path, file), 'utf8')).trim()
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  return `The files beside this one hold code of these packages.\n\n${(await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeBundle(join(ROOT, 'dist/bundle'))
