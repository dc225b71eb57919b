import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DoorError, type Handover, handOver, openDoor, receive } from '../../src/ci/door.ts'
import type { PipelineJob } from '../../src/ci/pipeline-job.ts'
import { aDirectory } from '../support/program.ts'

const COMMIT = 'a'.repeat(40)
const HANDOVER: Handover = { code: 0, report: 'all is well' }

/** A job of GitLab, whose directory is in the checkout of a commit with these files. */
function inCheckout(make: (checkout: string) => void = () => {}): PipelineJob {
  const checkout = aDirectory({ 'a.txt': 'a' })
  make(checkout)
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], { cwd: checkout })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message=a')
  return {
    forge: 'gitlab',
    event: 'schedule',
    isByHand: false,
    name: 'main',
    id: '7',
    commit: COMMIT,
    home: checkout,
    own: join(checkout, '.setpoint-ci', 'main'),
    from: job => join(checkout, '.setpoint-ci', job),
    checkout,
  }
}

/** The same outside of the checkout, as on GitHub. */
function outside(): PipelineJob {
  const temp = aDirectory()
  return {
    forge: 'github',
    event: 'schedule',
    isByHand: false,
    name: 'main',
    id: '7',
    commit: COMMIT,
    home: temp,
    own: join(temp, 'setpoint', 'out'),
    from: () => join(temp, 'setpoint', 'in'),
  }
}

const reporting = (job: PipelineJob): PipelineJob => ({
  ...job,
  name: 'report',
  own:
    job.checkout === undefined
      ? join(job.home, 'setpoint', 'out2')
      : join(job.home, '.setpoint-ci', 'report'),
})

/** As the forge does it between two jobs. */
function carry(job: PipelineJob): void {
  if (job.checkout === undefined) renameSync(job.own, job.from('main'))
}

const left = async (job: PipelineJob, more: Partial<Handover> = {}): Promise<string> => {
  await openDoor(job, process.env)
  handOver(job, { ...HANDOVER, ...more })
  carry(job)
  return join(job.from('main'), 'handover.json')
}

