import { toJson } from '../model/json.ts'
import type {
  ExplainedVariable,
  Explanation,
  KeyExplanation,
  ReceivedKey,
  Receiver,
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
  joined,
  keysPhrase,
  listed,
  name,
  type Phrase,
  place,
  placesPhrase,
  present,
  say,
  servicePhrase,
  value,
} from './phrase.ts'
import type { TextOptions } from './text.ts'

/** Version of the JSON form: new members raise the second number, breaking changes the first. */
const EXPLANATION_FORMAT = '2.1'

/** What a workspace receives, what a Stack may read, or who receives a key. */
export type Explained = Explanation | StackExplanation | KeyExplanation

/** schemas/parts/explanation.json. */
export type ExplanationDocument =
  | (Explanation & { readonly format: string; readonly kind: 'explanation' })
  | (StackExplanation & { readonly format: string; readonly kind: 'stack-explanation' })
  | (KeyExplanation & { readonly format: string; readonly kind: 'key-explanation' })

export const explanationJson = (explained: Explained): string =>
  toJson<ExplanationDocument>(
    'stack' in explained
      ? { format: EXPLANATION_FORMAT, kind: 'stack-explanation', ...explained }
      : 'asked' in explained
        ? { format: EXPLANATION_FORMAT, kind: 'key-explanation', ...explained }
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
  const who = `${plainOrCode(titleOf(explained))} of ${plainOrCode(explained.organization)}`
  // In a `diff` block forges colour `!` as changed.
  const lines = rows.map(line => lineText(line).trimEnd().replace(/^~/, '!'))
  const parts = [
    `### ${'asked' in explained ? `Who receives ${who}` : 'stack' in explained ? `What the Stack ${who} may read` : `What ${who} receives`}`,
    headline,
    ...(lines.length === 0 ? [] : [codeBlock(lines, 'diff')]),
    ...explained.notes.map(note => `- ${phraseMarkdown([note])}`),
  ]
  return sealLines(`${parts.join('\n\n')}\n`)
}

const subjectOf = (explained: Explanation | StackExplanation) =>
  'stack' in explained ? explained.stack : explained.workspace

/** The name of what is explained. */
const titleOf = (explained: Explained): string => {
  if ('asked' in explained) return explained.asked
  const { name, id } = subjectOf(explained)
  return name ?? id
}

function tableOf(
  explained: Explained,
  verbose?: boolean,
): { readonly headline: string; readonly rows: Line[] } {
  if ('asked' in explained) return { headline: keyHeadline(explained), rows: keyRows(explained, verbose) }
  const [all, noun] = 'stack' in explained ? [explained.sets, 'set'] : [explained.variables, 'variable']
  const changes = all.filter(({ change }) => change !== 'same').length
  const changed = `, ${changes === 0 ? 'none' : figure(changes)} of them changed`
  const { moment } = explained
  return {
    headline: `${MOMENTS[moment]}: ${counted(all.length, noun)}${moment === 'difference' ? changed : ''}.`,
    rows:
      'stack' in explained
        ? setRows(explained)
        : [...variableRows(explained, verbose), ...(explained.missing ?? []).map(missingRow)],
  }
}

