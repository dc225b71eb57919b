import { ok } from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_LIMITS, type Limits } from '../../src/config/limits.ts'
import { parseFile } from '../../src/config/parse.ts'
import { readPlainBlocks } from '../../src/config/plain-blocks.ts'
import { sourceFile, textOfFile } from '../../src/config/source-file.ts'
import { Findings } from '../../src/model/findings.ts'

/** The result of the complete parser: a tree, or mistakes. */
function whole(text: string, limits: Limits = DEFAULT_LIMITS) {
  const findings = new Findings()
  const tree = parseFile(sourceFile('sets/a.yaml', text), limits, findings)?.[0]
  return findings.diagnostics.length === 0 ? tree : findings.diagnostics
}

/** Whether the quick reader accepted it. Then its tree and positions must equal the parser's. */
export function isReadAlike(text: string, limits: Limits = DEFAULT_LIMITS): boolean {
  // The loader refuses such a text before any parser reads it.
  if (textOfFile('a.yaml', new TextEncoder().encode(text), new Findings()) === undefined) return false
  const tree = readPlainBlocks(text, limits)
  if (tree === undefined) return false
  const parsed = whole(text, limits)
  ok(isDeepStrictEqual(tree, parsed), `${JSON.stringify(text)} is read otherwise`)
  return true
}

/** The plain style of set files, with each feature once. */
export const FULL = `---
# Sets of the network team
bases:
  aws: { env: { REGION: eu-west-1, ROLE: { required: true } } }  # two
variableSets:
  one: # comment

    from: aws
    description: "Keys: of the role"
    workspaces: [network-prod, { name: 'its' }]
    projects:
    - platform   # why
    - { name: prj }
    env:
      ROLE: deploy-it #not a comment
      KEY: { secret: { name: KEY, version: 2026-11 } }
      URL: https://example.com:8080/a?b=c&d=[e]
    terraform:
      text:
        value: |
          first { [
            second "

          third
      list:
        data:
          - 1.10
          -   "x"
      last: |-
        a: b
  two: {}
removed: []
`
