import type { Settings } from '../model/fields.ts'
import { fieldsOf, NO_FIELDS } from '../model/fields.ts'
import type { VariableId, VariableSetId } from '../model/ids.ts'
import { INVENTORY_PREFIX } from '../model/inventory.ts'
import type { Variable } from '../model/variable-set.ts'
import type { Operation } from '../plan/operation.ts'
import type { InventoryWrites } from './inventory.ts'

/** What has to be written as operations, in their order. `id`: the inventory, where the owner has one already. */
export function operationsFor(
  { added, changed, removed, struck }: InventoryWrites,
  owner: string,
  id: VariableSetId | undefined,
): Operation[] {
  const settings = settingsFor(owner)
  const set = settings.name
  const struckOff = struck.map(({ inventory, variable }) => removal(set, inventory, variable))
  if (id === undefined) {
    const after = { ...settings, variables: added, workspaces: [], projects: [] }
    return [...(added.length === 0 ? [] : [{ type: 'create-set', set, after } as const]), ...struckOff]
  }
  const [only] = added
  return [
    ...(only !== undefined && added.length === 1
      ? [{ type: 'create-variable', set, setId: id, after: only, replaces: false } as const]
      : []),
    ...(added.length > 1
      ? [{ type: 'update-set', set, setId: id, before: settings, after: settings, variables: added } as const]
      : []),
    ...changed.map(({ inventory, variable: variableId, text: after }) => {
      const before = unknownBefore(after)
      return { type: 'update-variable', set, setId: inventory, variableId, before, after } as const
    }),
    ...removed.map(({ inventory, variable }) => removal(set, inventory, variable)),
    ...struckOff,
  ]
}

const settingsFor = (owner: string): Settings => ({
  name: `${INVENTORY_PREFIX}${owner}`,
  description: 'What Setpoint manages for this owner. Written by it; assigned to nothing.',
  global: false,
  priority: false,
})

const removal = (set: string, setId: VariableSetId, variableId: VariableId): Operation => ({
  type: 'delete-variable',
  set,
  setId,
  variableId,
  before: unknownBefore({ key: 'terraform/', ...NO_FIELDS }),
  replaced: false,
})

const unknownBefore = (variable: Omit<Variable<unknown>, 'value'>) =>
  ({ key: variable.key, ...fieldsOf(variable), value: { withheld: true } }) as const