function headerOf(explained: Explained, reads: number): Line {
  const project = 'asked' in explained ? undefined : subjectOf(explained).project
  const owning = project?.name ?? project?.id
  const groups = 'workspace' in explained ? explained.workspace.groups : undefined
  return [
    span(`setpoint explain${'asked' in explained ? ' --key' : ''}`, 'bold'),
    span(' '),
    ...spansOf([name(titleOf(explained))], 'bold'),
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

function variableRows(
  { variables }: { readonly variables: readonly (ExplainedVariable & Partial<ReceivedKey>)[] },
  verbose = false,
): Line[] {
  const label = aligned(variables, ({ key }) => spansOf(keysPhrase([key])), 40)
  const text = aligned(variables, valuesOf, 40)
  return variables.flatMap(variable => {
    const now = variable.after ?? variable.before
    const below = [
      ...(variable.receivers === undefined ? [] : [receiversOf(variable.receivers, verbose)]),
      ...(verbose && now?.source !== undefined ? [spansOf([place(now.source)], 'dim')] : []),
      ...(now?.shadows ?? []).map(shadowOf),
    ]
    return [
      [...startOf(variable.change, label(variable)), ...text(variable), span('  '), ...sourceOf(variable)],
      ...below.map((row): Line => [BELOW, ...row]),
    ]
  })
}

/** `received by 3 workspaces, 1 of them changed.` */
function keyHeadline({ moment, received }: KeyExplanation): string {
  const all = received.flatMap(({ receivers }) => receivers)
  const told = new Set(all.flatMap(({ kind, id }) => (kind === 'workspace' ? [id] : []))).size
  const more = all.some(({ kind }) => kind !== 'workspace')
  const changed = new Set(
    received.flatMap(({ change, receivers }) =>
      change === 'same' ? [] : receivers.map(({ kind, id }) => id ?? kind),
    ),
  ).size
  const changes = `, ${changed === 0 ? 'none' : figure(changed)} of them changed`
  return `${MOMENTS[moment]}: received by ${counted(told, 'workspace')}${more ? ', and by more that are not told' : ''}${moment === 'difference' ? changes : ''}.`
}

function keyRows({ received, unreceived, missing }: KeyExplanation, verbose?: boolean): Line[] {
  return [
    ...variableRows({ variables: received }, verbose),
    ...unreceived.map(
      ({ key, set }): Line =>
        spansOf(say`  ${keysPhrase([key])}  of ${name(set)}, which no workspace receives`),
    ),
    ...missing.map(missingRow),
  ]
}

const missingRow = ({ key, set, source }: KeyExplanation['missing'][number]): Line =>
  spansOf(
    say`! ${keysPhrase([key])}  external in ${name(set)}${source && say` (${place(source)})`}, and missing in the service`,
    'yellow',
  )

/** Those that the set lists, then those with a line of their own. All of them with --verbose. */
function receiversOf(receivers: readonly Receiver[], verbose: boolean): Line {
  const most = verbose ? Number.POSITIVE_INFINITY : 10
  const listedAs = (
    kind: Receiver['kind'],
    words: readonly [one: string, more: string],
    isBeside: boolean,
  ) => {
    const some = receivers.filter(one => one.kind === kind && (one.assignedAt !== undefined) === isBeside)
    const names = some.flatMap(({ id, name: called }) => called ?? id ?? [])
    const lines = some.flatMap(({ assignedAt }) => assignedAt ?? [])
    return (
      names.length > 0 &&
      say`${words[names.length === 1 ? 0 : 1]} ${listed(names, most)}${isBeside && say`, at ${placesPhrase(lines, verbose ? most : undefined)}`}`
    )
  }
  const workspaces = ['workspace', 'workspaces'] as const
  const projects = ['all workspaces of project', 'all workspaces of projects'] as const
  const parts = [
    listedAs('workspace', workspaces, false),
    listedAs('workspace', workspaces, true),
    listedAs('project', projects, false),
    listedAs('project', projects, true),
    receivers.some(({ kind }) => kind === 'others') && ['workspaces that are not told'],
  ]
  return spansOf(joined(present(...parts), '; '))
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
function placeOf({ set, way, rank, priority, projectOwned, groups, assignedAt }: VariableSource): Phrase {
  if (set === undefined) return [`${WAYS[way]} (rank ${rank})`]
  const kind = present(priority && 'priority', projectOwned && 'owned by a project', WAYS[way]).join(', ')
  return say`${name(set)} (${kind}${groups && say` through ${groupsPhrase(groups)}`}${assignedAt && say` at ${place(assignedAt)}`}, rank ${String(rank)})`
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
