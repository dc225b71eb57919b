import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { inDirectory } from './load-text.ts'
import { printed } from './printed.ts'

const SETPOINT = 'organization: acme\n'
const set = (name: string): string => `variableSets:\n  ${name}: {}\n`
const names = async (directory: string) =>
  (await loadDesired({ directory })).value?.sets.map(({ name }) => name)
const lines = async (directory: string) => printed((await loadDesired({ directory })).diagnostics, directory)

describe('links', () => {
  const files = {
    'repo/.git': '',
    'repo/setpoint.yaml': SETPOINT,
    'repo/sets/a.yaml': set('a'),
    'outside/x.yaml': set('x'),
  }

  test('a set file that is a link out of the repository is refused', async () => {
    await inDirectory(files, async directory => {
      symlinkSync(join(directory, 'outside/x.yaml'), join(directory, 'repo/sets/x.yaml'))
      expect(await lines(join(directory, 'repo'))).toBe(
        'sets/x.yaml:1:1  error outside-repository  "sets/x.yaml" is outside the repository.\n' +
          '    Copy the file into the Git repository. A path starts at the directory of the file that names it.\n',
      )
    })
  })

  test('a directory that is a link out of the repository is refused, not skipped', async () => {
    await inDirectory(files, async directory => {
      symlinkSync(join(directory, 'outside'), join(directory, 'repo/sets/more'))
      expect(await lines(join(directory, 'repo'))).toBe(
        'setpoint.yaml:1:1  error outside-repository  "sets/more" leads outside the repository, or into .git.\n' +
          '    Remove the link, or make the pattern narrower. Files there are not read.\n',
      )
    })
  })

  test('a value read through a link out of the repository is refused', async () => {
    await inDirectory(
      {
        ...files,
        'repo/sets/a.yaml': 'variableSets: { a: { env: { A: { file: x }, B: { file: y/z.yaml } } } }\n',
        'y/z.yaml': 'z',
      },
      async directory => {
        symlinkSync('/etc/hostname', join(directory, 'repo/sets/x'))
        symlinkSync(join(directory, 'y'), join(directory, 'repo/sets/y'))
        const { diagnostics } = await loadDesired({ directory: join(directory, 'repo') })
        expect(diagnostics.map(({ code, source }) => [code, source?.column])).toEqual([
          ['outside-repository', 1],
          ['outside-repository', 40],
          ['outside-repository', 56],
        ])
      },
    )
  })

  test('links inside the repository are followed once, and circles end', async () => {
    await inDirectory({ ...files, 'repo/shared/b.yaml': set('b') }, async directory => {
      symlinkSync('../shared', join(directory, 'repo/sets/shared'))
      symlinkSync('../shared/b.yaml', join(directory, 'repo/sets/again.yaml'))
      symlinkSync('..', join(directory, 'repo/sets/circle'))
      expect(await names(join(directory, 'repo'))).toEqual(['a', 'b'])
    })
  })

  test('a dangling link is an unreadable file', async () => {
    await inDirectory(files, async directory => {
      symlinkSync('nowhere', join(directory, 'repo/sets/x.yaml'))
      const { diagnostics } = await loadDesired({ directory: join(directory, 'repo') })
      expect(diagnostics.map(({ code }) => code)).toEqual(['unreadable-file'])
    })
  })
})

describe('a file that is not regular', () => {
  test('a pipe is refused and does not block the run', async () => {
    await inDirectory(
      { 'setpoint.yaml': SETPOINT, 'sets/a.yaml': 'variableSets: { a: { env: { A: { file: pipe } } } }\n' },
      async directory => {
        execFileSync('mkfifo', [join(directory, 'sets/pipe'), join(directory, 'sets/pipe.yaml')])
        expect(await lines(directory)).toBe(
          'sets/a.yaml:1:40  error unreadable-file  "pipe" is not a regular file.\n    Use a regular file.\n' +
            'sets/pipe.yaml:1:1  error unreadable-file  "sets/pipe.yaml" is not a regular file.\n    Use a regular file.\n',
        )
      },
    )
  })

  test('a directory with the name of a file is refused', async () => {
    await inDirectory(
      { 'setpoint.yaml': `${SETPOINT}sets: sets\n`, 'sets/a.yaml': set('a') },
      async directory => {
        expect((await loadDesired({ directory })).diagnostics.map(({ code }) => code)).toEqual([
          'unreadable-file',
        ])
      },
    )
    await inDirectory({}, async directory => {
      mkdirSync(join(directory, 'setpoint.yaml'))
      expect((await loadDesired({ directory })).diagnostics.map(({ code }) => code)).toEqual([
        'unreadable-file',
      ])
    })
  })
})
