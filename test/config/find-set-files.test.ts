import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { titled } from '../support/skipped.ts'
import { inDirectory, loadText } from './load-text.ts'
import { printed } from './printed.ts'

const SETPOINT = 'organization: acme\n'
const set = (name: string): string => `variableSets:\n  ${name}: {}\n`
const names = async (directory: string, options: { config?: string } = {}) =>
  (await loadDesired({ directory, ...options })).value?.sets.map(({ name }) => name)

describe('where the configuration is', () => {
  test('a missing one is an error without a place', async () => {
    await inDirectory({}, async directory => {
      expect(await loadDesired({ directory })).toEqual({
        value: undefined,
        ruleErrors: [],
        diagnostics: [
          {
            severity: 'error',
            code: 'no-configuration',
            message: `There is no setpoint.yaml in ${directory}.`,
            hint: 'Run setpoint in the directory of the file (in a Git repository, also below it), or pass -C DIRECTORY or --config FILE. To create the file, run `setpoint init ORGANIZATION`, or write one line: `organization: NAME`.',
          },
        ],
      })
      const missing = await loadDesired({ directory: join(directory, 'nowhere'), config: 'x.yaml' })
      expect(missing.diagnostics.map(({ code }) => code)).toEqual(['no-configuration'])
    })
  })

  test('patterns are relative to the directory of the configuration', async () => {
    await inDirectory(
      { 'prod/acme.yaml': SETPOINT, 'prod/sets/a.yaml': set('a'), 'sets/b.yaml': set('b') },
      async directory => {
        expect(await names(directory, { config: 'prod/acme.yaml' })).toEqual(['a'])
      },
    )
  })

  test('paths are relative to the Git repository around it', async () => {
    await inDirectory(
      { '.git/HEAD': '', 'teams/net/setpoint.yaml': SETPOINT, 'teams/net/sets/a.yaml': 'x: 1\n' },
      async directory => {
        const { diagnostics } = await loadDesired({ directory: join(directory, 'teams/net') })
        expect(diagnostics.map(({ source }) => source?.path)).toEqual(['teams/net/sets/a.yaml'])
      },
    )
  })
})

