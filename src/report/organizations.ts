import { reasonMarkdown } from './comment-text.ts'
import type { FailureReport } from './failure-doc.ts'
import { aligned, painted, span, spansOf } from './layout.ts'
import { NOTHING_CHANGES, saysNothing } from './markdown.ts'
import { codeCell, codeSpan, sealLines } from './neutralise.ts'
import { command, counted, joined, name, type Phrase, say } from './phrase.ts'
import { COMMENT_LIMIT, phraseMarkdown } from './print-markdown.ts'
import type { TextOptions } from './print-text.ts'
import type { Review, ToldFinding } from './review.ts'
import type { View } from './view.ts'

export interface PartView {
  readonly configuration: string
  /** Exit code of its run; undefined if it was not started. */
  readonly code?: number
  /** Undefined if there is no report, only errors. */
  readonly view?: View
  /** The errors. */
  readonly failure?: FailureReport
}

const isApplied = ({ view }: PartView): boolean => view?.end?.ok === true
/** Nothing differs, and nothing was written. */
const isEqual = (part: PartView): boolean =>
  part.view?.sets.length === 0 && part.code === 0 && !isApplied(part)

/** `3 organizations: 1 with changes, 1 equal, 1 failed`. */
function headlineOf(parts: readonly PartView[]): string {
  const count = (is: (part: PartView) => boolean): number => parts.filter(is).length
  const failed = ({ view, code = 0 }: PartView): boolean => (view === undefined ? code !== 0 : isError(code))
  const isRefused = (part: PartView): boolean => part.view !== undefined && part.code === 4
  const isOpen = (part: PartView): boolean =>
    part.view !== undefined && !isEqual(part) && !isApplied(part) && !failed(part) && !isRefused(part)
  const figures = [
    [count(isOpen), 'with changes'],
    [count(isApplied), 'applied'],
    [count(isEqual), 'equal'],
    [count(part => part.view === undefined && part.code === 0), 'done'],
    [count(part => isRefused(part) && part.view?.approve !== undefined), 'blocked'],
    [count(part => isRefused(part) && part.view?.approve === undefined), 'refused'],
    [count(failed), 'failed'],
    [count(part => part.code === undefined), 'not started'],
  ] as const
  const told = figures.filter(([many]) => many > 0).map(([many, what]) => `${many} ${what}`)
  return `${counted(parts.length, 'organization')}: ${told.join(', ')}`
}

function wordOf({ code, view }: PartView): Phrase {
  if (code === undefined) return ['not started']
  if (view === undefined) return [code === 0 ? 'done' : `failed, exit ${code}`]
  const { kind, approve, headline } = view
  // An apply that failed before its first write has only its plan to show.
  const failed = kind === 'plan' && isError(code) && `failed, exit ${code}; planned: `
  const refused = kind === 'plan' && code === 4 && approve === undefined && 'refused; planned: '
  return say`${failed || refused}${headline}${approve && ' - blocked'}`
}

/** Neither success, nor pending changes, nor a refusal. */
const isError = (code: number): boolean => code !== 0 && code !== 2 && code !== 4

/** All digits, for approval; only plans with changes have a digest to approve. */
const digestOf = ({ view }: PartView): string | undefined =>
  view?.kind === 'plan' && view.sets.length > 0 ? view.digest : undefined

/**
 * A line for each configuration that is not equal, or for all if `verbose`, and the counts at the end: a log whose last lines are kept, as
 * those of a pod are, says what differs.
 */
export function severalText(all: readonly PartView[], { color, verbose }: TextOptions): string {
  const parts = verbose === true ? all : all.filter(part => !isEqual(part))
  const start = aligned(parts, ({ configuration }) => [span('  '), ...spansOf([name(configuration)])], 60)
  const lines = parts.map(part => {
    const digest = digestOf(part)
    const shown = digest === undefined ? [] : [span('  '), span(digest, 'dim')]
    const style = part.code === 0 || part.code === 2 ? undefined : 'red'
    return [...start(part), span('  '), ...spansOf(wordOf(part), style), ...shown]
  })
  return painted([[], ...lines, [span(headlineOf(all), 'bold')]], color)
}

