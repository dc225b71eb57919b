import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDirectory } from '../../src/run/write-files.ts'
import { makeDirectory as makeForSandbox } from '../../src/sandbox/lock.ts'
import { aDirectory, run } from '../support/program.ts'

test('makeDirectory creates parent directories, and an existing directory is no error', async () => {
  const base = aDirectory({ file: '' })
  expect(await makeDirectory(join(base, 'a/b/c'))).toBe(true)
  expect(await makeDirectory(join(base, 'a/b/c'))).toBe(false)
  expect((await Promise.all([1, 2, 3].map(n => makeDirectory(join(base, `x/y/${n}`))))).length).toBe(3)
  makeForSandbox(join(base, 'd/e'))
  makeForSandbox(join(base, 'd/e'))
  expect(existsSync(join(base, 'd/e'))).toBe(true)
  await expect(makeDirectory(join(base, 'file/a/b'))).rejects.toThrow('ENOTDIR')
  expect(() => makeForSandbox(join(base, 'file/a/b'))).toThrow('ENOTDIR')
})

test('an error to create a directory is reported, without endless retries', async () => {
  await expect(makeDirectory('/proc/setpoint/a')).rejects.toThrow(/^E[A-Z]+: /)
  expect(() => makeForSandbox('/proc/setpoint/a')).toThrow(/^E[A-Z]+: /)
  const cwd = aDirectory()
  expect((await run(['init', 'acme', '--sandbox'], { cwd })).code).toBe(0)
  expect((await run(['apply', '--sandbox', '--auto-approve'], { cwd })).code).toBe(0)
  const ran = await run(['export', '--sandbox', '--out', '/proc/setpoint/a'], { cwd })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/could not be written \(E[A-Z]+\)/)
})
