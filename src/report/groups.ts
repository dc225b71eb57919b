import type { SourceRange } from '../model/diagnostic.ts'
import { aligned, type Line, painted, SIGN_STYLE, span, spansOf } from './layout.ts'
import { counted, name, place, say } from './phrase.ts'

interface ShownWorkspace {
  readonly name: string
  readonly id: string
}

/** How the list of a group differs from the service (`GroupDifference` of src/run/groups.ts). */
interface ShownGroup {
  readonly group: string
  readonly source: SourceRange
  readonly selects: boolean
  readonly listed: number
  readonly selected: number
  readonly added: readonly ShownWorkspace[]
  readonly removed: readonly (ShownWorkspace & { readonly why: 'gone' | 'unselected' })[]
  readonly renamed: readonly (ShownWorkspace & { readonly before: string })[]
}

interface GroupsLayout {
  readonly color: boolean
  readonly verbose?: boolean
  /** Groups that differ and were not rewritten. */
  readonly left: number
}

/** Each group that differs, with who enters and leaves it, and what to do. */
export function groupsText(
  groups: readonly ShownGroup[],
  { color, verbose = false, left }: GroupsLayout,
): string {
  const isDifferent = ({ added, removed, renamed }: ShownGroup): boolean =>
    added.length + removed.length + renamed.length > 0
  const different = groups.filter(isDifferent)
  const lines = groups.filter(one => verbose || isDifferent(one)).flatMap(linesOf)
  const rewritten = different.length - left
  const total =
    groups.length === 0
      ? 'There are no groups.'
      : different.length === 0
        ? `${counted(groups.length, 'group')}: no list differs from the service.`
        : `${counted(groups.length, 'group')}: ${different.length} differ${different.length === 1 ? 's' : ''} from the service.${rewritten > 0 ? ` Rewritten: ${rewritten}. Review the change in Git.` : ''}`
  const hint = left > 0 ? ['To rewrite the lists: setpoint groups --update'] : []
  return painted([...lines, ...[total, ...hint].map(text => [span(text)])], color)
}

function linesOf(group: ShownGroup): Line[] {
  const { listed, selected, selects, added, removed, renamed } = group
  const count = selects
    ? `${counted(listed, 'workspace')} listed, ${selected} selected`
    : `${counted(listed, 'workspace')} listed by hand`
  const rows = [
    ...added.map(one => rowOf('+', one, '')),
    ...removed.map(one =>
      rowOf('-', one, one.why === 'gone' ? 'gone from the service' : 'no longer selected'),
    ),
    ...renamed.map(one => rowOf('~', one, 'renamed', one.before)),
  ]
  const called = aligned(rows, row => row.called)
  return [
    [...spansOf(say`${name(group.group)}  ${count}   `), ...spansOf([place(group.source)], 'dim')],
    ...rows.map(row => [...row.start, ...called(row), span('  '), ...row.rest]),
  ]
}

const rowOf = (sign: keyof typeof SIGN_STYLE, one: ShownWorkspace, why: string, before?: string) => ({
  start: [span(`    ${sign} `, SIGN_STYLE[sign])],
  called: spansOf(before === undefined ? [name(one.name)] : say`${name(before)} -> ${name(one.name)}`),
  rest: [...spansOf([name(one.id)], 'dim'), ...(why === '' ? [] : [span(`  ${why}`)])],
})
