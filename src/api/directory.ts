import { type Checked, compareText } from '../model/diagnostic.ts'
import type { Directory, DirectoryProject, DirectoryWorkspace } from '../model/variable-set.ts'
import { isStatus } from './errors.ts'
import { readPages, untilWhole } from './pages.ts'
import type { Reader } from './reader.ts'

/**
 * Every workspace and project that the token may see, sorted by name: two requests, more only with more than 100 of a kind.
 * The interface does not have these lists (docs/service.md 12.3), so a 404 is something the user can act on.
 */
export async function readDirectory(
  reader: Reader,
  organization: string,
  signal?: AbortSignal,
): Promise<Checked<Directory>> {
  try {
    const [workspaces, projects] = await Promise.all([
      untilWhole(() => readPages(page => reader.listWorkspacesPage(organization, page, signal), idOf)),
      untilWhole(() => readPages(page => reader.listProjectsPage(organization, page, signal), idOf)),
    ])
    return { value: joined(workspaces.entries, projects.entries), diagnostics: [] }
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

const idOf = ({ id }: { readonly id: string }): string => id

function joined(
  workspaces: readonly { id: DirectoryWorkspace['id']; name: string; project?: string }[],
  projects: readonly DirectoryProject[],
): Directory {
  const nameOf = new Map<string, string>(projects.map(({ id, name }) => [id, name]))
  return {
    workspaces: workspaces
      .map(({ id, name, project }) => {
        const projectName = project === undefined ? undefined : nameOf.get(project)
        return { name, id, ...(projectName === undefined ? {} : { project: projectName }) }
      })
      .sort(byName),
    projects: projects.map(({ id, name }) => ({ name, id })).sort(byName),
  }
}

const byName = (a: DirectoryProject | DirectoryWorkspace, b: DirectoryProject | DirectoryWorkspace): number =>
  compareText(a.name, b.name) || compareText(a.id, b.id)
