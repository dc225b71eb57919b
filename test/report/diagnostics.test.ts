import { expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { annotations, diagnosticsText } from '../../src/report/diagnostics.ts'
import { withoutColors } from './oracles.ts'

const FOUND: readonly Diagnostic[] = [
  { severity: 'warning', code: 'hcl-of-secret', message: 'One.\nTwo.' },
  {
    severity: 'error',
    code: 'global-conflict',
    message: '"env/AWS_REGION" is in two global sets, "shared-aws" and "platform".',
    hint: 'Remove it from one, or make one set not global.',
    source: { path: 'sets/aws.yaml', line: 12, column: 7 },
  },
]

test('diagnostics are sorted by place, with message and hint below', () => {
  expect(diagnosticsText(FOUND, { color: false })).toBe(
    [
      'sets/aws.yaml:12:7  error global-conflict',
      '  "env/AWS_REGION" is in two global sets, "shared-aws" and "platform".',
      '  Remove it from one, or make one set not global.',
      'warning hcl-of-secret',
      '  One.',
      '  Two.',
      '',
    ].join('\n'),
  )
})

test('no diagnostics produce no text', () => {
  expect(diagnosticsText([], { color: false })).toBe('')
  expect(annotations([])).toBe('')
})

test('colour only adds escape sequences', () => {
  const colored = diagnosticsText(FOUND, { color: true })
  expect(colored).toContain('\u001b[31merror\u001b[39m')
  expect(withoutColors(colored)).toBe(diagnosticsText(FOUND, { color: false }))
})

test('annotations are GitHub commands, one for each diagnostic, correctly escaped', () => {
  const odd: Diagnostic = {
    severity: 'error',
    code: 'wrong-value',
    message: '100 %\nof it',
    source: { path: 'a,b:c.yaml', line: 1, column: 2 },
  }
  expect(annotations([...FOUND, odd])).toBe(
    [
      '::error file=a%2Cb%3Ac.yaml,line=1,col=2,title=wrong-value::100 %25%0Aof it',
      '::error file=sets/aws.yaml,line=12,col=7,title=global-conflict::"env/AWS_REGION" is in two global sets, "shared-aws" and "platform".%0ARemove it from one, or make one set not global.',
      '::warning title=hcl-of-secret::One.%0ATwo.',
      '',
    ].join('\n'),
  )
})
