import type { TaggedWorkspace } from '../api/decode-target.ts'
import { isStatus } from '../api/errors.ts'
import { createLookUps } from '../api/look-ups.ts'
import { taggedWorkspaces } from '../api/tagged.ts'
import { groupsIn } from '../config/groups.ts'
import { type EditedGroup, editedGroups, type ListedWorkspace } from '../export/edit-groups.ts'
import { type Checked, compareText, hasErrors, mistake, none } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { ProjectId } from '../model/ids.ts'
import { append, grouped } from '../model/lists.ts'
import { didYouMean, matchesPattern } from '../model/names.ts'
import { failureIn, type Group } from '../model/variable-set.ts'
import { createNameIndex, idOf, type NameIndex, notListed } from '../plan/resolve-names.ts'
import { differs, type GroupDifference } from '../report/groups-doc.ts'
import type { ReadOnly } from './service.ts'

/**
 * Asks the service which workspaces each group should have. A list that is kept by hand differs if one of its workspaces was renamed or is
 * gone. Rejects if the service cannot be read.
 */
export async function groupDifferences(
  { reader }: ReadOnly,
  { organization, groups }: { readonly organization: string; readonly groups: readonly Group[] },
): Promise<Checked<readonly GroupDifference[]>> {
  const findings = new Findings()
  const withTags = groups.find(({ select }) => select?.tags?.some(({ value }) => value !== ''))
  const lookUps = createLookUps(reader, organization)
  const wantsProjects = groups.some(selectsNamedProject)
  const [workspaces] = await Promise.all([
    taggedWorkspaces(reader, organization, withTags !== undefined).catch(error => {
      if (isStatus(error, 403, 404)) return undefined
      throw error
    }),
    lookUps.ask({ all: wantsProjects ? ['projects'] : [] }),
  ])
  if (workspaces === undefined)
    return none(
      mistake(
        'no-look-up',
        `The service does not list the workspaces of "${organization}" for this token.`,
        'Use a token that may read the workspaces.',
      ),
    )
  if (withTags !== undefined && workspaces.some(({ withoutValues }) => withoutValues === true))
    findings.error(
      'no-look-up',
      'The service does not show the values of tags.',
      'Select by names or projects, or by tags without a value.',
      withTags.source,
    )
  const showsNoProject = !workspaces.some(({ project }) => project !== undefined)
  // Perhaps no workspace is in a project. A service that lists projects would show them.
  if (showsNoProject && groups.some(({ select }) => select?.projects !== undefined))
    await lookUps.ask({ all: ['projects'] })
  const told = lookUps.told()
  const { projects, hidden } = told
  const index = createNameIndex('projects', projects)
  const isUnlisted = hidden?.includes('projects') === true
  const named = groups.find(selectsNamedProject)
  if (named !== undefined && isUnlisted) {
    const at = { source: named.source, hint: WITHOUT_PROJECTS }
    notListed('projects', organization, failureIn(told, 'projects'), at, findings)
  }
  const isTold = (group: Group): boolean => {
    const { select = {}, source } = group
    if (isUnlisted && selectsNamedProject(group)) return false
    const unseen =
      select.projects !== undefined && showsNoProject && isUnlisted
        ? 'projects'
        : select.tags !== undefined && workspaces.every(({ withoutTags }) => withoutTags === true)
          ? 'tags'
          : undefined
    if (unseen === undefined || workspaces.length === 0) return true
    findings.error(
      'no-look-up',
      `The service does not show the ${unseen} of workspaces.`,
      INSTEAD[unseen],
      source,
    )
    return false
  }
  const differences = groups
    .filter(isTold)
    .map(group => differenceOf(group, workspaces, projectsOf(group, index, findings), findings))
  const diagnostics = findings.sorted()
  return { value: hasErrors(diagnostics) ? undefined : differences, diagnostics }
}

const selectsNamedProject = ({ select }: Group): boolean =>
  select?.projects?.some(one => 'name' in one || one.mayBeName === true) === true

const WITHOUT_PROJECTS =
  'Select by names or tags, by ids of projects, or use a token that may read the projects.'
const INSTEAD = {
  projects: 'Select by names or tags.',
  tags: 'Select by names or projects.',
} as const

/** The projects that a group selects; `undefined` if it selects none. */
function projectsOf(
  { select }: Group,
  index: NameIndex<ProjectId>,
  findings: Findings,
): ReadonlySet<ProjectId> | undefined {
  const ids = select?.projects?.flatMap(one => idOf(one, index, findings) ?? [])
  return ids && new Set(ids)
}

function differenceOf(
  group: Group,
  workspaces: readonly TaggedWorkspace[],
  projects: ReadonlySet<ProjectId> | undefined,
  findings: Findings,
): GroupDifference {
  const { name, source, select, members } = group
  const byId = new Map(workspaces.map(one => [one.id, one]))
  const listed = new Set(members.map(({ id }) => id))
  const selected = select === undefined ? [] : workspaces.filter(one => matches(group, one, projects))
  const ids = new Set(selected.map(({ id }) => id))
  const removed = members.flatMap(({ name, id }) => {
    if (!byId.has(id)) return { name, id, why: 'gone' as const }
    return select === undefined || ids.has(id) ? [] : { name, id, why: 'unselected' as const }
  })
  const left = new Set(removed.map(({ id }) => id))
  const renamed = members.flatMap(member => {
    const now = byId.get(member.id)?.name
    return now === undefined || now === member.name || left.has(member.id)
      ? []
      : { name: now, id: member.id, before: member.name }
  })
  const added = selected
    .flatMap(({ name, id }) => (listed.has(id) ? [] : { name, id }))
    .sort((a, b) => compareText(a.name, b.name))
  if (select !== undefined && selected.length === 0 && !group.allowEmpty)
    findings.error(
      'empty-group',
      `The selection of the group "${name}" matches no workspace.`,
      'Correct `select`. If the group may be empty, write `allowEmpty: true`.',
      source,
    )
  else reportUnmatched(group, workspaces, findings)
  reportNamesakes(group, select === undefined ? [] : selected, findings)
  const count = select === undefined ? members.length - removed.length : selected.length
  const counts = { listed: members.length, selected: count }
  return { group: name, source, selects: select !== undefined, ...counts, added, removed, renamed }
}

