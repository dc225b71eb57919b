import { execFileSync } from 'node:child_process'
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appendToFile, createFile, makeDirectory, replaceFile, streamOf } from '../../src/disk/write-file.ts'
import { aDirectory } from '../support/program.ts'

/** A directory with a file that must stay as it is, a link to it and a link to nothing. */
function aVictim() {
  const at = aDirectory({ victim: 'as it was' })
  symlinkSync('victim', join(at, 'link'))
  symlinkSync('nowhere', join(at, 'dangling'))
  const names = () => readdirSync(at).toSorted()
  const textOf = (name: string) => readFileSync(join(at, name), 'utf8')
  return { at, names, textOf }
}

const ALL = ['dangling', 'link', 'victim']

describe('createFile', () => {
  test('creates what is not there, with its mode, also of bytes', () => {
    const { at, textOf } = aVictim()
    createFile(join(at, 'new'), 'text', 0o600)
    createFile(join(at, 'bytes'), Buffer.from('bytes'), 0o644)
    expect([textOf('new'), textOf('bytes')]).toEqual(['text', 'bytes'])
    expect(lstatSync(join(at, 'new')).mode & 0o777).toBe(0o600)
  })

  test('leaves nothing of a file whose content cannot be written', () => {
    const { at, names } = aVictim()
    const unwritable = {} as string
    expect(() => createFile(join(at, 'new'), unwritable, 0o600)).toThrow(TypeError)
    expect(names()).toEqual(ALL)
  })

  test.each(ALL)('refuses %s, and follows no link', name => {
    const { at, names, textOf } = aVictim()
    expect(() => createFile(join(at, name), 'new', 0o600)).toThrow('EEXIST')
    expect([names(), textOf('victim')]).toEqual([ALL, 'as it was'])
  })
})

describe('replaceFile', () => {
  test.each(['link', 'dangling'])('replaces %s itself, and what it leads to stays', name => {
    const { at, names, textOf } = aVictim()
    replaceFile(join(at, name), 'new', 0o600)
    expect([names(), textOf(name), textOf('victim')]).toEqual([ALL, 'new', 'as it was'])
    expect(lstatSync(join(at, name)).isFile()).toBe(true)
  })

  test('a second name of the same file stays as it was', () => {
    const { at, textOf } = aVictim()
    linkSync(join(at, 'victim'), join(at, 'second'))
    replaceFile(join(at, 'second'), 'new', 0o600)
    expect([textOf('second'), textOf('victim')]).toEqual(['new', 'as it was'])
  })

  test('leaves what was there, and nothing else, if it fails', () => {
    const { at, names } = aVictim()
    mkdirSync(join(at, 'directory'))
    expect(() => replaceFile(join(at, 'directory'), 'new', 0o600)).toThrow(/^E/)
    expect(() => replaceFile(join(at, 'missing/new'), 'new', 0o600)).toThrow('ENOENT')
    expect(names()).toEqual(['dangling', 'directory', 'link', 'victim'])
  })
})

describe('appendToFile', () => {
  test('adds to a file, and keeps what others wrote', async () => {
    const { at, textOf } = aVictim()
    await appendToFile(join(at, 'victim'), ', and more')
    expect(textOf('victim')).toBe('as it was, and more')
  })

  test.each(['link', 'dangling', 'missing'])('creates nothing and follows no link: %s', async name => {
    const { at, names, textOf } = aVictim()
    await expect(appendToFile(join(at, name), 'new')).rejects.toThrow(/^E(?:LOOP|NOENT)/)
    expect([names(), textOf('victim')]).toEqual([ALL, 'as it was'])
  })

  test('writes to a pipe', async () => {
    const { at } = aVictim()
    execFileSync('mkfifo', [join(at, 'pipe')])
    const read = new Promise<string>(resolve => {
      const { readFile } = process.getBuiltinModule('node:fs')
      readFile(join(at, 'pipe'), 'utf8', (_, text) => resolve(text))
    })
    await appendToFile(join(at, 'pipe'), 'text')
    expect(await read).toBe('text')
    expect(lstatSync(join(at, 'pipe')).isFIFO()).toBe(true)
  })

  test.each([
    ['/dev/stdout', 1],
    ['/dev/stderr', 2],
    ['/dev/fd/7', 7],
    ['/proc/self/fd/0', 0],
    ['/dev/null', undefined],
    ['/dev/fd/', undefined],
    ['/tmp/dev/stdout', undefined],
    ['/proc/1/fd/1', undefined],
  ])('%s is the open stream %s', (path, stream) => {
    expect(streamOf(path)).toBe(stream)
  })

  test('writes to an open stream where it stands, whole', () => {
    const at = aDirectory({ out: '' })
    const program = `
      const { appendToFile } = await import(${JSON.stringify(join(import.meta.dirname, '../../dist/disk/write-file.js'))})
      process.stdout.write('first\\n')
      await appendToFile('/dev/stdout', 'x'.repeat(1e6) + '\\n')
      process.stdout.write('last\\n')`
    const node = ['--input-type=module', '-e', program]
    const expected = `first\n${'x'.repeat(1e6)}\nlast\n`
    execFileSync('sh', ['-c', '"$0" "$@" > out', process.execPath, ...node], { cwd: at })
    expect(readFileSync(join(at, 'out'), 'utf8')).toBe(expected)
    // A socket, which cannot be opened by its name.
    expect(execFileSync(process.execPath, node, { maxBuffer: 1e7 }).toString()).toBe(expected)
    expect(
      execFileSync('sh', ['-c', '"$0" "$@" | cat', process.execPath, ...node], { maxBuffer: 1e7 }).toString(),
    ).toBe(expected)
  })
})

describe('makeDirectory', () => {
  test('creates parent directories, and an existing directory is no error', () => {
    const base = aDirectory({ file: '' })
    expect(makeDirectory(join(base, 'a/b/c'))).toBe(true)
    expect(makeDirectory(join(base, 'a/b/c'))).toBe(false)
    expect(() => makeDirectory(join(base, 'file/a/b'))).toThrow('ENOTDIR')
  })

  test('ends with the error of the system, without endless retries', () => {
    expect(() => makeDirectory('/proc/setpoint/a')).toThrow(/^E[A-Z]+: /)
  })
})
