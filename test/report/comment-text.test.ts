import { describe, expect, test } from 'vitest'
import { commentText, fittedMarkdown } from '../../src/report/comment-text.ts'
import { renderGitlab } from '../../src/report/index.ts'
import { commentMarker, renderMarkdown } from '../../src/report/markdown.ts'
import { viewOf } from '../../src/report/view.ts'
import { aPlan, createSet, deleteSet, settings, step, updateSet } from './build.ts'
import { markdownTree } from './parsers.ts'

const PLAN = aPlan([
  step('a', createSet('a', {})),
  step('b', createSet('b', {})),
  step('c', deleteSet('c', {})),
  step('d', updateSet(settings('d'), settings('d', { priority: true }))),
])

describe('a report as a comment', () => {
  test('is identified by the marker in its first line', () => {
    const markdown = renderMarkdown(viewOf({ kind: 'plan', plan: PLAN }))
    expect(commentText(markdown)).toEqual({
      marker: commentMarker('acme', 'platform'),
      quiet: false,
      body: markdown,
    })
  })

  test('is quiet if nothing changes', () => {
    const markdown = renderMarkdown(viewOf({ kind: 'plan', plan: aPlan([]) }))
    expect(commentText(`\ufeff${markdown.replaceAll('\n', '\r\n')}`)).toEqual({
      marker: '<!-- setpoint:acme/platform -->',
      quiet: true,
      body: markdown,
    })
  })

  test.each([
    '',
    '# Plan',
    'x <!-- setpoint:a -->',
    '<!-- setpoint:a --> x',
    '<!-- setpoint:a b -->',
    '{"format":1}',
  ])('is not recognised without a valid marker: %j', text => {
    expect(commentText(text)).toBeUndefined()
  })
})

const FENCE = '````'
const LONG = `<details><summary>Values</summary>\n\n${FENCE}diff\n<details>\n\n</details>\n\n\`\`\`\n${'x'.repeat(3_000)}\n${FENCE}\n\n</details>`
const DOCUMENT = `<!-- setpoint:acme -->\n### Head\n\n| a |\n|-|\n| 1 |\n\n${LONG}\n\n<details><summary>2 warnings</summary>\n\n- a\n- b\n\n</details>\n\nplan 3f9a1c2b7d4e\n`

describe('a comment that is too long', () => {
  test('drops its longest sections as a whole, and says so', () => {
    const fitted = fittedMarkdown(DOCUMENT, 1_000) ?? ''
    expect(fitted).toBe(
      DOCUMENT.replace(`${LONG}\n\n`, '') +
        '\n1 section is left out here, because a comment is limited to 1,000 characters. See the report of the job.\n',
    )
    expect(markdownTree(fitted).children.map(({ type }) => type)).not.toContain('code')
  })

  test('drops *Review first* last', () => {
    const block = `> [!CAUTION]\n> **Review first**\n>\n> - **lost** ${'y'.repeat(4_000)}`
    const fitted = fittedMarkdown(DOCUMENT.replace('| a |', `${block}\n\n| a |`), 4_500) ?? ''
    expect(fitted).toContain('y'.repeat(4_000))
    expect(fitted).toContain('left out here')
  })

  test('stays unchanged if it just fits', () => {
    expect(fittedMarkdown(DOCUMENT, DOCUMENT.length)).toBe(DOCUMENT)
  })

  test('either fits or is not possible, at any limit, and never contains a partial section', () => {
    for (let most = 100; most <= DOCUMENT.length; most += 7) {
      const fitted = fittedMarkdown(DOCUMENT, most)
      if (fitted === undefined) continue
      expect(fitted.length).toBeLessThanOrEqual(most)
      expect(fitted.match(/<details><summary>/g)?.length ?? 0).toBe(
        (fitted.match(/^<\/details>$/gm) ?? []).length - (fitted.includes('xxx') ? 1 : 0),
      )
      expect(fitted.startsWith('<!-- setpoint:acme -->\n### Head\n')).toBe(true)
    }
    expect(fittedMarkdown(DOCUMENT, 100)).toBeUndefined()
  })
})

test('the widget of GitLab counts sets, like the headline', () => {
  expect(renderGitlab(viewOf({ kind: 'plan', plan: PLAN }))).toBe('{"create":2,"update":1,"delete":1}\n')
})
