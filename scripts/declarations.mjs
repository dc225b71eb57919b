// The type declarations that the package's exports need, of all that the compiler writes.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const IMPORTED = /(?<=(?:from |import\()['"])(\.[^'"]+)\.ts(?=['"])/g

/** Copies the declarations of these files, and all that they import. */
export async function copyDeclarations(from, files, to) {
  const done = new Set(files)
  for (const file of done) {
    const text = await readFile(join(from, file), 'utf8')
    for (const [, path] of text.matchAll(IMPORTED)) done.add(join(dirname(file), `${path}.d.ts`))
    await mkdir(join(to, dirname(file)), { recursive: true })
    // The compiler keeps `.ts`, which older compilers refuse.
    await writeFile(join(to, file), text.replace(IMPORTED, '$1.js'))
  }
}
