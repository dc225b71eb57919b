import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createSandbox,
  type Sandbox,
  SandboxFileError,
  type SandboxOptions,
} from '../../src/sandbox/index.ts'
import { MEDIA, setBody, variableBody } from '../contract/subject.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  file = join(folder, 'deep', 'state')
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (options: SandboxOptions = {}) => createSandbox({ file, ...options })
async function send(
  sandbox: Sandbox,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) {
  const answer = await sandbox.transport({
    method,
    path: `/api/v2/${path}`,
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': MEDIA },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, id: answer.body === '' ? '' : String(JSON.parse(answer.body).data?.id) }
}
const bodyOf = async (sandbox: Sandbox, path: string) =>
  (
    await sandbox.transport({
      method: 'GET',
      path: `/api/v2/${path}`,
      headers: { authorization: `Bearer ${sandbox.token}` },
    })
  ).body
const create = (sandbox: Sandbox, name: string) =>
  send(sandbox, 'POST', 'organizations/acme/varsets', setBody({ name }))
const names = (sandbox: Sandbox) => (sandbox.snapshot().sets ?? []).map(set => set.name)
const all = { sensitive: true } as const

describe('a sandbox with a file', () => {
  test.each(['state', 'nowhere'])('refuses a link to %s, and writes through none beside it', async target => {
    writeFileSync(join(folder, 'state'), '')
    symlinkSync(target, join(folder, 'link'))
    const refused = await createSandbox({ file: join(folder, 'link') }).catch(error => error)
    expect(refused).toBeInstanceOf(SandboxFileError)
    expect(refused.message).toBe(`"${join(folder, 'link')}" is a symbolic link`)
    expect(readdirSync(folder).toSorted()).toEqual(['link', 'state'])
    // The name that the temporary file once had.
    symlinkSync(join(folder, 'state'), join(folder, 'own.tmp'))
    const sandbox = await createSandbox({ file: join(folder, 'own') })
    await create(sandbox, 'a')
    await sandbox.close()
    expect(readFileSync(join(folder, 'state'), 'utf8')).toBe('')
    expect(readdirSync(folder).toSorted()).toEqual(['link', 'own', 'own.tmp', 'state'])
  })

  test('has the same state after it is reopened, with all records and tokens, and never reuses an id', async () => {
    const first = await open({ tokens: [{ token: 'mine', permission: 'read-variables' }] })
    const { id } = await create(first, 'a')
    const added = await send(
      first,
      'POST',
      `varsets/${id}/relationships/vars`,
      variableBody({ key: 'A', category: 'env', value: 'é\u2028', sensitive: true }),
    )
    await send(
      first,
      'PATCH',
      `varsets/${id}/relationships/vars/${added.id}`,
      variableBody({ description: 'd' }),
    )
    const [workspace] = first.snapshot().workspaces ?? []
    const target = { data: [{ type: 'workspaces', id: workspace?.id }] }
    await send(first, 'POST', `varsets/${id}/relationships/workspaces`, target)
    await send(first, 'PATCH', `varsets/${id}`, setBody({ name: 'b', global: true }))
    const gone = await create(first, 'gone')
    await send(first, 'DELETE', `varsets/${gone.id}`)
    await send(first, 'DELETE', `workspaces/${first.snapshot().workspaces?.[1]?.id}`)
    const before = first.snapshot(all)
    await first.close()

    const second = await open({ seed: { organizations: [{ name: 'ignored' }] } })
    expect(second.snapshot(all)).toEqual(before)
    expect([second.token, second.adminToken]).toEqual([first.token, first.adminToken])
    const fresh = await create(second, 'c')
    expect([id, gone.id]).not.toContain(fresh.id)
    await second.close()
  })

  test('keeps the times of organizations, projects, workspaces and Stacks', async () => {
    const seed = { stacks: [{ organization: 'acme', name: 'one', project: 'p' }], projects: [{ name: 'p' }] }
    const [early, late] = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z']
    const shown = async (sandbox: Sandbox) => {
      const kinds = ['', '/projects', '/workspaces', '/stacks']
      const answers = await Promise.all(kinds.map(kind => bodyOf(sandbox, `organizations/acme${kind}`)))
      return answers.map(body => body.match(/20\d\d-[^"]*/g))
    }
    const first = await open({ now: () => new Date(early) })
    first.ensure(seed)
    const before = await shown(first)
    expect(before.map(times => [...new Set(times)])).toEqual([[early], [early], [early], [early]])
    await first.close()
    const second = await open({ now: () => new Date(late) })
    expect(await shown(second)).toEqual(before)
    await second.close()
  })

  test('is readable only by its owner', async () => {
    const sandbox = await open()
    expect(statSync(file).mode & 0o077).toBe(0)
    await sandbox.close()
  })

  test('keeps the results of restore and ensure', async () => {
    const first = await open()
    await create(first, 'a')
    first.restore({ organizations: [{ name: 'other' }], sets: [{ name: 'b' }] })
    first.ensure({ organizations: [{ name: 'more' }] })
    const before = first.snapshot(all)
    await first.close()
    const second = await open()
    expect(second.snapshot(all)).toEqual(before)
    expect(before.organizations?.map(one => one.name)).toEqual(['other', 'more'])
    await second.close()
  })

  test('has each change 100 ms later, before it is closed', async () => {
    const sandbox = await open()
    await create(sandbox, 'a')
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('"name":"a"'))
    await create(sandbox, 'b')
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('"name":"b"'))
    await sandbox.close()
  })

  test('has the changes of the last instant once it is closed', async () => {
    const sandbox = await open()
    for (const name of ['a', 'b', 'c']) await create(sandbox, name)
    await sandbox.close()
    const again = await open()
    expect(names(again)).toEqual(['a', 'b', 'c'])
    await again.close()
    expect(readdirSync(dirname(file))).toEqual([basename(file)])
  })

  test('refuses a file that is not the state of a sandbox, or of an older version, and leaves it unchanged', async () => {
    await (await open()).close()
    const text = readFileSync(file, 'utf8')
    for (const content of [
      text.slice(0, -1),
      text.slice(1),
      text.replace('"sandbox":3', '"sandbox":2'),
      '[]',
      'null',
      'hello\n',
      '2b8aa1f4 {"setpoint-sandbox":1}\n',
    ]) {
      writeFileSync(file, content)
      await expect(open()).rejects.toThrow(SandboxFileError)
      expect(readFileSync(file, 'utf8')).toBe(content)
    }
    writeFileSync(file, text)
    await (await open()).close()
  })

  test('treats an empty file as a new one', async () => {
    await (await open()).close()
    writeFileSync(file, '')
    const sandbox = await open()
    expect(sandbox.snapshot().organizations).toEqual([{ name: 'acme', email: 'platform@acme.invalid' }])
    await sandbox.close()
  })

  test('says that it cannot be written, at the next write and when it is closed', async () => {
    const sandbox = await open()
    const before = names(sandbox)
    rmSync(folder, { recursive: true })
    await create(sandbox, 'a')
    let number = 0
    await vi.waitFor(() => expect(create(sandbox, `b${number++}`)).rejects.toThrow(/ENOENT/))
    expect(names(sandbox).slice(before.length)[0]).toBe('a')
    await expect(sandbox.close()).rejects.toThrow(/ENOENT/)
    mkdirSync(folder, { recursive: true })
  })
})
