import type { SandboxSeed } from '../../../src/sandbox/index.ts'
import type { ApiRequest, ApiResponse } from '../../../src/wire/transport.ts'

/** A value that a workspace sees, with the id of the set that it comes from. */
export interface SeenValue {
  readonly text: string
  readonly set: string
}

/** What workspaces see, by `ws-1 env/A`. */
export type Seen = ReadonlyMap<string, SeenValue>

interface ShownVariable {
  readonly id: string
  readonly attributes: {
    readonly key: string
    readonly category: string
    readonly hcl?: boolean
    readonly 'version-id'?: string
  }
  readonly relationships: { readonly varset: { readonly data: { readonly id: string } } }
}

/** One version of a variable: its id and version id. */
export const versionOf = (id: string, version: string | undefined): string => `${id} ${version}`

/** Adds what `all-vars` of the service returns for a workspace. `textOf` returns texts, also of sensitive variables. */
export function addSight(
  sight: Map<string, SeenValue>,
  workspace: string,
  { body }: Pick<ApiResponse, 'body'>,
  textOf: (version: string) => string | undefined,
): void {
  const { data }: { data: readonly ShownVariable[] } = JSON.parse(body)
  for (const { id, attributes, relationships } of data) {
    const { key, category } = attributes
    if (category !== 'env' && category !== 'terraform') continue
    const text = textOf(versionOf(id, attributes['version-id'])) ?? `an unknown version of ${id}`
    const isCode = category === 'terraform' && attributes.hcl === true
    const set = relationships.varset.data.id
    sight.set(`${workspace} ${category}/${key}`, { text: isCode ? `hcl ${text}` : text, set })
  }
}

export const allVarsOf = (workspace: string): ApiRequest => ({
  method: 'GET',
  path: `/api/v2/workspaces/${workspace}/all-vars`,
  headers: {},
})

/** All names that sets ever had, and all texts of variables, for interpreting responses of any age. */
export class History {
  readonly #names = new Map<string, Set<string>>()
  readonly #texts = new Map<string, string>()

  /** `snapshot` must contain sensitive values. */
  add({ sets = [] }: SandboxSeed): void {
    for (const { id: set = '', name, variables = [] } of sets) {
      const names = this.#names.get(set) ?? new Set()
      this.#names.set(set, names.add(name))
      for (const { id = '', value = '', ...rest } of variables) {
        const { versionId } = rest as { readonly versionId?: string }
        this.#texts.set(versionOf(id, versionId), value)
      }
    }
  }

  readonly textOf = (version: string): string | undefined => this.#texts.get(version)

  hadName(set: string, name: string): boolean {
    return this.#names.get(set)?.has(name) === true
  }
}
