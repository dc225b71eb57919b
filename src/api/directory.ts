import { type Checked, compareText } from '../model/diagnostic.ts'
import type { ProjectId, StackId, TargetIds, TargetKind } from '../model/ids.ts'
import type { Directory, DirectoryEntry } from '../model/variable-set.ts'
import { isStatus } from './errors.ts'
import { readPages, untilWhole } from './pages.ts'
import type { Reader, TargetEntry } from './reader.ts'

/** Asks the service for names, and for each list once, however often somebody needs it. */
export interface LookUp {
  /** Workspaces and projects: which there are, and which is in which. */
  readonly places: () => Promise<Checked<Directory>>
  /** `undefined` where the service has no Stacks, or shows none to this token. */
  readonly stacks: () => Promise<readonly DirectoryEntry<StackId>[] | undefined>
}

/** `projects`: those whose names are known, for Stacks that are in them. */
export function createLookUp(
  reader: Reader,
  organization: string,
  signal?: AbortSignal,
  projects: Directory['projects'] = [],
): LookUp {
  return {
    places: once(() => readDirectory(reader, organization, signal)),
    stacks: once(() => readStacks(reader, organization, signal, projects)),
  }
}

/** The promise of the first call. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}

/**
 * Every workspace and project that the token may see, sorted by name: two requests, more only with more than 100 of a kind;
 * and the Stacks, where they are asked for. The interface does not have these lists (docs/service.md 12.3), so a 404 is
 * something the user can act on; of Stacks it says that there are none.
 */
export async function readDirectory(
  reader: Reader,
  organization: string,
  signal?: AbortSignal,
  also: { readonly stacks?: boolean } = {},
): Promise<Checked<Directory>> {
  try {
    const [workspaces, projects, stacks] = await Promise.all([
      listed(reader, 'workspaces', organization, signal),
      listed(reader, 'projects', organization, signal),
      also.stacks === true ? stacksListed(reader, organization, signal) : undefined,
    ])
    const nameOf = new Map<ProjectId, string>(projects.map(({ id, name }) => [id, name]))
    return {
      value: {
        workspaces: named(workspaces, nameOf),
        projects: named(projects, nameOf),
        ...(stacks === undefined || stacks.length === 0 ? {} : { stacks: named(stacks, nameOf) }),
      },
      diagnostics: [],
    }
  } catch (error) {
    if (!isStatus(error, 404)) throw error
    return {
      value: undefined,
      diagnostics: [
        {
          severity: 'error',
          code: 'no-look-up',
          message: `the service does not list the workspaces and projects of "${organization}" to this token`,
          hint: 'write ids, or keep their names and ids in the directory file',
        },
      ],
    }
  }
}

/** The Stacks alone; `undefined` where the service has none, or shows none to this token. */
async function readStacks(
  reader: Reader,
  organization: string,
  signal: AbortSignal | undefined,
  projects: Directory['projects'],
): Promise<readonly DirectoryEntry<StackId>[] | undefined> {
  const stacks = await stacksListed(reader, organization, signal)
  return stacks && named(stacks, new Map(projects.map(({ id, name }) => [id, name])))
}

async function stacksListed(
  reader: Reader,
  organization: string,
  signal: AbortSignal | undefined,
): Promise<readonly TargetEntry<StackId>[] | undefined> {
  try {
    return await listed(reader, 'stacks', organization, signal)
  } catch (error) {
    if (isStatus(error, 403, 404)) return undefined
    throw error
  }
}

const listed = async <K extends TargetKind>(
  reader: Reader,
  kind: K,
  organization: string,
  signal: AbortSignal | undefined,
): Promise<readonly TargetEntry<TargetIds[K]>[]> => {
  const { entries } = await untilWhole(() =>
    readPages(
      page => reader.listTargetsPage(kind, organization, page, signal),
      ({ id }): string => id,
    ),
  )
  return entries
}

const named = <Id extends string>(
  entries: readonly TargetEntry<Id>[],
  nameOf: ReadonlyMap<ProjectId, string>,
): readonly DirectoryEntry<Id>[] =>
  entries
    .map(({ id, name, project }) => {
      const projectName = project === undefined ? undefined : nameOf.get(project)
      return { name, id, ...(projectName === undefined ? {} : { project: projectName }) }
    })
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id))
