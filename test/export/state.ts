import type { JsonObject } from '../../src/export/state-json.ts'

/** Short forms of what Terraform 1.x writes. */

type Shape = Readonly<Record<string, unknown>>

export const SET_ID = 'varset-AAAAAAAAAAAAAAA1'

export const aSetObject = (shape: Shape = {}): Shape => ({
  description: '',
  global: false,
  id: SET_ID,
  name: 'aws',
  organization: 'acme',
  parent_project_id: null,
  priority: false,
  stack_ids: [],
  workspace_ids: [],
  ...shape,
})

export const aVariableObject = (shape: Shape = {}): Shape => ({
  category: 'env',
  description: '',
  hcl: false,
  id: 'var-AAAAAAAAAAAAAAA1',
  key: 'A',
  readable_value: null,
  sensitive: false,
  value: '1',
  value_wo: null,
  value_wo_version: null,
  variable_set_id: SET_ID,
  workspace_id: null,
  ...shape,
})

export interface Resource {
  readonly type: string
  readonly name?: string
  readonly module?: string
  readonly mode?: string
  /** Attributes by instance key; a list has no keys. */
  readonly instances: readonly Shape[] | ReadonlyMap<string | number, Shape>
}

/** A state file of version 4. */
export function stateFile(...resources: readonly Resource[]): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: '5f0f4a8e-9d0b-7c13-2f57-0a3cf26a6f58',
    outputs: {},
    resources: resources.map(({ type, name = 'this', module, mode = 'managed', instances }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      type,
      name,
      provider: 'provider["registry.terraform.io/hashicorp/tfe"]',
      instances:
        instances instanceof Map
          ? [...instances].map(([index_key, attributes]) => ({ index_key, schema_version: 0, attributes }))
          : [...instances.values()].map((attributes: unknown) => ({ schema_version: 0, attributes })),
    })),
    check_results: null,
  })
}

export type { JsonObject }
