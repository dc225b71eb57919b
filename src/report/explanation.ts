import { toJson } from '../model/json.ts'
import type {
  ExplainedVariable,
  Explanation,
  StackExplanation,
  StackWay,
  VariableSource,
  WinningSource,
} from '../plan/effective/explanation.ts'
import { blameRows } from './blame.ts'
import {
  column,
  inSections,
  type Line,
  lineText,
  padded,
  painted,
  type Style,
  span,
  spansOf,
  widthOf,
} from './layout.ts'
import { phraseMarkdown, plainOrCode } from './markdown-blocks.ts'
import { codeBlock, sealLines } from './neutralise.ts'
import { counted, figure, keysPhrase, name, type Phrase, value } from './phrase.ts'
import type { TextOptions } from './text.ts'

/** Version of the JSON form: new members raise the second number, breaking changes the first. */
const EXPLANATION_FORMAT = '1.1'

export const explanationJson = (explanation: Explanation): string =>
  toJson({ format: EXPLANATION_FORMAT, kind: 'explanation', ...explanation })

export const explanationText = (explanation: Explanation, reads: number, options: TextOptions): string =>
  textOf(headerOf(explanation, explanation.workspace, reads), pageOf(explanation, options.width), options)

/** One fenced block: what a terminal shows, in a comment. */
export const explanationMarkdown = (explanation: Explanation): string =>
  markdownOf(`What ${called(explanation.workspace, explanation)} receives`, pageOf(explanation, 100))

const pageOf = (explanation: Explanation, width: number): Parts => ({
  headline: headlineOf(explanation.moment, explanation.variables, 'variable'),
  rows: variableRows(explanation, width),
  notes: explanation.notes,
})

export const stackExplanationJson = (explanation: StackExplanation): string =>
  toJson({ format: EXPLANATION_FORMAT, kind: 'stack-explanation', ...explanation })

export const stackExplanationText = (
  explanation: StackExplanation,
  reads: number,
  options: TextOptions,
): string => textOf(headerOf(explanation, explanation.stack, reads), stackPageOf(explanation), options)

export const stackExplanationMarkdown = (explanation: StackExplanation): string =>
  markdownOf(`What the Stack ${called(explanation.stack, explanation)} may read`, stackPageOf(explanation))

const called = (
  { name, id }: { readonly name?: string; readonly id: string },
  { organization }: { readonly organization: string },
): string => `${plainOrCode(name ?? id)} of ${plainOrCode(organization)}`

const stackPageOf = (explanation: StackExplanation): Parts => ({
  headline: headlineOf(explanation.moment, explanation.sets, 'set'),
  rows: setRows(explanation.sets),
  notes: explanation.notes,
})

/** What text and Markdown lay out. */
interface Parts {
  readonly headline: string
  readonly rows: readonly Line[]
  readonly notes: readonly string[]
}

function textOf(header: Line, { headline, rows, notes }: Parts, { color, width, fits }: TextOptions): string {
  const sections = [[header, [span(headline)]], rows, notes.map(note => [span(note, 'dim')])]
  return painted(inSections(sections), color, fits === true ? width : undefined)
}

function markdownOf(title: string, { headline, rows, notes }: Parts): string {
  // In a `diff` block forges colour `!` as changed.
  const lines = rows.map(line => lineText(line).trimEnd().replace(/^~/, '!'))
  const parts = [
    `### ${title}`,
    headline,
    ...(lines.length === 0 ? [] : [codeBlock(lines, 'diff')]),
    ...notes.map(note => `- ${phraseMarkdown([note])}`),
  ]
  return sealLines(`${parts.join('\n\n')}\n`)
}