describe.each([
  ['outside of the checkout', outside],
  ['in the checkout', () => inCheckout()],
])('the door %s', (_, aJob) => {
  test('hands over every member', async () => {
    const job = aJob()
    const whole: Handover = {
      code: 2,
      report: 'r',
      next: 'approve',
      reason: 'why',
      base: 'HEAD^1',
      requests: [7, 9],
      plan: '{}',
      reviewed: ['{}', '{}'],
      snapshot: 's',
      groups: [{ path: 'groups/groups.yaml', text: 'a' }],
      groupsText: 'g',
    }
    await left(job, whole)
    const next = reporting(job)
    await openDoor(next, process.env)
    expect(receive(next, 'main')).toEqual(whole)
  })

  test('knows nothing of a job that handed over nothing', async () => {
    const job = reporting(aJob())
    await openDoor(job, process.env)
    expect(receive(job, 'main')).toBeUndefined()
    mkdirSync(job.from('main'), { recursive: true })
    expect(receive(job, 'main')).toBeUndefined()
  })

  test('empties the directory of the job, and follows no link there', async () => {
    const job = aJob()
    const other = aDirectory({ 'kept.txt': 'kept' })
    mkdirSync(dirname(job.own), { recursive: true })
    symlinkSync(other, job.own)
    await openDoor(job, process.env)
    handOver(job, HANDOVER)
    expect(readFileSync(join(other, 'kept.txt'), 'utf8')).toBe('kept')
    expect(existsSync(join(other, 'handover.json'))).toBe(false)
    await openDoor(job, process.env)
    expect(existsSync(join(job.own, 'handover.json'))).toBe(false)
  })

  test.each<[string, (path: string) => void, RegExp?]>([
    ['another pipeline', path => edit(path, one => ({ ...one, pipeline: '8' }))],
    ['another job', path => edit(path, one => ({ ...one, job: 'plan' }))],
    ['another commit', path => edit(path, one => ({ ...one, commit: 'b'.repeat(40) }))],
    [
      'no result of Setpoint',
      path => edit(path, ({ setpoint: _setpoint, ...one }) => one),
      /is not a result of Setpoint/,
    ],
    ['no JSON', path => writeFileSync(path, '{')],
    ['a code that is none', path => edit(path, one => ({ ...one, code: '0' }))],
    ['a code above all codes', path => edit(path, one => ({ ...one, code: 256 })), /another "code"/],
    ['a code below all codes', path => edit(path, one => ({ ...one, code: -1 })), /another "code"/],
    ['a base that is an option of git', path => edit(path, one => ({ ...one, base: '--upload-pack=x' }))],
    ['a next step that is none', path => edit(path, one => ({ ...one, next: 'write' })), /another "next"/],
    ['a request that is no number', path => edit(path, one => ({ ...one, requests: ['7'] }))],
    [
      'a group outside of the repository',
      path => edit(path, one => ({ ...one, groups: [{ path: '../a', text: '' }] })),
    ],
    ['a link', path => toLink(path), /not a plain file \(ELOOP\)/],
    ['a second name', path => linkSync(path, `${path}.2`)],
    ['a pipe', path => toPipe(path), /not a plain file, or has several hard links/],
    ['a directory', path => toDirectory(path), /not a plain file, or has several hard links/],
    ['a link in the place of its directory', path => toLink(dirname(path)), /leads through one/],
    [
      'a file of more than 64 MB',
      path => writeFileSync(path, Buffer.alloc(64 * 1024 * 1024 + 1, ' ')),
      /has more than/,
    ],
  ])('refuses %s', async (_name, change, message = /./) => {
    const job = aJob()
    change(await left(job))
    const next = reporting(job)
    await openDoor(next, process.env)
    expect(() => receive(next, 'main')).toThrow(DoorError)
    expect(() => receive(next, 'main')).toThrow(message)
  })
})

function edit(path: string, change: (one: Record<string, unknown>) => object): void {
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))))
}

function toLink(path: string): void {
  renameSync(path, `${path}.moved`)
  symlinkSync(`${path}.moved`, path)
}

function toPipe(path: string): void {
  rmSync(path)
  execFileSync('mkfifo', [path])
}

function toDirectory(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

test.each<[string, (checkout: string) => void]>([
  ['a directory', at => file(join(at, '.setpoint-ci/main/handover.json'))],
  ['other letters', at => file(join(at, '.SetPoint-CI/a'))],
  ['letters that look the same to a file system', at => file(join(at, '.\u017fetpoint-ci'))],
  ['an invisible letter', at => file(join(at, '.setpoint\u200b-ci'))],
  ['a file', at => file(join(at, '.setpoint-ci'))],
  ['a link out', at => symlinkSync('/tmp', join(at, '.setpoint-ci'))],
  ['a link inside', at => symlinkSync('a.txt', join(at, '.setpoint-ci'))],
])('refuses a commit with the folder as %s', async (_, make) => {
  await expect(openDoor(inCheckout(make), process.env)).rejects.toThrow('The repository contains')
})

function file(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{}')
}

test('refuses a checkout that git cannot list', async () => {
  const job = inCheckout()
  rmSync(join(job.home, '.git', 'HEAD'))
  await expect(openDoor(job, process.env)).rejects.toThrow('Git cannot list the files of this commit')
})

test('refuses a home that leads elsewhere below itself', async () => {
  const job = outside()
  symlinkSync(aDirectory(), join(job.home, 'setpoint'))
  await expect(openDoor(job, process.env)).rejects.toThrow('is a link, or leads through one')
})

test('hands over nothing through a link that came since', async () => {
  const job = outside()
  await openDoor(job, process.env)
  rmSync(job.own, { recursive: true })
  symlinkSync(aDirectory(), job.own)
  expect(() => handOver(job, HANDOVER)).toThrow(DoorError)
})
