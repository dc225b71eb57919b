import type { TaggedWorkspace } from './decode-target.ts'
import { unlessStatus } from './errors.ts'
import { type Page, type PageRequest, readPages, untilConsistent } from './pages.ts'
import type { Reader } from './reader.ts'

/**
 * All workspaces of an organization with their tags; those with values only if `wantsValues`. The pages prove that the list is
 * complete. Rejects if the service cannot be read, or does not list workspaces.
 */
export async function taggedWorkspaces(
  reader: Reader,
  organization: string,
  wantsValues: boolean,
): Promise<readonly TaggedWorkspace[]> {
  let inherited = wantsValues
  const page = async (asked: PageRequest): Promise<Page<TaggedWorkspace>> => {
    const first = inherited
      ? await unlessStatus(reader.listTaggedPage(organization, asked, true), 400, 422)
      : undefined
    if (first !== undefined) return first
    // A service without such tags may refuse the parameter.
    inherited = false
    return await reader.listTaggedPage(organization, asked, false)
  }
  const { entries } = await untilConsistent(() => readPages(page, ({ id }): string => id))
  const isOurs = (one: TaggedWorkspace): boolean =>
    (one.organization ?? organization).toLowerCase() === organization.toLowerCase()
  return entries.filter(isOurs)
}
