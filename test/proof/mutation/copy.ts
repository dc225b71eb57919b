import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { ROOT } from '../place.ts'
import { type Mutation, mutated } from './mutations.ts'

const LEFT_OUT = new Set(['.git', 'dist', 'node_modules'])

/** A copy of a source with a suite of tests, which may be changed. */
export class Copy {
  readonly root = mkdtempSync(join(tmpdir(), 'setpoint-mutation-'))

  /** Both are checkouts: everything but the tests is taken from one, the tests from the other. */
  constructor(source: string, tests: string) {
    const filter = (path: string): boolean => !LEFT_OUT.has(basename(path))
    for (const [from, here] of [
      [source, '.'],
      [join(tests, 'test'), 'test'],
      [join(tests, 'vitest.config.ts'), 'vitest.config.ts'],
    ] as const) {
      if (here === 'test') rmSync(join(this.root, here), { recursive: true, force: true })
      cpSync(from, join(this.root, here), { recursive: true, filter })
    }
    // What Git tracks is read, so the copy is a repository, too.
    for (const words of [
      ['init', '--quiet'],
      ['add', '--all'],
    ])
      spawnSync('git', words, { cwd: this.root, stdio: 'ignore' })
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'))
    this.build()
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  build(): void {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
      cwd: this.root,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the copy could not be built:\n${stdout}${stderr}`)
  }

  /** Does something with mutated files, and restores them. Each file has one mutation at most. */
  async with<Result>(mutations: readonly Mutation[], act: () => Result): Promise<Awaited<Result>> {
    const before = mutations
      .map(one => ({ path: join(this.root, one.file), one }))
      .map(({ path, one }) => ({ path, one, text: readFileSync(path, 'utf8') }))
    try {
      for (const { path, text, one } of before) writeFileSync(path, mutated(text, one))
      return await act()
    } finally {
      for (const { path, text } of before) writeFileSync(path, text)
    }
  }

  /** The mutations that compile, of mutations in different files. */
  async compiling(some: readonly Mutation[]): Promise<readonly Mutation[]> {
    if (some.length === 0) return []
    const wrong = await this.with(some, () => this.#filesWithErrors())
    if (wrong.size === 0) return some
    const innocent = some.filter(({ file }) => !wrong.has(file))
    if (innocent.length < some.length) return await this.compiling(innocent)
    // A file that is not mutated imports a mutated one, which has another type now.
    const texts = [...wrong].map(file => readFileSync(join(this.root, file), 'utf8'))
    const left = some.filter(({ file }) => !texts.some(text => text.includes(`/${basename(file)}'`)))
    return left.length < some.length ? await this.compiling(left) : []
  }

  async #filesWithErrors(): Promise<ReadonlySet<string>> {
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
      'bin/tsc',
    )
    const words = ['-p', 'tsconfig.build.json', '--noEmit', '--pretty', 'false']
    const printed = await new Promise<string>(done => {
      execFile(execPath, [compiler, ...words], { cwd: this.root }, (_, stdout) => done(stdout))
    })
    return new Set([...printed.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file = '']) => file))
  }
}
