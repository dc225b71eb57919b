import { expect } from 'vitest'
import type { Io } from '../../src/cli/io.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'
import { type Exchange, recorded } from './recorded.ts'

export const TOKEN = 'ghs_ThisTokenIsOfNobody0123456789'
export const MARKER = '<!-- setpoint:acme/platform -->'
export const REPORT = `${MARKER}\n### Setpoint plan acme/platform: 1 set changes\n\nplan \`3f9a1c2b7d4e\`\n`
export const QUIET = `${MARKER}\n<!-- nothing changes -->\n### Setpoint acme/platform: No changes. 3 sets equal.\n`
export const BOT = { id: 41_898_282, login: 'github-actions[bot]' }
export const STRANGER = { id: 7, login: 'mallory' }

export const LIST = 'GET /repos/acme/sets/issues/7/comments?per_page=100&page=1'
export const VIEWER: Exchange = {
  expect: 'POST /graphql',
  body: { query: '{ viewer { databaseId } }' },
  answer: { status: 200, body: { data: { viewer: { databaseId: BOT.id } } } },
}
export const comments = (...body: readonly unknown[]): Exchange => ({
  expect: LIST,
  answer: { status: 200, body },
})
export const creation = (
  body: string,
  answer: Exchange['answer'] = { status: 201, body: { id: 99 } },
): Exchange => ({
  expect: 'POST /repos/acme/sets/issues/7/comments',
  body: { body },
  answer,
})
export const update = (id: number, body: string): Exchange => ({
  expect: `PATCH /repos/acme/sets/issues/comments/${id}`,
  body: { body },
  answer: { status: 200, body: { id } },
})
export const ours = (id: number, body: string) => ({ id, body, user: BOT })

export interface CommentRun extends Ran {
  readonly seen: readonly string[]
}

interface CommentOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly argv?: readonly string[]
  readonly base?: string
  readonly io?: Partial<Io>
}

export async function comment(
  exchanges: readonly Exchange[],
  report = REPORT,
  { env = {}, argv = [], base = '', io = {} }: CommentOptions = {},
): Promise<CommentRun> {
  const forge = await recorded(TOKEN, exchanges)
  const ran = await run(['comment', 'plan.md', ...argv], {
    cwd: aDirectory({ 'plan.md': report }),
    env: {
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: `${forge.url}${base}`,
      GITHUB_REPOSITORY: 'acme/sets',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_TOKEN: TOKEN,
      ...env,
    },
    io,
  })
  expect(`${ran.stdout}${ran.stderr}`).not.toContain(TOKEN)
  return { ...ran, seen: forge.seen }
}

export const lines = (exchanges: readonly Exchange[]): string[] => exchanges.map(({ expect: line }) => line)
