import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadDesired } from '../../../../src/config/load.ts'
import { differing, type Probe } from './probe.ts'

const SETPOINT = 'organization: acme\n'
const GOOD = 'variableSets: { a: { env: { A: 1.10 } } }\n'

/** The text of `sets/a.yaml`, and whether it is accepted. */
const ROWS: readonly (readonly [name: string, text: string | undefined, isAccepted: boolean])[] = [
  ['a good file', GOOD, true],
  ['an empty file', '', false],
  ['a file of comments', '# variableSets:\n', false],
  ['no file', undefined, false],
  ['a tag', 'variableSets: { a: { env: { A: !include x } } }\n', false],
  ['a directive', '%YAML 1.1\n---\nvariableSets: { a: { env: { A: NO } } }\n', false],
  ['a duplicate key', 'variableSets:\n  a: { env: { A: 1 } }\n  a: { env: { A: 2 } }\n', false],
  ['keys that look the same', 'variableSets: { a: { env: { "\u00e9": 1, "e\u0301": 2 } } }\n', false],
  ['an unknown key', 'variableSets: { a: { enviroment: { A: 1 } } }\n', false],
  ['a truncated set', 'variableSets: { a: { env: { A: 1 }', false],
  [
    'a secret in a file outside the repository',
    'variableSets: { a: { terraform: { A: { file: ../../outside.txt } } } }\n',
    false,
  ],
]

/** A malformed file is an error, and never a smaller desired state. */
export const files: Probe = async () => {
  const found: string[] = []
  for (const [name, text, isAccepted] of ROWS) {
    const place = mkdtempSync(join(tmpdir(), 'setpoint-probe-'))
    try {
      const put = (path: string, content: string): void => {
        mkdirSync(dirname(join(place, path)), { recursive: true })
        writeFileSync(join(place, path), content)
      }
      put('outside.txt', 'a file of another user')
      put('repository/setpoint.yaml', SETPOINT)
      if (text !== undefined) put('repository/sets/a.yaml', text)
      const { value } = await loadDesired({ directory: join(place, 'repository') })
      found.push(...differing(name, isAccepted, value !== undefined))
      const [variable] = value?.sets[0]?.variables ?? []
      if (isAccepted) found.push(...differing('its value', { text: '1.10' }, variable?.value))
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  }
  return found
}