describe('which files are set files', () => {
  const load = (patterns: string, files: readonly string[]) =>
    inDirectory(
      {
        '.git': '',
        'root/setpoint.yaml': `${SETPOINT}sets: ${patterns}\n`,
        ...Object.fromEntries(files.map((file, index) => [file, set(`s${index}`)])),
      },
      directory => names(join(directory, 'root')),
    )

  test.each([
    [
      '"*.yaml"',
      ['root/a.yaml', 'root/b/c.yaml', 'root/d.yml', 'root/e.YAML', 'root/f.yam'],
      ['s0', 's2', 's3'],
    ],
    ['"**/*.yaml"', ['root/a.yaml', 'root/b/c.yaml', 'root/d.yml'], ['s0', 's1', 's2']],
    ['"**/*.yml"', ['root/a.yaml', 'root/b/c.yaml', 'root/d.yml'], ['s0', 's1', 's2']],
    ['["**/*.yaml", "**/*.yml"]', ['root/a.yaml', 'root/b/c.yaml', 'root/d.yml'], ['s0', 's1', 's2']],
    ['[a.yaml, b.yaml]', ['root/a.yml', 'root/b.yaml', 'root/b.yml'], ['s0', 's1', 's2']],
    ['"**"', ['root/x/a.yaml', 'root/x/y/b.yaml'], ['s0', 's1']],
    ['"x/**/y/*.yaml"', ['root/x/y/a.yaml', 'root/x/1/2/y/b.yaml', 'root/x/c.yaml'], ['s0', 's1']],
    ['"./x//*.yaml"', ['root/x/a.yaml', 'root/b.yaml'], ['s0']],
    ['"?.yaml"', ['root/a.yaml', 'root/bb.yaml', 'root/\u{1f600}.yaml'], ['s0', 's2']],
    ['"a**b/*.yaml"', ['root/a-b/a.yaml', 'root/a/b/b.yaml'], ['s0']],
    ['"*/x/*.yaml"', ['root/a/x/a.yaml', 'root/a/x/y/a.yaml', 'root/x/a.yaml'], ['s0']],
    ['../shared/*.yaml', ['shared/a.yaml', 'root/a.yaml'], ['s0']],
    ['[a.yaml, "*b.yaml"]', ['root/a.yaml', 'root/b.yaml', 'root/c.yaml'], ['s0', 's1']],
    ['["a*", "*.yaml"]', ['root/a.yaml'], ['s0']],
    [
      '"**/*.yaml"',
      ['root/a.yaml', 'root/.hidden/b.yaml', 'root/node_modules/c/d.yaml', 'root/.e.yaml'],
      ['s0'],
    ],
    ['.config/*.yaml', ['root/.config/a.yaml'], ['s0']],
    ['"*/.config/.*.yaml"', ['root/x/.config/.a.yaml', 'root/x/.config/b.yaml'], ['s0']],
  ])('%s', async (patterns, files, expected) => {
    expect(await load(patterns, files)).toEqual(expected)
  })

  test('setpoint.yaml and files of groups are not set files', async () => {
    const files = {
      'setpoint.yaml': `${SETPOINT}sets: "*.yaml"\ngroups: names.yaml\n`,
      'names.yaml': 'groups: { all: { workspaces: { w: ws-aaaaaaaaaaaaaaaa } } }\n',
      'a.yaml': set('a'),
    }
    await inDirectory(files, async directory => expect(await names(directory)).toEqual(['a']))
  })

  test.each([
    ['!x.yaml', '!'],
    ['*.{yaml,yml}', '{'],
    ['[ab].yaml', '['],
    ['+(a|b).yaml', '+('],
    ['a\\b.yaml', '\\'],
  ])('%s is refused, because it has a meaning in other tools', async (pattern, sign) => {
    const setpoint = `${SETPOINT}sets: ["*.yaml", ${JSON.stringify(pattern)}]\n`
    const { diagnostics } = await loadText({ 'a.yaml': set('a') }, { setpoint })
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['wrong-value', `The pattern contains "${sign}", which path patterns do not support.`],
    ])
  })

  test('a pattern has at most 256 characters, and a longer one is not quoted', async () => {
    const setpoint = (length: number) => `${SETPOINT}sets: "*${'a'.repeat(length - 1)}"\n`
    const codes = async (length: number) =>
      (await loadText({ 'a.yaml': set('a') }, { setpoint: setpoint(length) })).diagnostics.map(
        ({ code, message }) => (code === 'wrong-value' ? message : code),
      )
    expect(await codes(256)).toEqual(['no-set-files'])
    expect(await codes(257)).toEqual(['The pattern has more than 256 characters.'])
  })

  test('matching hostile patterns and file names takes bounded work', async () => {
    const name = 'a'.repeat(200)
    const setpoint = `${SETPOINT}sets: ["sets/${'*a'.repeat(100)}*b", "${'**/a*/'.repeat(30)}b"]\n`
    const files = { [`sets/${name}`]: set('a'), [`${'a/'.repeat(60)}c`]: '' }
    const { diagnostics } = await loadText(files, { setpoint })
    expect(diagnostics.map(({ code }) => code)).toEqual(['no-set-files', 'no-set-files'])
  })

  test('several ** look into each directory once for each part of the pattern', async () => {
    const pattern = `${'**/a/'.repeat(40)}**/*.yaml`
    const files = {
      'setpoint.yaml': `${SETPOINT}sets: "${pattern}"\n`,
      [`${'a/'.repeat(60)}b.yaml`]: set('b'),
    }
    await inDirectory(files, async directory => expect(await names(directory)).toEqual(['b']))
  })
})

describe('limits', () => {
  const codes = async (...args: Parameters<typeof loadText>) =>
    (await loadText(...args)).diagnostics.map(({ code, source }) => `${source?.path}:${source?.line} ${code}`)

  test('of the size of a file', { tags: ['8.6'] }, async () => {
    const text = set('a')
    expect(await codes(text, { limits: { fileBytes: text.length } })).toEqual([])
    expect(await codes(text, { limits: { fileBytes: text.length - 1 } })).toContain(
      'sets/a.yaml:1 file-limit',
    )
  })

  test('of the size of a file that is a value', async () => {
    const files = {
      'sets/a.yaml': 'variableSets: { a: { env: { A: { file: ../big } } } }\n',
      big: 'x'.repeat(101),
    }
    expect(await codes(files, { limits: { fileBytes: 100 } })).toEqual(['sets/a.yaml:1 file-limit'])
    expect(await codes(files, { limits: { fileBytes: 101 } })).toEqual([])
  })

  test('of the size of all files together, reported once', async () => {
    const files = { 'sets/a.yaml': set('a'), 'sets/b.yaml': set('b'), 'sets/c.yaml': set('c') }
    expect(await codes(files, { limits: { expanded: 50 } })).toEqual(['sets/b.yaml:1 file-limit'])
    const total = ['organization: acme\n', ...Object.values(files)].join('').length
    const { value, diagnostics } = await loadText(files, { limits: { expanded: total } })
    expect([value?.sets.map(({ name }) => name), diagnostics]).toEqual([['a', 'b', 'c'], []])
    expect(await codes(files, { limits: { expanded: total - 1 } })).toEqual(['sets/c.yaml:1 file-limit'])
  })

  test('of the number of files', async () => {
    const files = { 'sets/a.yaml': set('a'), 'sets/b.yaml': set('b') }
    expect(await codes(files, { limits: { files: 1 } })).toEqual(['setpoint.yaml:1 file-limit'])
    expect(await codes(files, { limits: { files: 2 } })).toEqual([])
  })

  test('of the depth', { tags: ['8.6'] }, async () => {
    const data = (depth: number) =>
      `variableSets: { a: { terraform: { A: { data: ${'['.repeat(depth)}${']'.repeat(depth)} } } } }\n`
    expect(await codes(data(27))).toEqual([])
    expect(await codes(data(28))).toEqual(['sets/a.yaml:1 file-limit'])
  })
})

