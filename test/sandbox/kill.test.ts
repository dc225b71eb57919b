import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const ROUNDS = 10

/** Writes endlessly, and prints each acknowledged write. Its long values make the sandbox rewrite its file occasionally. */
const CHILD = `
import { createSandbox } from './sandbox/index.js'
const sandbox = await createSandbox({ file: process.argv[2] })
const send = async (method, path, attributes, type) => {
  const answer = await sandbox.transport({
    method,
    path: '/api/v2/' + path,
    headers: { authorization: 'Bearer ' + sandbox.token, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type, attributes } }),
  })
  if (answer.status !== 200) throw new Error(answer.body)
  return JSON.parse(answer.body).data.id
}
const start = Number(process.argv[3])
const set = await send('POST', 'organizations/acme/varsets', { name: 'round ' + start }, 'varsets')
const variables = 'varsets/' + set + '/relationships/vars'
const filler = await send('POST', variables, { key: 'FILLER', category: 'terraform' }, 'vars')
for (let number = start; ; number += 1) {
  await send('PATCH', variables + '/' + filler, { value: '.'.repeat(200_000) }, 'vars')
  await send('POST', variables, { key: 'K' + number, category: 'terraform', value: String(number) }, 'vars')
  process.stdout.write(number + '\\n')
}
`

let folder: string
beforeAll(() => {
  // Inside node_modules, so that the compiled sandbox finds its packages.
  folder = mkdtempSync(join(ROOT, 'node_modules', '.sandbox-kill-'))
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc')
  execFileSync(compiler, [
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    folder,
    '--declaration',
    'false',
    '--noCheck',
  ])
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'child.js'), CHILD)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Kills the child process after this number of acknowledged writes. Returns the numbers of all acknowledged writes. */
async function killAfter(child: ChildProcess, count: number): Promise<number[]> {
  const acknowledged: number[] = []
  if (child.stdout === null) throw new Error('the child has no output')
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line))
    if (acknowledged.length === count) child.kill('SIGKILL')
  }
  await ended
  return acknowledged
}

describe('kill -9', () => {
  test('loses no acknowledged write, whenever it happens, and leaves a file that can be opened', async () => {
    const file = join(folder, 'state')
    const kept = new Set<string>()
    let next = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = spawn(execPath, [join(folder, 'child.js'), file, String(next)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const acknowledged = await killAfter(child, 1 + ((round * 37) % 50))
      for (const number of acknowledged) kept.add(`K${number}`)
      next = (acknowledged.at(-1) ?? next) + 2

      const sandbox = await createSandbox({ file })
      const variables = (sandbox.snapshot().sets ?? []).flatMap(set => set.variables ?? [])
      const found = new Map(variables.filter(one => one.key !== 'FILLER').map(one => [one.key, one.value]))
      await sandbox.close()
      expect([...kept].filter(key => !found.has(key))).toEqual([])
      for (const [key, value] of found) expect([key, value]).toEqual([key, key.slice(1)])
      const unsaid = [...found.keys()].filter(key => !kept.has(key))
      expect(unsaid.length).toBeLessThanOrEqual(1)
      for (const key of unsaid) kept.add(key)
    }
    expect(kept.size).toBeGreaterThan(ROUNDS * 15)
  })
})
