import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath, pid } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, LockedError } from '../../src/sandbox/index.ts'
import { titled } from '../support/skipped.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  file = join(folder, 'state')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The process id of a process that has ended. */
const deadProcess = () => spawnSync(execPath, ['-e', '']).pid

describe('the lock of a file', () => {
  test('allows one sandbox at a time, and the next one after it is closed', async () => {
    const first = await createSandbox({ file })
    const refused = await createSandbox({ file }).catch(error => error)
    expect(refused).toBeInstanceOf(LockedError)
    expect(refused.holder).toBe(pid)
    expect(refused.message).toContain(file)
    await first.close()
    expect(existsSync(`${file}.lock`)).toBe(false)
    const second = await createSandbox({ file })
    await second.close()
  })

  const isLinux = existsSync('/proc/self/stat')
  test.skipIf(!isLinux)(
    titled('of a process that ended and that nobody waited for is free', !isLinux, 'there is no /proc'),
    async () => {
      // Ends when its parent is no shell any more, which would wait for it.
      const child = '(until grep -q sleep /proc/$$/comm; do :; done) &'
      const parent = spawn('sh', ['-c', `${child} echo $!; exec sleep 600`])
      onTestFinished(() => void parent.kill())
      const [line] = await once(parent.stdout, 'data')
      const status = () =>
        readFileSync(`/proc/${Number(line)}/stat`, 'utf8')
          .split(') ')[1]
          ?.split(' ') ?? []
      while (status()[0] !== 'Z') await setTimeout(5)
      writeFileSync(`${file}.lock`, `${Number(line)} ${status()[19]} x\n`)
      const sandbox = await createSandbox({ file })
      await sandbox.close()
    },
  )

  test('covers every path of the file: also through a link to its directory', async () => {
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'linked'))
    const names = [join(folder, 'real', 'state'), join(folder, 'linked', 'state')]
    for (const own of names.toReversed()) {
      const first = await createSandbox({ file: own })
      first.restore({ organizations: [{ name: 'kept' }] })
      for (const other of names) {
        const opened = await createSandbox({ file: other }).catch(error => error)
        expect([own, other, opened.name]).toEqual([own, other, 'LockedError'])
      }
      await first.close()
    }
    const last = await createSandbox({ file: join(folder, 'linked', 'state') })
    expect(last.snapshot().organizations).toEqual([{ name: 'kept' }])
    await last.close()
  })

  test('is refused while another running process holds it', async () => {
    writeFileSync(`${file}.lock`, '1 someone\n')
    await expect(createSandbox({ file })).rejects.toThrow(LockedError)
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('1 someone\n')
  })

  test('is taken over from a dead process, from an empty lock file, and from an earlier process with the same id', async () => {
    const dead = deadProcess()
    for (const text of [
      `${dead} someone\n`,
      '1 999999999999 an earlier life of that number\n',
      '',
      `${pid} another life\n`,
    ]) {
      writeFileSync(`${file}.lock`, text)
      const sandbox = await createSandbox({ file })
      expect(readFileSync(`${file}.lock`, 'utf8')).toMatch(new RegExp(`^${pid} `))
      await sandbox.close()
    }
  })

  test.each(['garbage', 'name = "yarn"\n', `${pid} a\n${pid} b\n`])(
    'is never taken from a file that is no lock: %j',
    async text => {
      writeFileSync(`${file}.lock`, text)
      const error = await createSandbox({ file }).catch(one => one)
      expect(error).toBeInstanceOf(LockedError)
      expect(error.message).toBe(`"${file}.lock" is no lock of a sandbox; move it, or choose another file`)
      expect(readFileSync(`${file}.lock`, 'utf8')).toBe(text)
      rmSync(`${file}.lock`)
      await (await createSandbox({ file })).close()
    },
  )

  test('is released if the sandbox cannot be created', async () => {
    const wrong = { sets: [{ name: 'a', organization: 'acme', workspaces: ['none'] }] }
    await expect(createSandbox({ file, seed: wrong })).rejects.toThrow('there is no workspace "none"')
    expect(existsSync(`${file}.lock`)).toBe(false)
    writeFileSync(file, 'damaged\n')
    await expect(createSandbox({ file })).rejects.toThrow('is not the state of a sandbox')
    expect(existsSync(`${file}.lock`)).toBe(false)
  })
})