test('text in the place of a path is not quoted', async () => {
  const pem = 'variableSets: { a: { env: { A: { file: "-----BEGIN KEY-----\\nabc" } } } }\n'
  const { diagnostics } = await loadText(pem)
  expect(diagnostics.map(({ message }) => message)).toEqual(['The file "…" does not exist.'])
})

test('a file that cannot be read is a diagnostic', async () => {
  await inDirectory({ 'setpoint.yaml': SETPOINT, 'sets/a.yaml': set('a') }, async directory => {
    writeFileSync(join(directory, 'sets/b.yaml'), '', { mode: 0o000 })
    const { value, diagnostics } = await loadDesired({ directory })
    // Root can read everything, so the file is just empty for it.
    expect([value, diagnostics.length, diagnostics[0]?.source?.path]).toEqual([undefined, 1, 'sets/b.yaml'])
  })
})

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

  test.each([
    ['out of the repository', 'sets/**/*.yaml', 'sets/more', '../../outside'],
    ['inside it', 'sets/**/*.yaml', 'sets/more', '../shared'],
    ['in a circle', 'sets/**/*.yaml', 'sets/more', '..'],
    ['to itself', 'sets/**/*.yaml', 'sets/more', 'more'],
    ['to nothing', 'sets/**/*.yaml', 'sets/more', 'nowhere'],
    ['that one star names', 'sets/*/*.yaml', 'sets/more', '../shared'],
    ['that the pattern names', 'sets/more/*.yaml', 'sets/more', '../shared'],
    ['above what the pattern names', 'team/deep/b.yaml', 'team', 'shared'],
    ['above what the pattern names, to nothing', 'team/deep/b.yaml', 'team', 'nowhere'],
  ])('a link to a directory is refused, not skipped: %s', async (_, pattern, link, target) => {
    const setpoint = `${SETPOINT}sets: ["sets/a.yaml", "${pattern}"]\n`
    const shared = { 'repo/shared/b.yaml': set('b'), 'repo/shared/deep/b.yaml': set('b') }
    await inDirectory({ ...files, ...shared, 'repo/setpoint.yaml': setpoint }, async directory => {
      symlinkSync(target, join(directory, 'repo', link))
      expect(await lines(join(directory, 'repo'))).toBe(
        `setpoint.yaml:2:23  error outside-repository  "${link}" is a link, and links to directories are not followed.\n` +
          '    Remove it and name its files where they are, such as `sets: [sets/**/*.yaml, shared/**/*.yaml]`, or write a narrower pattern.\n',
      )
    })
  })

  test('a link that no pattern would enter is no mistake', async () => {
    await inDirectory({ ...files, 'repo/shared/b.yaml': set('b') }, async directory => {
      for (const name of ['repo/more', 'repo/sets/.more', 'repo/sets/node_modules'])
        symlinkSync(join(directory, 'outside'), join(directory, name))
      expect(await names(join(directory, 'repo'))).toEqual(['a'])
    })
  })

  const isRoot = process.getuid?.() === 0
  test.skipIf(isRoot)(
    titled('a directory that cannot be read is refused, not skipped', isRoot, 'root reads everything'),
    async () => {
      await inDirectory({ ...files, 'repo/sets/more/b.yaml': set('b') }, async directory => {
        chmodSync(join(directory, 'repo/sets/more'), 0o000)
        const said = await lines(join(directory, 'repo'))
        chmodSync(join(directory, 'repo/sets/more'), 0o755)
        expect(said).toContain('outside-repository  "sets/more" cannot be read (EACCES).')
      })
    },
  )

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

  test('links to files inside the repository are followed, and each file is read once', async () => {
    await inDirectory({ ...files, 'repo/shared/b.yaml': set('b') }, async directory => {
      symlinkSync('../shared/b.yaml', join(directory, 'repo/sets/again.yaml'))
      symlinkSync('again.yaml', join(directory, 'repo/sets/twice.yaml'))
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
          'no-set-files',
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
