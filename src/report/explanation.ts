import { categoryOf, nameOf } from '../model/ids.ts'
import { toJson } from '../model/json.ts'
import type {
  ExplainedVariable,
  Explanation,
  VariableSource,
  WinningSource,
} from '../plan/effective/explanation.ts'
import { column, type Line, padded, painted, type Style, span, spansOf, widthOf } from './layout.ts'
import { phraseMarkdown, plainOrCode } from './markdown-blocks.ts'
import { codeBlock, sealLines } from './neutralise.ts'
import { counted, name, type Phrase, value } from './phrase.ts'
import type { TextOptions } from './text.ts'

/** Of the JSON form: the second number grows with members, the first with breaks. */
export const EXPLANATION_FORMAT = '1.0'

export const explanationJson = (explanation: Explanation): string =>
  toJson({ format: EXPLANATION_FORMAT, kind: 'explanation', ...explanation })

export function explanationText(
  explanation: Explanation,
  reads: number,
  { color, width, fits }: TextOptions,
): string {
  const { workspace, notes } = explanation
  return painted(
    [
      headerOf(explanation, workspace, reads),
      spansOf([headlineOf(explanation)]),
      ...(explanation.variables.length === 0 ? [] : [[]]),
      ...rows(explanation, width),
      ...(notes.length === 0 ? [] : [[], ...notes.map(note => [span(note, 'dim')])]),
    ],
    color,
    fits === true ? width : undefined,
  )
}

/** What is explained, of which organization and project, and what it cost. */
export function headerOf(
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

/** One fenced block: what a terminal shows, in a comment. */
export function explanationMarkdown(explanation: Explanation): string {
  const { organization, workspace, notes } = explanation
  const title = `### What ${plainOrCode(workspace.name ?? workspace.id)} of ${plainOrCode(organization)} receives`
  const lines = rows(explanation, 100).map(line =>
    line
      .map(piece => piece.text)
      .join('')
      .trimEnd()
      // What forges colour as changed in a block of the language `diff`.
      .replace(/^~/, '!'),
  )
  const parts = [
    title,
    headlineOf(explanation),
    ...(lines.length === 0 ? [] : [codeBlock(lines, 'diff')]),
    ...notes.map(note => `- ${phraseMarkdown([note])}`),
  ]
  return sealLines(`${parts.join('\n\n')}\n`)
}

export const MOMENTS = {
  live: 'As the service has it now',
  files: 'As it will be once the files are applied',
  difference: 'As it will be once the files are applied, from what it is now',
} as const satisfies Record<Explanation['moment'], string>

function headlineOf({ variables, moment }: Explanation): string {
  const changes = variables.filter(({ change }) => change !== 'same').length
  const how = changes === 0 ? 'nothing changes' : `${counted(changes, 'change')}, marked`
  const end = moment === 'difference' ? `; ${how}` : ''
  return `${MOMENTS[moment]}: ${counted(variables.length, 'variable')}${end}.`
}

export const SIGNS = { same: ' ', gained: '+', lost: '-', changed: '~' } as const satisfies Record<
  ExplainedVariable['change'],
  string
>
export const STYLES: Partial<Record<ExplainedVariable['change'], Style>> = {
  gained: 'green',
  lost: 'red',
  changed: 'yellow',
}

function rows({ variables }: Explanation, width: number): Line[] {
  const labels = variables.map(({ key }) => spansOf([`${categoryOf(key)} `, name(nameOf(key))]))
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
    const fits = widthOf(text) <= valueWidth
    const first = fits
      ? [[...start, ...padded(text, valueWidth), span('  '), ...source]]
      : [
          [...start, ...text],
          [indent, ...source],
        ]
    const now = variable.after ?? variable.before
    return [...first, ...(now?.shadows ?? []).map((given): Line => [indent, ...shadowOf(given)])]
  })
}

/** Where it comes from; where that changes, from where to where. */
function sourceOf({ change, before, after }: ExplainedVariable): Line {
  const now = after ?? before
  if (now === undefined) return []
  const moves =
    change === 'changed' && before !== undefined && after !== undefined && !sameSource(before, after)
  const from = moves ? [...spansOf(placeOf(before), 'dim'), span(' -> ', 'dim')] : []
  return [...from, ...spansOf(placeOf(now))]
}

const sameSource = (a: VariableSource, b: VariableSource): boolean => a.set === b.set && a.rank === b.rank

function valuesOf({ change, before, after }: ExplainedVariable): Line {
  if (change !== 'changed' || before === undefined || after === undefined)
    return spansOf(shownOf(after ?? before))
  const same = JSON.stringify(shownOf(before)) === JSON.stringify(shownOf(after))
  return same
    ? spansOf(shownOf(after))
    : [...spansOf(shownOf(before)), span(' -> ', 'dim'), ...spansOf(shownOf(after))]
}

/** Longer texts are not for a table. */
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
} as const satisfies Record<VariableSource['way'], string>

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
