import type { SourceRange } from '../model/diagnostic.ts'
import type { GroupMember } from '../model/variable-set.ts'
import { commandLine, type TypedCommand } from './command-line.ts'
import type { Doc, Row } from './doc.ts'
import { became, counted, figure, name, type Phrase, say, words } from './phrase.ts'

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

interface GroupsRun {
  readonly organization: string
  /** Groups that differ and were not rewritten. */
  readonly left: number
  readonly typed?: TypedCommand
}

/** Each group that differs, with who enters and leaves it, and what to do; the others folded. */
export function groupsDoc(groups: readonly GroupDifference[], { organization, left, typed }: GroupsRun): Doc {
  const update = typed && commandLine(typed).without('--update', '--detailed-exitcode').withSwitch('--update')
  const different = groups.filter(differs)
  const rewritten = different.length - left
  const headline =
    groups.length === 0
      ? 'There are no groups.'
      : different.length === 0
        ? `${counted(groups.length, 'group')}: no list differs from the service.`
        : `${counted(groups.length, 'group')}: ${figure(different.length)} differ${different.length === 1 ? 's' : ''} from the service.${rewritten > 0 ? ` Rewritten: ${figure(rewritten)}. Review the change in Git.` : ''}`
  return {
    command: 'groups',
    about: [[name(organization)]],
    headline: [headline],
    sections: [
      { form: 'changes', rows: different.map(rowOf) },
      { form: 'changes', rows: groups.filter(one => !differs(one)).map(rowOf), folded: true },
      {
        form: 'lines',
        rows: left > 0 && update ? [{ cells: [say`To rewrite the lists: ${update.quote}`] }] : [],
      },
    ],
  }
}

function rowOf(given: GroupDifference): Row {
  const { group, source, listed, selected, selects, added, removed, renamed } = given
  const count = selects
    ? `${counted(listed, 'workspace')} listed, ${figure(selected)} selected`
    : `${counted(listed, 'workspace')} listed by hand`
  return {
    mark: differs(given) ? '~' : undefined,
    cells: [[name(group)], [count]],
    source,
    rows: [
      ...added.map(one => memberRow('+', [name(one.name)], one)),
      ...removed.map(one =>
        memberRow(
          '-',
          [name(one.name)],
          one,
          one.why === 'gone' ? 'gone from the service' : 'no longer selected',
        ),
      ),
      ...renamed.map(one => memberRow('~', became([name(one.before)], [name(one.name)]), one, 'renamed')),
    ],
  }
}

const memberRow = (mark: string, who: Phrase, { id }: ShownWorkspace, why?: string): Row => ({
  mark,
  cells: [who, [name(id)], ...(why === undefined ? [] : [[words(why, 'quiet')]])],
})
