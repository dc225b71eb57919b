import { describe, expect, test } from 'vitest'
import { commentMarker, commentText } from '../../src/report/comment-text.ts'
import { renderers } from '../../src/report/index.ts'
import { aPlan, createSet, deleteSet, settings, step, updateSet } from './build.ts'

const PLAN = aPlan([
  step('a', createSet('a', {})),
  step('b', createSet('b', {})),
  step('c', deleteSet('c', {})),
  step('d', updateSet(settings('d'), settings('d', { priority: true }))),
])

describe('a report as a comment', () => {
  test('is identified by the marker in its first line', () => {
    const markdown = renderers.markdown({ kind: 'plan', plan: PLAN })
    expect(commentText(markdown)).toEqual({
      marker: commentMarker('acme', 'platform'),
      quiet: false,
      body: markdown,
    })
  })

  test('is quiet if nothing changes', () => {
    const markdown = renderers.markdown({ kind: 'plan', plan: aPlan([]) })
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

test('the widget of GitLab counts sets, like the headline', () => {
  expect(renderers.gitlab({ kind: 'plan', plan: PLAN })).toBe('{"create":2,"update":1,"delete":1}\n')
})
