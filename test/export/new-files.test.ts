import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { pipelineOf } from '../../src/export/new-files.ts'

const FORGES = ['github', 'gitlab'] as const

test.each(FORGES)(
  'the lines of %s that depend on a flag have an end, and name a flag that there is',
  forge => {
    const text = readFileSync(`pipelines/${forge}.yml`, 'utf8')
    const words = text.split('\n').flatMap(line => /^#: .*$/.exec(line)?.[0] ?? [])
    const blocks = words.join('\n').split(/(?<=#: end)\n/)
    const wrong = blocks.filter(
      block => !/^#: if (?:address|snapshot|alone|groups)\n(?:#: else\n)?#: end$/.test(block),
    )
    expect(wrong).toEqual([])
    expect(blocks.length).toBeGreaterThan(4)
    expect(text.match(/^.*#:.*$/gm)).toEqual(words)
  },
)

/** `$&` in an address would be a part of the pattern if it were taken for one. */
const ADDRESS = 'https://tfe.example.com/$&'

test.each(FORGES.flatMap(forge => [false, true].map(snapshot => ({ forge, snapshot }))))(
  'the pipeline for $forge, with a snapshot: $snapshot, has no line of the template and the given address alone',
  ({ forge, snapshot }) => {
    const without = pipelineOf(forge, { snapshot })?.text ?? ''
    const own = pipelineOf(forge, { snapshot, address: ADDRESS })?.text ?? ''
    expect(without + own).not.toMatch(/#:|<address>/)
    const added = own.split('\n').filter(line => !without.split('\n').includes(line))
    const variable = `SETPOINT_ADDRESS: "${ADDRESS}"`
    expect(added).toEqual([
      '# The service. Without this line it would be app.terraform.io, and get the token.',
      forge === 'github' ? `env: { ${variable} }` : `variables: { ${variable} }`,
    ])
    expect(parse(own)[forge === 'github' ? 'env' : 'variables']).toEqual({ SETPOINT_ADDRESS: ADDRESS })
  },
)
