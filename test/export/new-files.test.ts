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
    const wrong = blocks.filter(block => !/^#: if (?:address|snapshot)\n(?:#: else\n)?#: end$/.test(block))
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
    expect(added).toEqual([
      '  # The service. Without this line it would be app.terraform.io, and get the token.',
      `  SETPOINT_ADDRESS: "${ADDRESS}"`,
    ])
    for (const text of [without, own]) {
      const { snapshot: job, jobs = { snapshot: job } } = parse(text)
      // Without the flag, GitHub still has the job that makes snapshots for forks.
      expect('snapshot' in jobs && jobs.snapshot !== undefined).toBe(snapshot || forge === 'github')
      expect(text.includes('plan --snapshot snapshot.json --base HEAD^1 $PLAN_MODE --out')).toBe(
        snapshot && forge === 'github',
      )
    }
  },
)
