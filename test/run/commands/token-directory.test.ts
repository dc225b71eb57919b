import { expect, test } from 'vitest'
import { credentialSources } from '../../../src/run/commands/token-directory.ts'
import { withDefaults } from '../../../src/run/options.ts'
import type { Run } from '../../../src/run/run.ts'
import { aDirectory } from '../../support/program.ts'

test('a token is found by exactly the name of its organization, and never in a hidden file', () => {
  const cwd = aDirectory({ 'tokens/acme': 'of-acme', 'tokens/.hidden': 'x', 'tokens/..data/acme': 'x' })
  const run = { cwd, env: {}, home: undefined, options: withDefaults({ tokens: 'tokens' }) } as Run
  const { directory } = credentialSources(run).value ?? {}
  expect(
    ['acme', 'Acme', '.hidden', '..data', '..data/acme', 'other'].map(name => directory?.tokenOf(name)),
  ).toEqual(['of-acme', undefined, undefined, undefined, undefined, undefined])
})
