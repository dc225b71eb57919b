import type { SourceRange } from '../model/diagnostic.ts'
import type { GroupMember } from '../model/variable-set.ts'
import { aligned, type Line, painted, SIGN_STYLE, span, spansOf } from './layout.ts'
import { counted, name, place, say } from './phrase.ts'

type ShownWorkspace = Pick<GroupMember, 'name' | 'id'>

/** How the list of a group differs from the service. */
export interface GroupDifference {
  readonly group: string
  readonly source: SourceRange
  /** It has a selection, and is not kept by hand. */
  readonly selects: boolean
  /** Workspaces in the list, and those that the service would have in it. */
  readonly listed: number
  readonly selected: number
  readonly added: readonly ShownWorkspace[]
  /** `gone`: the service no longer shows it. `unselected`: the selection no longer matches it. */
  readonly removed: readonly (ShownWorkspace & { readonly why: 'gone' | 'unselected' })[]
  readonly renamed: readonly (ShownWorkspace & { readonly before: string })[]
}

export const differs = ({ added, removed, renamed }: GroupDifference): boolean =>
  added.length + removed.length + renamed.length > 0

interface GroupsLayout {
  readonly color: boolean
  readonly verbose?: boolean
  /** Groups that differ and were not rewritten. */
  readonly left: number
}

/** Each group that differs, with who enters and leaves it, and what to do. */
export function groupsText(
  groups: readonly GroupDifference[],
  { color, verbose = false, left }: GroupsLayout,
): string {
  const different = groups.filter(differs)
  const lines = groups.filter(one => verbose || differs(one)).flatMap(linesOf)
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

function linesOf(group: GroupDifference): Line[] {
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
  const serviceName = aligned(rows, row => row.serviceName)
  return [
    [...spansOf(say`${name(group.group)}  ${count}   `), ...spansOf([place(group.source)], 'dim')],
    ...rows.map(row => [...row.start, ...serviceName(row), span('  '), ...row.rest]),
  ]
}

const rowOf = (sign: keyof typeof SIGN_STYLE, one: ShownWorkspace, why: string, before?: string) => ({
  start: [span(`    ${sign} `, SIGN_STYLE[sign])],
  serviceName: spansOf(before === undefined ? [name(one.name)] : say`${name(before)} -> ${name(one.name)}`),
  rest: [...spansOf([name(one.id)], 'dim'), ...(why === '' ? [] : [span(`  ${why}`)])],
})
