import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import type { Bug } from './bug.ts'

/** The compiled file with the defect, relative to a compiled program. */
export interface Planted {
  readonly script: string
  readonly text: string
}

/** One sentence for each text that does not occur exactly once in its file, so that the list must be updated. */
export const outdated = (bugs: readonly Bug[], root: string): string[] =>
  bugs.flatMap(({ name, file, edits }) => {
    const text = readFileSync(join(root, 'src', file), 'utf8')
    return edits.flatMap(([found]) => {
      const times = text.split(found).length - 1
      return times === 1 ? [] : [`"${name}": occurs ${times} times in src/${file}: ${found}`]
    })
  })

const withBug = (text: string, { edits }: Bug): string =>
  edits.reduce((changed, [found, instead]) => changed.replace(found, () => instead), text)

/** Compiles the file with the bug. `root`: the repository; `out`: a temporary directory. */
export function plantBug(bug: Bug, root: string, out: string): Planted {
  rmSync(out, { recursive: true, force: true })
  const changed = join(out, 'changed', bug.file)
  mkdirSync(dirname(changed), { recursive: true })
  writeFileSync(changed, withBug(readFileSync(join(root, 'src', bug.file), 'utf8'), bug))
  transpile(join(out, 'changed'), join(out, 'compiled'), root)
  const script = join('src', bug.file.replace(/\.ts$/, '.js'))
  return { script, text: readFileSync(join(out, 'compiled', bug.file.replace(/\.ts$/, '.js')), 'utf8') }
}

/** Compiles each file by itself, without its imports. */
function transpile(directory: string, out: string, root: string): void {
  const alone = { noCheck: true, noResolve: true, types: [], rootDir: directory, outDir: out }
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: false, ...alone },
    include: [directory],
  }
  const file = join(directory, 'tsconfig.json')
  writeFileSync(file, JSON.stringify(settings))
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { status, stdout } = spawnSync(execPath, [compiler, '-p', file], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`a planted bug is not valid TypeScript:\n${stdout}`)
}