/** A misspelled pattern leaves nothing out, and the workspace that was meant would receive what the group receives. */
function reportUnmatched(
  { name, source, select, except }: Group,
  workspaces: readonly TaggedWorkspace[],
  findings: Findings,
): void {
  const written = [
    ...(select?.names ?? []).map(pattern => ['names', pattern] as const),
    ...except.map(pattern => ['except', pattern] as const),
  ]
  for (const [key, pattern] of written)
    if (!workspaces.some(one => pattern === one.id || matchesPattern(pattern, one.name)))
      findings.warning(
        'unmatched-selection',
        `\`${key}\` of the group "${name}" has ${JSON.stringify(pattern)}, which matches no workspace.`,
        didYouMean(
          pattern,
          workspaces.map(one => one.name),
        ) ?? 'Correct it, or remove it.',
        source,
      )
}

/** A list has each name once. */
function reportNamesakes(
  { name, source }: Group,
  selected: readonly ListedWorkspace[],
  findings: Findings,
): void {
  for (const [shared, { length }] of grouped(selected, one => one.name))
    if (length > 1)
      findings.error(
        'ambiguous-name',
        `"${shared}" is the name of ${length} workspaces that the group "${name}" selects.`,
        'Rename them in the service, or leave all but one out: write their ids under `except`.',
        source,
      )
}

/** Whether the selection has this workspace. */
function matches(
  { select = {}, except }: Group,
  { id, name, project, tags: has }: TaggedWorkspace,
  projects: ReadonlySet<ProjectId> | undefined,
): boolean {
  const { names, tags = [] } = select
  return (
    (names === undefined || names.some(pattern => matchesPattern(pattern, name))) &&
    tags.every(({ key, value }) => has.get(key) === value) &&
    (projects === undefined || (project !== undefined && projects.has(project))) &&
    !except.some(pattern => pattern === id || matchesPattern(pattern, name))
  )
}

/** A group file with what it becomes. */
export interface UpdatedGroupFile {
  /** Relative to the repository's root. */
  readonly path: string
  readonly text: string
}

/** The group files with the lists that the service would have. Writes nothing. */
export async function updatedGroups(
  groups: readonly Group[],
  differences: readonly GroupDifference[],
  read: (path: string) => Promise<string>,
): Promise<Checked<readonly UpdatedGroupFile[]>> {
  const findings = new Findings()
  const byFile = new Map<string, [Group, EditedGroup][]>()
  for (const difference of differences.filter(differs)) {
    const group = groups.find(({ name }) => name === difference.group)
    if (group !== undefined) append(byFile, group.source.path, [group, editOf(group, difference)])
  }
  const files: UpdatedGroupFile[] = []
  for (const [path, edits] of byFile) {
    const before = await read(path)
    // Places in the text are counted without a byte order mark.
    const mark = before.startsWith('\ufeff') ? '\ufeff' : ''
    const text = editedGroups(
      before.slice(mark.length),
      edits.map(([, edit]) => edit),
    )
    const after = text === undefined ? undefined : groupsIn(path, text)
    for (const [{ source }, edit] of edits)
      if (text === undefined || !isAsMeant(edit, after))
        findings.error(
          'not-written',
          `The group "${edit.name}" cannot be updated in place: it has a form that cannot be edited.`,
          'Nothing was written. Write each workspace on its own line, or change the list by hand.',
          source,
        )
    files.push({ path, text: mark + (text ?? '') })
  }
  const diagnostics = findings.sorted()
  return { value: hasErrors(diagnostics) ? undefined : files, diagnostics }
}

/** A workspace that was created again with its name keeps its line. */
function editOf({ name, members }: Group, { added, removed, renamed }: GroupDifference): EditedGroup {
  const left = new Set(removed.map(({ id }) => id))
  const nameOf = new Map(renamed.map(one => [one.id, one.name]))
  const addedAs = new Map(added.map(one => [one.name, one]))
  const lines = members.map(was => {
    const again = addedAs.get(was.name)
    if (left.has(was.id)) return { was, now: again }
    return { was, now: { name: nameOf.get(was.id) ?? was.name, id: was.id } }
  })
  const taken = new Set(lines.flatMap(({ now }) => now?.id ?? []))
  return { name, lines, added: added.filter(({ id }) => !taken.has(id)) }
}

/** Whether a text that was written has exactly the list that was meant. */
function isAsMeant({ name, lines, added }: EditedGroup, groups: readonly Group[] | undefined): boolean {
  const wanted = [...lines.flatMap(({ now }) => now ?? []), ...added].map(one => `${one.name} ${one.id}`)
  const written = groups?.find(group => group.name === name)?.members.map(one => `${one.name} ${one.id}`)
  return wanted.sort().join('\n') === written?.sort().join('\n')
}
