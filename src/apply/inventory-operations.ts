import type { SetSettings } from '../model/fields.ts'
import { fieldsOf, NO_FIELDS } from '../model/fields.ts'
import type { VariableId, VariableSetId } from '../model/ids.ts'
import { INVENTORY_PREFIX } from '../model/names.ts'
import type { Variable } from '../model/variable-set.ts'
import type { Operation } from '../plan/operation.ts'
import type { InventoryWrites } from './inventory.ts'

/** The writes as operations, in order. `id` is the inventory, if the owner already has one. */
export function operationsFor(
  { added, changed, removed, struck }: InventoryWrites,
  owner: string,
  id: VariableSetId | undefined,
): Operation[] {
  const settings = settingsFor(owner)
  const { name } = settings
  const kind = 'variable-set' as const
  const struckOff = struck.map(({ inventory, variable }) => removal(name, inventory, variable))
  if (id === undefined) {
    const after = { ...settings, variables: added, workspaces: [], projects: [] }
    return [
      ...(added.length === 0 ? [] : [{ type: 'create-set', subject: { kind, name }, after } as const]),
      ...struckOff,
    ]
  }
  const subject = { kind, name, id } as const
  const [only] = added
  return [
    ...(only !== undefined && added.length === 1
      ? [{ type: 'create-variable', subject, after: only, replaces: false } as const]
      : []),
    ...(added.length > 1
      ? [{ type: 'update-set', subject, before: settings, after: settings, variables: added } as const]
      : []),
    ...changed.map(({ inventory, variable: variableId, text: after }) => {
      const before = unknownBefore(after)
      return {
        type: 'update-variable',
        subject: { ...subject, id: inventory },
        variableId,
        before,
        after,
      } as const
    }),
    ...removed.map(({ inventory, variable }) => removal(name, inventory, variable)),
    ...struckOff,
  ]
}

const settingsFor = (owner: string): SetSettings => ({
  name: `${INVENTORY_PREFIX}${owner}`,
  description: 'What Setpoint manages for this owner. Written by it; assigned to nothing.',
  global: false,
  priority: false,
})

const removal = (name: string, id: VariableSetId, variableId: VariableId): Operation => ({
  type: 'delete-variable',
  subject: { kind: 'variable-set', name, id },
  variableId,
  before: unknownBefore({ key: 'terraform/', ...NO_FIELDS }),
  replaced: false,
})

const unknownBefore = (variable: Omit<Variable<unknown>, 'value'>) =>
  ({ key: variable.key, ...fieldsOf(variable), value: { withheld: true } }) as const
