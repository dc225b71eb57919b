import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox, JournalError, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts'
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
const create = (sandbox: Sandbox, name: string) =>
  send(sandbox, 'POST', 'organizations/acme/varsets', setBody({ name }))
const names = (sandbox: Sandbox) => (sandbox.snapshot().sets ?? []).map(set => set.name)
const all = { sensitive: true } as const

describe('a sandbox with a file', () => {
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

  test('drops an incomplete last line, wherever it was cut, and only that line', async () => {
    const first = await open()
    await create(first, 'kept')
    const whole = readFileSync(file).length
    await create(first, 'torn')
    await first.close()
    const bytes = readFileSync(file)
    for (let end = whole; end < bytes.length; end += 7) {
      writeFileSync(file, bytes.subarray(0, end))
      const sandbox = await open()
      expect([end, ...names(sandbox)]).toEqual([end, 'kept'])
      await create(sandbox, 'after')
      await sandbox.close()
      const again = await open()
      expect(names(again)).toEqual(['kept', 'after'])
      await again.close()
    }
    for (const garbage of ['\0'.repeat(4096), 'not a line', '00000000 {', '00000000 ']) {
      writeFileSync(file, Buffer.concat([bytes, Buffer.from(garbage)]))
      const sandbox = await open()
      expect(names(sandbox)).toEqual(['kept', 'torn'])
      await sandbox.close()
      expect(readFileSync(file, 'utf8')).not.toContain(garbage.slice(-5))
    }
  })

  test('refuses a file with any flipped bit, even in the last line', async () => {
    const first = await open()
    await create(first, 'a')
    const whole = readFileSync(file).length
    await create(first, 'b')
    await first.close()
    const bytes = readFileSync(file)
    for (let at = bytes.length - 1; at >= whole; at -= 7) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      writeFileSync(file, flipped)
      expect([at, await open().catch(error => error.name)]).toEqual([at, 'JournalError'])
      expect(readFileSync(file)).toEqual(flipped)
    }
  })

  test('refuses a file that is damaged elsewhere or is no journal, and leaves it unchanged', async () => {
    const first = await open()
    await create(first, 'a')
    await create(first, 'b')
    await first.close()
    const text = readFileSync(file, 'utf8')
    const damaged = [
      `${text}00000000 {}\n`,
      `${text}00000000 \n`,
      text.replace('"name":"a"', '"name":"x"'),
      `x${text}`,
      'hello\n',
      text.slice(20),
    ]
    for (const content of damaged) {
      writeFileSync(file, content)
      await expect(open()).rejects.toThrow(JournalError)
      expect(readFileSync(file, 'utf8')).toBe(content)
    }
    writeFileSync(file, text)
    const sandbox = await open()
    expect(names(sandbox)).toEqual(['a', 'b'])
    await sandbox.close()
  })

  test('treats an empty file as a new one', async () => {
    await (await open()).close()
    writeFileSync(file, '')
    const sandbox = await open()
    expect(sandbox.snapshot().organizations).toEqual([{ name: 'acme', email: 'platform@acme.invalid' }])
    await sandbox.close()
  })

  test('does not grow without bound: it drops history and keeps the state', async () => {
    const first = await open()
    const { id } = await create(first, 'a')
    const added = await send(
      first,
      'POST',
      `varsets/${id}/relationships/vars`,
      variableBody({ key: 'A', category: 'terraform' }),
    )
    const path = `varsets/${id}/relationships/vars/${added.id}`
    for (let round = 0; round < 120; round += 1) {
      await send(first, 'PATCH', path, variableBody({ value: `${round}`.padEnd(200_000, 'x') }))
    }
    expect(statSync(file).size).toBeLessThan(10_000_000)
    const before = first.snapshot(all)
    await first.close()
    const second = await open()
    expect(second.snapshot(all)).toEqual(before)
    await second.close()
  })

  test('executes no request that it cannot save', async () => {
    const sandbox = await open()
    await create(sandbox, 'a')
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': MEDIA }
    await sandbox.close()
    const again = await open()
    rmSync(folder, { recursive: true })
    const body = JSON.stringify(setBody({ name: 'b'.repeat(4_200_000) }))
    const path = '/api/v2/organizations/acme/varsets'
    await again.transport({ method: 'POST', path, headers, body })
    const refused = again.transport({ method: 'POST', path, headers, body: body.replace('bb', 'cb') })
    await expect(refused).rejects.toThrow(/ENOENT/)
    expect(names(again)).toHaveLength(2)
    expect(names(again)[1]).toMatch(/^b/)
    await again.close().catch(() => undefined)
    const { mkdirSync } = await import('node:fs')
    mkdirSync(folder, { recursive: true })
  })

  test('refuses lines that another process appended', async () => {
    await (await open()).close()
    appendFileSync(file, 'deadbeef {"at":"","sequence":0,"changes":[]}\n')
    appendFileSync(file, 'deadbeef {"at":"","sequence":0,"changes":[]}\n')
    await expect(open()).rejects.toThrow(JournalError)
  })
})
