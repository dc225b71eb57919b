import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory, run } from './support/program.ts'
import { commandsOf, expectDocument, replay } from './support/transcript.ts'

/** `UPDATE_GOLDEN=1 npx vitest run test/examples.test.ts` writes the outputs in the examples anew; then read them. */
const EXAMPLES = resolve(import.meta.dirname, '../examples')
const names = readdirSync(EXAMPLES).filter(name => /^\d\d-/.test(name))
/** These have their own tests: test/workflow.test.ts, test/pipelines and test/export. */
const ELSEWHERE = ['06-github-actions', '07-from-terraform', '08-gitlab-ci', '09-kubernetes']
const taught = names.filter(name => !ELSEWHERE.includes(name))

test('the examples were seen', () => {
  expect(taught).toHaveLength(6)
})

describe.each(taught)('%s', name => {
  const folder = join(EXAMPLES, name)
  const readme = join(folder, 'README.md')
  const document = readFileSync(readme, 'utf8')
  const states = readdirSync(folder).includes('after') ? ['sets', 'after'] : ['sets']

  test('validates, plans, applies and is equal afterwards, as its README shows', async () => {
    const cwd = aDirectory({ copyOf: folder })
    expectDocument(readme, await replay(document, { cwd }))
    const left = await run(['plan', '--sandbox', '--detailed-exitcode'], { cwd })
    expect({ code: left.code, says: left.stdout.match(/^No changes\./m)?.[0] }).toEqual({
      code: 0,
      says: 'No changes.',
    })
  })

  test('goes through every command for every state of its files', () => {
    const rounds = commandsOf(document).map(command => command.match(/^(?:setpoint )?\w+/)?.[0])
    const round = ['setpoint validate', 'setpoint plan', 'setpoint apply']
    const wanted = states.flatMap(state => (state === 'after' ? ['cp', ...round] : round))
    expect(inOrder(rounds, [...wanted, 'setpoint plan'])).toEqual([...wanted, 'setpoint plan'])
  })
})

/** The longest beginning of `wanted` that stands in `given` in this order. */
function inOrder(given: readonly (string | undefined)[], wanted: readonly string[]): string[] {
  const found: string[] = []
  for (const one of given) if (one === wanted[found.length]) found.push(one ?? '')
  return found
}