/** One comment: a line for each configuration that is not equal, then each report within its share of the limit. */
export function severalMarkdown(
  parts: readonly PartView[],
  render: (view: View, limit: number) => string,
  limit: number = COMMENT_LIMIT,
): string {
  const rows = parts
    .filter(part => !isEqual(part))
    .map(part => {
      const digest = digestOf(part)
      const shown = digest === undefined ? '' : codeSpan(digest)
      return `| ${codeCell(part.configuration)} | ${phraseMarkdown(wordOf(part))} | ${shown} |`
    })
  const start = [
    '<!-- setpoint:several -->',
    ...(parts.every(({ view, code }) => code === 0 && (view === undefined || saysNothing(view)))
      ? [NOTHING_CHANGES]
      : []),
    `### Setpoint ${headlineOf(parts)}`,
    ...(rows.length === 0 ? [] : ['', '| configuration | what | digest |', '|-|-|-|', ...rows]),
  ].join('\n')
  const shown = parts.flatMap(part => {
    if (part.failure !== undefined) return [part]
    return part.view === undefined || saysNothing(part.view) ? [] : [part]
  })
  const share = Math.floor((limit - start.length) / Math.max(1, shown.length)) - 100
  const bodyOf = (part: PartView, limit: number): string =>
    part.failure === undefined
      ? part.view === undefined
        ? ''
        : render(part.view, limit).replace(MARKS, '')
      : failedBody(part, part.failure, limit)
  // With less room a report would be only its heading.
  const bodies = share < LEAST ? [TOO_MANY] : shown.map(part => bodyOf(part, share))
  return sealLines(`${[start, ...bodies].join('\n\n')}\n`)
}

const failedBody = ({ configuration }: PartView, failure: FailureReport, limit: number): string =>
  `### ${codeSpan(configuration)}\n\n${reasonMarkdown(failure, undefined, limit)}`

const MARKS = /^(?:<!-- [^\n]* -->\n)+/
const LEAST = 2_500
const TOO_MANY = 'The reports of the organizations are left out here; see the log or the JSON report.'

/** One view for formats with a single page; sets carry the name of their organization. */
export function mergedView(parts: readonly PartView[]): View {
  const views = parts.flatMap(({ view }) => view ?? [])
  const silent = parts.filter(({ view }) => view === undefined)
  const [first] = views
  return {
    kind: first?.kind ?? 'plan',
    address: first?.address ?? 'no service',
    organization: counted(parts.length, 'organization'),
    requests: joined(
      views.map(({ organization, requests }) => say`${name(organization)} ${requests}`),
      ', ',
    ),
    headline: [headlineOf(parts)],
    review: mergedReview(views, silent),
    sets: views.flatMap(({ organization, sets }) =>
      sets.map(set => ({ ...set, name: `${organization}: ${set.name}` })),
    ),
    warnings: parts.flatMap(({ view, failure }) => view?.warnings ?? failure?.diagnostics ?? []),
    totals: [
      ...views.flatMap(({ organization, totals }) =>
        totals.map(total => ({ ...total, phrase: say`${name(organization)} ${total.phrase}` })),
      ),
      ...parts.flatMap(part => {
        const digest = digestOf(part)
        return digest === undefined
          ? []
          : [{ label: 'Digest', phrase: say`${name(part.configuration)} ${command(digest)}` }]
      }),
    ],
    cost: [],
  }
}

function mergedReview(views: readonly View[], silent: readonly PartView[]): Review {
  const failed = silent.map(
    (part): ToldFinding => ({
      kind: 'blocked',
      phrase: say`${name(part.configuration)}: ${wordOf(part)}`,
    }),
  )
  const of = (which: 'every' | 'shown'): ToldFinding[] =>
    views.flatMap(({ organization, review }) =>
      review[which].map(one => ({ ...one, phrase: say`${name(organization)}: ${one.phrase}` })),
    )
  const more = views.find(({ review }) => review.more !== undefined)?.review.more
  return {
    every: [...failed, ...of('every')],
    shown: [...failed, ...of('shown')],
    more: more && ['see the report of each organization for the rest'],
  }
}
