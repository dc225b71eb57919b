import { toJson } from '../model/json.ts'
import type {
  ExplainedVariable,
  Explanation,
  StackExplanation,
  StackWay,
  VariableSource,
  WinningSource,
} from '../plan/effective/explanation.ts'
import { aligned, inSections, type Line, lineText, painted, SIGN_STYLE, span, spansOf } from './layout.ts'
import { phraseMarkdown, plainOrCode } from './markdown-blocks.ts'
import { codeBlock, sealLines } from './neutralise.ts'
import {
  counted,
  figure,
  groupsPhrase,
  keysPhrase,
  name,
  type Phrase,
  place,
  present,
  say,
  servicePhrase,
  value,
} from './phrase.ts'
import type { TextOptions } from './text.ts'

/** Version of the JSON form: new members raise the second number, breaking changes the first. */
const EXPLANATION_FORMAT = '2.0'

/** What a workspace receives, or what a Stack may read. */
export type Explained = Explanation | StackExplanation

/** schemas/parts/explanation.json. */
export type ExplanationDocument =
  | (Explanation & { readonly format: string; readonly kind: 'explanation' })
  | (StackExplanation & { readonly format: string; readonly kind: 'stack-explanation' })

export const explanationJson = (explained: Explained): string =>
  toJson<ExplanationDocument>(
    'stack' in explained
      ? { format: EXPLANATION_FORMAT, kind: 'stack-explanation', ...explained }
      : { format: EXPLANATION_FORMAT, kind: 'explanation', ...explained },
  )

export function explanationText(
  explained: Explained,
  reads: number,
  { color, verbose }: TextOptions,
): string {
  const { headline, rows } = tableOf(explained, verbose)
  const notes = explained.notes.map(note => [span(note, 'dim')])
  const sections = [[headerOf(explained, reads), [span(headline)]], rows, notes]
  return painted(inSections(sections), color)
}

/** One fenced block: what a terminal shows, in a comment. */
export function explanationMarkdown(explained: Explained): string {
  const { headline, rows } = tableOf(explained)
  const { name, id } = subjectOf(explained)
  const who = `${plainOrCode(name ?? id)} of ${plainOrCode(explained.organization)}`
  // In a `diff` block forges colour `!` as changed.
  const lines = rows.map(line => lineText(line).trimEnd().replace(/^~/, '!'))
  const parts = [
    `### What ${'stack' in explained ? `the Stack ${who} may read` : `${who} receives`}`,
    headline,
    ...(lines.length === 0 ? [] : [codeBlock(lines, 'diff')]),
    ...explained.notes.map(note => `- ${phraseMarkdown([note])}`),
  ]
  return sealLines(`${parts.join('\n\n')}\n`)
}

const subjectOf = (explained: Explained) => ('stack' in explained ? explained.stack : explained.workspace)

function tableOf(
  explained: Explained,
  verbose?: boolean,
): { readonly headline: string; readonly rows: Line[] } {
  const [all, noun] = 'stack' in explained ? [explained.sets, 'set'] : [explained.variables, 'variable']
  const changes = all.filter(({ change }) => change !== 'same').length
  const changed = `, ${changes === 0 ? 'none' : figure(changes)} of them changed`
  const { moment } = explained
  return {
    headline: `${MOMENTS[moment]}: ${counted(all.length, noun)}${moment === 'difference' ? changed : ''}.`,
    rows: 'stack' in explained ? setRows(explained) : variableRows(explained, verbose),
  }
}

function headerOf(explained: Explained, reads: number): Line {
  const { id, name: called, project } = subjectOf(explained)
  const owning = project?.name ?? project?.id
  const groups = 'workspace' in explained ? explained.workspace.groups : undefined
  return [
    span('setpoint explain', 'bold'),
    span(' '),
    ...spansOf([name(called ?? id)], 'bold'),
    span('   '),
    ...spansOf(
      say`${servicePhrase(explained.organization, explained.address)}${owning && say`   project ${name(owning)}`}${groups && say`   ${groupsPhrase(groups)}`}`,
    ),
    span(`   ${counted(reads, 'read')}, 0 writes`, 'dim'),
  ]
}

const MOMENTS = {
  live: 'In the service now',
  files: 'After the files are applied',
  difference: 'After this plan is applied',
} as const satisfies Record<Explanation['moment'], string>

const SIGNS = { gained: '+', lost: '-', changed: '~' } as const

/** The sign of a change, and what it is about. */
const startOf = (change: ExplainedVariable['change'], label: Line): Line => [
  change === 'same' ? span('  ') : span(`${SIGNS[change]} `, SIGN_STYLE[SIGNS[change]]),
  ...label,
  span('  '),
]

function variableRows({ variables }: Explanation, verbose = false): Line[] {
  const label = aligned(variables, ({ key }) => spansOf(keysPhrase([key])), 40)
  const text = aligned(variables, valuesOf, 40)
  return variables.flatMap(variable => {
    const now = variable.after ?? variable.before
    const below = [
      ...(verbose && now?.source !== undefined ? [spansOf([place(now.source)], 'dim')] : []),
      ...(now?.shadows ?? []).map(shadowOf),
    ]
    return [
      [...startOf(variable.change, label(variable)), ...text(variable), span('  '), ...sourceOf(variable)],
      ...below.map((row): Line => [BELOW, ...row]),
    ]
  })
}

const BELOW = span('      ')

/** The source of a value; if it changes, the old and the new one. */
function sourceOf({ change, before, after }: ExplainedVariable): Line {
  const now = after ?? before
  if (now === undefined) return []
  const moves = change === 'changed' && (before?.set !== now.set || before?.rank !== now.rank)
  const from = moves && before !== undefined ? spansOf([...placeOf(before), ' -> '], 'dim') : []
  return [...from, ...spansOf(placeOf(now))]
}

function valuesOf({ change, before, after }: ExplainedVariable): Line {
  const now = shownOf(after ?? before)
  const was = before && shownOf(before)
  if (change !== 'changed' || !was || JSON.stringify(was) === JSON.stringify(now)) return spansOf(now)
  return [...spansOf(was), span(' -> ', 'dim'), ...spansOf(now)]
}

/** Longer texts do not fit into the table. */
const INLINE = 80

function shownOf(given: VariableSource | WinningSource | undefined): Phrase {
  if (given?.secret) return ['(secret)']
  if (given?.text === undefined) return ['(not shown)']
  const { text } = given
  if (text.length <= INLINE && !/[\n\r]/.test(text)) return say`${value(text)}${given.hcl && ', hcl'}`
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
  const how = present(priority && 'priority', projectOwned && 'owned by a project', WAYS[way], `rank ${rank}`)
  return say`${name(set)} (${how.join(', ')})`
}

const WHY = {
  priority: 'has no priority',
  scope: 'a weaker rank',
  name: 'its name sorts later',
} as const satisfies Record<WinningSource['shadows'][number]['why'], string>

const shadowOf = (given: WinningSource['shadows'][number]): Line =>
  spansOf(say`shadows ${shownOf(given)} of ${placeOf(given)}: ${WHY[given.why]}`, 'dim')

function setRows({ sets }: StackExplanation): Line[] {
  const label = aligned(sets, ({ set }) => spansOf([name(set)]), 40)
  return sets.flatMap(one => {
    const { change, ways, variables } = one
    const start = startOf(change, label(one))
    const how = ways.map(way => WAYS[way]).join(', ')
    const below = variables.map(({ key, secret }) => say`${keysPhrase([key])}${secret && ' (secret)'}`)
    return [[...start, span(how)], ...below.map((one): Line => [BELOW, ...spansOf(one, 'dim')])]
  })
}
