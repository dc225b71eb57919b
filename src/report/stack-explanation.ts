import { categoryOf, nameOf } from '../model/ids.ts'
import { toJson } from '../model/json.ts'
import type { ReadableSet, StackExplanation, StackWay } from '../plan/effective/explain-stack.ts'
import { EXPLANATION_FORMAT, headerOf, MOMENTS, SIGNS, STYLES } from './explanation.ts'
import { column, type Line, padded, painted, span, spansOf, widthOf } from './layout.ts'
import { phraseMarkdown, plainOrCode } from './markdown-blocks.ts'
import { codeBlock, sealLines } from './neutralise.ts'
import { counted, name } from './phrase.ts'
import type { TextOptions } from './text.ts'

export const stackExplanationJson = (explanation: StackExplanation): string =>
  toJson({ format: EXPLANATION_FORMAT, kind: 'stack-explanation', ...explanation })

export function stackExplanationText(
  explanation: StackExplanation,
  reads: number,
  { color, width, fits }: TextOptions,
): string {
  const { sets, notes } = explanation
  return painted(
    [
      headerOf(explanation, explanation.stack, reads),
      spansOf([headlineOf(explanation)]),
      ...(sets.length === 0 ? [] : [[]]),
      ...rows(sets),
      [],
      ...notes.map(note => [span(note, 'dim')]),
    ],
    color,
    fits === true ? width : undefined,
  )
}

/** One fenced block: what a terminal shows, in a comment. */
export function stackExplanationMarkdown(explanation: StackExplanation): string {
  const { organization, stack, sets, notes } = explanation
  const lines = rows(sets).map(line =>
    line
      .map(piece => piece.text)
      .join('')
      .replace(/^~/, '!'),
  )
  const parts = [
    `### What the Stack ${plainOrCode(stack.name ?? stack.id)} of ${plainOrCode(organization)} may read`,
    headlineOf(explanation),
    ...(lines.length === 0 ? [] : [codeBlock(lines, 'diff')]),
    ...notes.map(note => `- ${phraseMarkdown([note])}`),
  ]
  return sealLines(`${parts.join('\n\n')}\n`)
}

function headlineOf({ sets, moment }: StackExplanation): string {
  const changes = sets.filter(({ change }) => change !== 'same').length
  const how = changes === 0 ? 'nothing changes' : `${counted(changes, 'change')}, marked`
  return `${MOMENTS[moment]}: ${counted(sets.length, 'set')}${moment === 'difference' ? `; ${how}` : ''}.`
}

const WAYS = {
  stack: 'the Stack',
  project: 'its project',
  global: 'global',
} as const satisfies Record<StackWay, string>

/** A line a set, and below it one a variable. */
function rows(sets: readonly ReadableSet[]): Line[] {
  const labels = sets.map(({ set }) => spansOf([name(set)]))
  const width = column(labels, 40)
  return sets.flatMap(({ change, ways, variables }, at) => {
    const start: Line = [
      span(`${SIGNS[change]} `, STYLES[change]),
      ...padded(labels[at] ?? [], width),
      span('  '),
    ]
    const how = ways.map(way => WAYS[way]).join(', ')
    const indent = span(' '.repeat(widthOf(start)))
    return [
      [...start, span(how)],
      ...variables.map(
        ({ key, secret }): Line => [
          indent,
          ...spansOf([`${categoryOf(key)} `, name(nameOf(key)), ...(secret ? [' (secret)'] : [])], 'dim'),
        ],
      ),
    ]
  })
}
