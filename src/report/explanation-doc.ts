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
import type { Doc, Row } from './doc.ts'
import {
  became,
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
  value,
  words,
} from './phrase.ts'
import { aboutOf } from './plan-doc.ts'

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

/** Of whom, the sentence, each variable or set with its source, and what is not told. `reads`: requests sent. */
export function explanationDoc(explained: Explained, reads: number, verbose = false): Doc {
  const { organization, address, moment, notes } = explained
  const isKey = 'asked' in explained
  const project = isKey ? undefined : subjectOf(explained).project
  const owning = project?.name ?? project?.id
  const groups = 'workspace' in explained ? explained.workspace.groups : undefined
  return {
    command: isKey ? 'explain --key' : 'explain',
    about: present<Phrase>(
      [name(titleOf(explained))],
      ...aboutOf({ organization, address }),
      owning !== undefined && say`project ${name(owning)}`,
      groups && groupsPhrase(groups),
      [words(counted(reads, 'read'), 'quiet')],
    ),
    headline: [`${MOMENTS[moment]}: ${isKey ? keySummary(explained) : summaryOf(explained)}`],
    sections: [
      { form: 'changes', rows: rowsOf(explained, verbose) },
      { form: 'changes', rows: 'stack' in explained ? [] : (explained.missing ?? []).map(missingRow) },
      { form: 'lines', rows: notes.map(note => quiet([note])) },
    ],
  }
}

const subjectOf = (explained: Explanation | StackExplanation) =>
  'stack' in explained ? explained.stack : explained.workspace

/** The name of what is explained. */
const titleOf = (explained: Explained): string => {
  if ('asked' in explained) return explained.asked
  const { name, id } = subjectOf(explained)
  return name ?? id
}

const MOMENTS = {
  live: 'In the service now',
  files: 'After the files are applied',
  difference: 'After this plan is applied',
} as const satisfies Record<Explanation['moment'], string>

const changesOf = (count: number): string => `, ${count === 0 ? 'none' : figure(count)} of them changed`

function summaryOf(explained: Explanation | StackExplanation): string {
  const [all, noun] = 'stack' in explained ? [explained.sets, 'set'] : [explained.variables, 'variable']
  const changes = all.filter(({ change }) => change !== 'same').length
  return `${counted(all.length, noun)}${explained.moment === 'difference' ? changesOf(changes) : ''}.`
}

/** `received by 3 workspaces, 1 of them changed.` */
function keySummary({ moment, received }: KeyExplanation): string {
  const all = received.flatMap(({ receivers }) => receivers)
  const told = new Set(all.flatMap(({ kind, id }) => (kind === 'workspace' ? [id] : []))).size
  const more = all.some(({ kind }) => kind !== 'workspace')
  const changed = new Set(
    received.flatMap(({ change, receivers }) =>
      change === 'same' ? [] : receivers.map(({ kind, id }) => id ?? kind),
    ),
  ).size
  return `received by ${counted(told, 'workspace')}${more ? ', and by others that the service does not show' : ''}${moment === 'difference' ? changesOf(changed) : ''}.`
}

function rowsOf(explained: Explained, verbose: boolean): Row[] {
  if ('stack' in explained) return explained.sets.map(setRow)
  if (!('asked' in explained))
    return [
      ...explained.variables.map(one => variableRow(one, verbose)),
      ...(explained.missing ?? []).map(missingRow),
    ]
  const { received, unreceived } = explained
  return [
    ...received.map(one => variableRow(one, verbose)),
    ...unreceived.map(({ key, set }) => ({
      cells: [keysPhrase([key]), say`of ${name(set)}, which no workspace receives`],
    })),
  ]
}

const SIGNS = { gained: '+', lost: '-', changed: '~', same: undefined } as const

const quiet = (cell: Phrase): Row => ({ tone: 'quiet', cells: [cell] })

function variableRow(variable: ExplainedVariable & Partial<ReceivedKey>, verbose: boolean): Row {
  const now = variable.after ?? variable.before
  return {
    mark: SIGNS[variable.change],
    cells: [keysPhrase([variable.key]), valuesOf(variable), sourceOf(variable)],
    rows: [
      ...(variable.receivers === undefined ? [] : [{ cells: [receiversOf(variable.receivers, verbose)] }]),
      ...present(verbose && now?.source && quiet([place(now.source)])),
      ...(now?.shadows ?? []).map(one => quiet(shadowOf(one))),
    ],
  }
}

const missingRow = ({ key, set, source }: KeyExplanation['missing'][number]): Row => ({
  mark: '!',
  tone: 'heed',
  cells: [
    keysPhrase([key]),
    say`external in ${name(set)}${source && say` (${place(source)})`}, and missing in the service`,
  ],
})

/** Those that the set lists, then those with a line of their own. All of them with --verbose. */
function receiversOf(receivers: readonly Receiver[], verbose: boolean): Phrase {
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
    receivers.some(({ kind }) => kind === 'others') && ['others, which the service does not show'],
  ]
  return joined(present(...parts), '; ')
}

/** The source of a value; if it changes, the old and the new one. */
function sourceOf({ change, before, after }: ExplainedVariable): Phrase {
  const now = after ?? before
  if (now === undefined) return []
  const moves = change === 'changed' && (before?.set !== now.set || before?.rank !== now.rank)
  return moves && before ? became(placeOf(before), placeOf(now)) : placeOf(now)
}

function valuesOf({ change, before, after }: ExplainedVariable): Phrase {
  const now = shownOf(after ?? before)
  const was = before && shownOf(before)
  if (change !== 'changed' || !was || JSON.stringify(was) === JSON.stringify(now)) return now
  return became(was, now)
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

const shadowOf = (given: WinningSource['shadows'][number]): Phrase =>
  say`overrides ${shownOf(given)} of ${placeOf(given)}: ${WHY[given.why]}`

const setRow = ({ set, change, ways, variables }: StackExplanation['sets'][number]): Row => ({
  mark: SIGNS[change],
  cells: [[name(set)], [ways.map(way => WAYS[way]).join(', ')]],
  rows: variables.map(({ key, secret }) => quiet(say`${keysPhrase([key])}${secret && ' (secret)'}`)),
})
