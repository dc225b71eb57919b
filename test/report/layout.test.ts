import { styleText } from 'node:util'
import { expect, test } from 'vitest'
import { painted, type Style, span } from '../../src/report/layout.ts'

const STYLES: readonly Style[] = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'magenta']

test('colours are those of the platform', () => {
  expect(STYLES.map(style => painted([[span('x', style)]], true))).toEqual(
    STYLES.map(style => `${styleText(style, 'x', { validateStream: false })}\n`),
  )
})
