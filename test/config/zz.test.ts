import { test } from 'vitest'
import { Findings } from '../../src/config/findings.ts'
import { lintVariable } from '../../src/config/lint.ts'
import { KNOWN } from './lint-corpus/known.ts'
import { TELLING } from './lint-corpus/telling.ts'
import { HARMLESS } from './lint-corpus/harmless.ts'
const source = { path: 'x', line: 1, column: 1 }
const lint = (key: string, text: string) => { const f = new Findings(); lintVariable({ key: `env/${key}`, value: { text }, description: '', hcl: false, source }, false, f); return f.diagnostics.map(d => d.severity + ' ' + d.message).join() }
test('x', () => {
  const out: string[] = []
  for (const [w, k, ...p] of KNOWN) { const r = lint(k, p.join('')); if (!r.startsWith('error')) out.push('MISS ' + w + ' ' + p.join('') + ' ' + r) }
  let n = 0
  for (const [k, ...p] of TELLING) { const r = lint(k, p.join('')); if (r === '') { out.push('miss ' + k + ' ' + p.join('')) } else n++ }
  out.push(`telling ${n}/${TELLING.length}`)
  for (const [k, v] of HARMLESS) { const r = lint(k, v); if (r) out.push('FALSE ' + k + ' ' + v + ' ' + r) }
  process.stdout.write(out.join('\n') + '\n')
})
