import fc from 'fast-check'
import { expect, test } from 'vitest'
import { htmlOf } from '../../../src/report/html/print-html.ts'
import { HARMLESS_DOC, hostileDocs } from '../hostile-doc.ts'
import { commandsIn, unseenIn } from '../oracles.ts'
import { elementsOf } from '../parsers.ts'

const link = () => 'https://forge.test/x'

test('on the page: no element and no attribute that our layout does not have, and no invisible character', () => {
  const known = new Set(elementsOf(htmlOf(HARMLESS_DOC, { link })))
  fc.assert(
    fc.property(hostileDocs, doc => {
      const output = htmlOf(doc, { link })
      expect([...commandsIn(output), ...unseenIn(output)]).toEqual([])
      expect(elementsOf(output).filter(element => !known.has(element))).toEqual([])
      expect(elementsOf(output)).toHaveLength(elementsOf(htmlOf(HARMLESS_DOC, { link })).length)
    }),
    { seed: 20_261, numRuns: 30 },
  )
})