/** The workspace or Stack, its organization and project, and the requests. */
function headerOf(
  { address, organization }: Pick<Explanation, 'address' | 'organization'>,
  { id, name: called, project }: Omit<Explanation['workspace'], 'id'> & { readonly id: string },
  reads: number,
): Line {
  const owning = project?.name ?? project?.id
  return [
    span('setpoint explain', 'bold'),
    span(' '),
    ...spansOf([name(called ?? id)], 'bold'),
    span('   '),
    ...spansOf([
      name(organization),
      ' @ ',
      address === 'sandbox' ? 'SANDBOX' : name(address.replace(/^https:\/\//, '')),
    ]),
    ...(owning === undefined ? [] : [span('   project '), ...spansOf([name(owning)])]),
    span(`   ${counted(reads, 'read')}, 0 writes`, 'dim'),
  ]
}

const MOMENTS = {
  live: 'In the service now',
  files: 'After the files are applied',
  difference: 'After this plan is applied',
} as const satisfies Record<Explanation['moment'], string>

/** `After this plan is applied: 2 variables, 2 of them changed.` */
function headlineOf(
  moment: Explanation['moment'],
  all: readonly { change: SourceChange }[],
  noun: string,
): string {
  const changes = all.filter(({ change }) => change !== 'same').length
  const changed = `, ${changes === 0 ? 'none' : figure(changes)} of them changed`
  return `${MOMENTS[moment]}: ${counted(all.length, noun)}${moment === 'difference' ? changed : ''}.`
}

type SourceChange = ExplainedVariable['change']
const SIGNS: Readonly<Record<SourceChange, string>> = { same: ' ', gained: '+', lost: '-', changed: '~' }
const STYLES: Partial<Record<SourceChange, Style>> = { gained: 'green', lost: 'red', changed: 'yellow' }

function variableRows({ variables }: Explanation, width: number): Line[] {
  const labels = variables.map(({ key }) => spansOf(keysPhrase([key])))
  const values = variables.map(valuesOf)
  const labelWidth = column(labels, 40)
  const valueWidth = column(values, Math.max(20, Math.floor(width / 3)))
  return variables.flatMap((variable, at) => {
    const start: Line = [
      span(`${SIGNS[variable.change]} `, STYLES[variable.change]),
      ...padded(labels[at] ?? [], labelWidth),
      span('  '),
    ]
    const text = values[at] ?? []
    const indent = span(' '.repeat(widthOf(start)))
    const source = sourceOf(variable)
    const first =
      widthOf(text) <= valueWidth
        ? [[...start, ...padded(text, valueWidth), span('  '), ...source]]
        : [
            [...start, ...text],
            [indent, ...source],
          ]
    const now = variable.after ?? variable.before
    const below = [...blameRows(now?.blame), ...(now?.shadows ?? []).map(shadowOf)]
    return [...first, ...below.map((row): Line => [indent, ...row])]
  })
}

/** The source of a value; if it changes, the old and the new one. */
function sourceOf({ change, before, after }: ExplainedVariable): Line {
  const now = after ?? before
  if (now === undefined) return []
  const moves = change === 'changed' && (before?.set !== now.set || before?.rank !== now.rank)
  const from = moves && before !== undefined ? [...spansOf(placeOf(before), 'dim'), span(' -> ', 'dim')] : []
  return [...from, ...spansOf(placeOf(now))]
}

function valuesOf({ change, before, after }: ExplainedVariable): Line {
  if (change !== 'changed' || before === undefined || after === undefined)
    return spansOf(shownOf(after ?? before))
  const same = JSON.stringify(shownOf(before)) === JSON.stringify(shownOf(after))
  return same
    ? spansOf(shownOf(after))
    : [...spansOf(shownOf(before)), span(' -> ', 'dim'), ...spansOf(shownOf(after))]
}

/** Longer texts do not fit into the table. */
const INLINE = 80

function shownOf(given: VariableSource | WinningSource | undefined): Phrase {
  if (given?.secret) return ['(secret)']
  if (given?.text === undefined) return ['(not shown)']
  const { text } = given
  if (text.length <= INLINE && !/[\n\r]/.test(text)) return [value(text), ...(given.hcl ? [', hcl'] : [])]
  return [`(${counted(text.length, 'character')})`]
}

const WAYS = {
  own: 'its own variable',
  global: 'global',
  project: 'its project',
  workspace: 'the workspace',
  stack: 'the Stack',
} as const satisfies Record<VariableSource['way'] | StackWay, string>

/** `aws-prod (its project, rank 12)`. */
function placeOf({ set, way, rank, priority, projectOwned }: VariableSource): Phrase {
  if (set === undefined) return [`${WAYS[way]} (rank ${rank})`]
  const how = [
    ...(priority ? ['priority'] : []),
    ...(projectOwned ? ['owned by a project'] : []),
    WAYS[way],
    `rank ${rank}`,
  ]
  return [name(set), ` (${how.join(', ')})`]
}

const WHY = {
  priority: 'has no priority',
  scope: 'a weaker rank',
  name: 'its name sorts later',
} as const satisfies Record<WinningSource['shadows'][number]['why'], string>

const shadowOf = (given: WinningSource['shadows'][number]): Line => [
  span('shadows ', 'dim'),
  ...spansOf(shownOf(given), 'dim'),
  span(' of ', 'dim'),
  ...spansOf(placeOf(given), 'dim'),
  span(`: ${WHY[given.why]}`, 'dim'),
]

/** A line for each set, and below it one for each variable. */
function setRows(sets: StackExplanation['sets']): Line[] {
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
          ...spansOf([...keysPhrase([key]), ...(secret ? [' (secret)'] : [])], 'dim'),
        ],
      ),
    ]
  })
}
