import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const ROUNDS = 10

/** Writes endlessly, and prints each acknowledged write. Its long values make the file large. */
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
  // Without it, the file would have no turn.
  await new Promise(resolve => setImmediate(resolve))
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

/** Kills the child process after this number of acknowledged writes, once the file has a state. Returns all acknowledged writes. */
async function killAfter(child: ChildProcess, file: string, count: number): Promise<number[]> {
  const acknowledged: number[] = []
  if (child.stdout === null) throw new Error('the child has no output')
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line))
    if (acknowledged.length >= count && statSync(file).size > 0) child.kill('SIGKILL')
  }
  await ended
  return acknowledged
}

describe('kill -9', () => {
  test('leaves a state that the sandbox had, whenever it happens: only the last writes may be missing', async () => {
    const file = join(folder, 'state')
    let kept: readonly number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = 1000 * round
      const child = spawn(execPath, [join(folder, 'child.js'), file, String(start)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const acknowledged = await killAfter(child, file, 1 + ((round * 37) % 50))

      const sandbox = await createSandbox({ file })
      const variables = (sandbox.snapshot().sets ?? []).flatMap(set => set.variables ?? [])
      await sandbox.close()
      const found = variables.filter(({ key }) => key !== 'FILLER')
      for (const { key, value } of found) expect(key).toBe(`K${value}`)
      const numbers = found.map(({ value }) => Number(value)).sort((one, other) => one - other)
      const ofRound = numbers.filter(number => number >= start)
      expect(numbers.filter(number => number < start)).toEqual(kept)
      // The write that nobody acknowledged may be there.
      expect(ofRound).toEqual([...acknowledged, start + acknowledged.length].slice(0, ofRound.length))
      kept = numbers
    }
    expect(kept.length).toBeGreaterThan(0)
  })
})
