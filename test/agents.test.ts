import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../src/cli/definitions.ts'
import { aDirectory, run } from './support/program.ts'
import { fencesOf } from './support/transcript.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const commandsIn = (path: string): string[] =>
  fencesOf(read(path)).flatMap(({ language, body }) => (language === 'sh' ? body.trim().split('\n') : []))

const FILES = {
  'seed.yaml': 'workspaces: [{ name: payments-prod }]\n',
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml':
    'variableSets: { payments: { workspaces: [payments-prod], env: { DB_PASSWORD: { secret: DB_PASSWORD } } } }\n',
}

test('every command of the skill runs, and none of them writes to the service', async () => {
  const commands = commandsIn('skills/setpoint/SKILL.md')
  expect(commands.length).toBeGreaterThan(8)
  const cwd = aDirectory(FILES)
  const env = { SETPOINT_SANDBOX_SEED: 'seed.yaml', SETPOINT_SECRET_DB_PASSWORD: 'only-an-example' }
  const first = await run(['apply', '--auto-approve', '--sandbox'], { cwd, env })
  expect(first.code).toBe(0)
  for (const line of commands) {
    const [program, name = '', ...words] = line.split(' ')
    const command = COMMANDS.find(one => one.name === name)
    expect([program, command?.name]).toEqual(['setpoint', name])
    const connects = command?.options.some(({ name }) => name === 'sandbox')
    const argv = [name, ...words, ...(connects ? ['--sandbox'] : [])]
    const { code, stdout, stderr } = await run(argv, { cwd, env })
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
    expect(stdout).not.toMatch(/[1-9]\d* writes?/)
  }
})

test('AGENTS.md names scripts of the package and folders that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Record<string, string> }
  const commands = commandsIn('AGENTS.md')
  expect(commands.length).toBeGreaterThan(5)
  for (const line of commands) {
    const [, script] = /^npm run ([\w-]+)/.exec(line) ?? []
    const [, folder] = /^npx vitest run (\S+)$/.exec(line) ?? []
    const isKnown =
      line === 'npm ci' || (script ? script in scripts : folder && existsSync(join(ROOT, folder)))
    expect([line, Boolean(isKnown)]).toEqual([line, true])
  }
})

test('llms.txt lists every guide, and its links lead somewhere', () => {
  const links = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  expect(links.filter(link => !existsSync(join(ROOT, link)))).toEqual([])
  const pages = readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md') && name !== 'README.md')
  expect(pages.filter(name => !links.includes(`docs/${name}`))).toEqual([])
})

test.each(['AGENTS.md', 'skills/setpoint/SKILL.md'])('the links of %s lead somewhere', path => {
  const links = [...read(path).matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link)
  expect(links.filter(link => !existsSync(join(ROOT, dirname(path), link)))).toEqual([])
})
