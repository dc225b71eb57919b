import type { AssignmentChange, Change, SettingChange, VariableChange } from '../change.ts'
import type { LineDifference } from '../line-diff.ts'
import { counted, name, place } from '../phrase.ts'
import { labelOf, lineCount, sizeText } from '../set-lines.ts'
import type { SetView } from '../sets.ts'
import type { Shown } from '../shown.ts'
import { kindsOfChange } from './kinds.ts'
import { EMPTY, html, joinedMarkup, type Markup } from './markup.ts'
import { phraseMarkup } from './phrase.ts'

/** One entry under a set: a sign and its word, what it is about, both sides, and what else there is to say. */
export function entryMarkup(change: Change, set: SetView): Markup {
  const kinds = kindsOfChange(change, set)
  const ended =
    change.status === 'planned' || change.status === set.status ? EMPTY : statusMarkup(change.status)
  const where =
    change.source === undefined || change.source.line === set.source?.line
      ? EMPTY
      : html`<div class="where">${phraseMarkup([place(change.source)])}</div>`
  return html`<li class="entry" data-kinds="${kinds.join(' ')}">${signMarkup(change, set)}<div class="about">${phraseMarkup(labelOf(change))}</div><div class="sides">${sidesMarkup(change)}${notesMarkup(change)} ${ended}</div>${where}${linesMarkup(change)}</li>
`
}

export const statusMarkup = (status: Change['status']): Markup =>
  html`<strong class="status ${status}">${status}</strong>`

const SIGN_CLASS = { '+': 'plus', '-': 'minus', '~': 'tilde' } as const

/** A sign for the eye and a word for the ear: colour adds nothing that is not there without it. */
export const sign = (change: Change['sign'], word: string): Markup =>
  html`<span class="sign ${SIGN_CLASS[change]}"><span aria-hidden="true">${change}</span><span class="ear">${word}: </span></span>`

function signMarkup(change: Change, set: SetView): Markup {
  if (change.kind === 'assignment')
    return sign(change.sign, change.sign === '-' || set.sign === '-' ? 'unassigned' : 'assigned')
  return sign(change.sign, { '+': 'created', '-': 'deleted', '~': 'changed' }[change.sign])
}

const sidesMarkup = (change: Change): Markup =>
  change.kind === 'assignment' ? namesMarkup(change) : valuesMarkup(change)

/** More names than anybody reads in one place. */
const MOST_NAMES = 200

function namesMarkup({ names }: AssignmentChange): Markup {
  const shown = names.slice(0, MOST_NAMES).map(text => phraseMarkup([name(text)]))
  const left = names.length - shown.length
  const more = left === 0 ? EMPTY : html` and ${left.toLocaleString('en-US')} more`
  if (names.length <= 12) return joinedMarkup(shown, ', ')
  return html`<details class="names"><summary>${joinedMarkup(shown.slice(0, 8), ', ')} and ${names.length - 8} more</summary>${joinedMarkup(shown.slice(8), ', ')}${more}</details>`
}

function valuesMarkup({ before, after, ...change }: SettingChange | VariableChange): Markup {
  if (change.lines !== undefined) return html`<span class="quiet">${lineCount(change.lines).text}</span>`
  const old = before.kind === 'absent' ? EMPTY : html`<del>${shownMarkup(before)}</del>`
  if (after.kind === 'absent' || (after.kind === 'external' && before.kind === 'absent')) return old
  if (before.kind === 'absent') return html`<ins>${shownMarkup(after)}</ins>`
  return html`${old} <span class="arrow" aria-hidden="true">→</span><span class="ear">becomes</span> <ins>${shownMarkup(after)}</ins>`
}

function shownMarkup(shown: Shown): Markup {
  switch (shown.kind) {
    case 'absent':
      return EMPTY
    case 'text':
      return html`<code>${shown.text === '' ? '""' : shown.text}</code>`
    case 'size':
      return html`<span class="quiet">${sizeText(shown.bytes)}, ${counted(shown.lines, 'line')}</span>`
    case 'secret': {
      const which = shown.secret === undefined ? EMPTY : html` <code>${shown.secret}</code>`
      const version = shown.version === undefined ? EMPTY : html` version <code>${shown.version}</code>`
      return html`<span class="secret">secret${which}${version}</span>`
    }
    case 'hidden':
      return html`<span class="quiet">not shown</span>`
    case 'external':
      return html`<span class="quiet">external</span>`
    case 'owner':
      return shown.project === undefined
        ? html`organization`
        : html`project ${phraseMarkup([name(shown.project)])}`
  }
}

function notesMarkup(change: Change): Markup {
  if (change.notes.length === 0) return EMPTY
  const grave = change.kind === 'variable' && change.irreversible ? ' grave' : ''
  return html` <span class="notes${grave}">${joinedMarkup(change.notes.map(phraseMarkup), ' · ')}</span>`
}

const linesMarkup = (change: Change): Markup =>
  change.kind !== 'variable' || change.lines === undefined || change.lines.hunks.length === 0
    ? EMPTY
    : html`<pre class="lines" tabindex="0" role="group" aria-label="Lines that differ">${hunkMarkup(change.lines)}</pre>`

/** Each line keeps its sign, so that the difference can be read, copied and printed without colour. */
function hunkMarkup({ hunks, left }: LineDifference): Markup {
  const lines = hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [html`<span class="quiet">  …\n</span>`]),
    ...hunk.map(({ sign: mark, text }) =>
      mark === '+'
        ? html`<ins>+ ${text}\n</ins>`
        : mark === '-'
          ? html`<del>- ${text}\n</del>`
          : html`<span>${mark} ${text}\n</span>`,
    ),
  ])
  const more =
    left === 0 ? EMPTY : html`<span class="quiet">  … and ${counted(left, 'changed line')} more</span>`
  return html`${lines}${more}`
}
