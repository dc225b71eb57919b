import { type Diagnostic, mistake, warning } from '../model/diagnostic.ts'
import { hasEffect, serviceNameOf } from '../model/fields.ts'
import { idsOf, kindOfId, type VariableKey, wordOfId } from '../model/ids.ts'
import { itemAt } from '../model/lists.ts'
import type { DesiredVariable, Directory } from '../model/variable-set.ts'
import { type Draft, nameSlot } from './draft.ts'
import { declaredIn, type Match } from './match.ts'
import type { Operation, UpdateSet } from './operation.ts'
import { projectsOf } from './reach.ts'

/** What the service would refuse although each set is valid by itself. */
export function checkMatch(match: Match, directory: Directory): Diagnostic[] {
  return [
    ...globalConflicts(match),
    ...nameClashes(match),
    ...hclOfSecrets(match),
    ...doubtfulCode(match),
    ...outsideProject(match, directory),
  ]
}

interface GlobalKeyHolder {
  readonly set: string
  /** `left`: somebody put the key there, or made the set global, and the plan of one change leaves that as it is. */
  readonly is: 'ours' | 'left' | 'unmanaged'
}

/** No key may be in two global sets (docs/service.md 1.2), including sets that this plan does not manage. */
function globalConflicts(match: Match): Diagnostic[] {
  const holders = new Map<VariableKey, GlobalKeyHolder>()
  for (const set of match.untouched)
    if (set.global)
      for (const variable of set.variables) holders.set(variable.key, { set: set.name, is: 'unmanaged' })
  const found: Diagnostic[] = []
  for (const pair of match.pairs) {
    const { desired, observed } = pair
    if (!desired.global) continue
    const declared = declaredIn(pair)
    const inFiles = new Set(declared.global ? declared.variables.map(({ key }) => key) : [])
    for (const variable of desired.variables) {
      // A missing external variable is not created.
      if ('external' in variable.value && !observed?.variables.some(({ key }) => key === variable.key))
        continue
      const holder = holders.get(variable.key)
      const one = { set: desired.name, is: inFiles.has(variable.key) ? 'ours' : 'left' } as const
      if (holder === undefined) holders.set(variable.key, one)
      else found.push(globalConflict(variable, one, holder))
    }
  }
  return found
}

/**
 * Assignments outside the owning project. The interface does not say whether they are allowed (docs/service.md 10.3);
 * existing ones are.
 */
function outsideProject({ pairs }: Match, directory: Directory): Diagnostic[] {
  const projectOf = projectsOf(directory)
  const { workspaces, projects, stacks = [] } = directory
  const names = new Map<string, string>(
    [...workspaces, ...projects, ...stacks].map(one => [one.id, one.name]),
  )
  const named = (id: string): string => JSON.stringify(names.get(id) ?? id)
  return pairs.flatMap(({ desired, observed }) => {
    const { parent, name, source } = desired
    if (parent === undefined) return []
    const had = new Set<string>(idsOf(observed ?? {}))
    const outside = idsOf(desired)
      .filter(id => {
        const project = kindOfId(id) === 'projects' ? id : projectOf.get(id)
        return project !== undefined && project !== parent && !had.has(id)
      })
      .map(id => `${wordOfId(id)} ${named(id)}`)
    if (outside.length === 0) return []
    return warning(
      'outside-project',
      `"${name}" belongs to the project ${named(parent)} but is assigned outside of it: ${outside.join(', ')}.`,
      'HCP Terraform may refuse this. List only workspaces, projects and Stacks of the project, or remove `project`. Lists that you leave out stay unchanged.',
      source,
    )
  })
}

function globalConflict(
  { key, source }: DesiredVariable,
  one: GlobalKeyHolder,
  other: GlobalKeyHolder,
): Diagnostic {
  const left = [one, other].find(({ is }) => is === 'left')
  const at = other.is === 'unmanaged' ? other : left
  const name = at === one ? other.set : one.set
  const said = (message: string, hint: string) =>
    mistake('global-conflict', message, `A key may be in only one global set. ${hint}`, source)
  if (at === undefined)
    return said(
      `"${key}" is in two global sets, "${other.set}" and "${name}".`,
      'Remove it from one of them, or make one set not global.',
    )
  if (at.is === 'left')
    return said(
      `"${key}" of "${name}" is also in the global set "${at.set}". The files do not say so, and this change does not revert it.`,
      'The full plan, without --only-this-change, does.',
    )
  return said(
    `"${key}" is also in the global set "${at.set}", which this plan does not manage.`,
    `Remove it from "${at.set}" first, declare that set here, or make "${name}" not global.`,
  )
}

function nameClashes(match: Match): Diagnostic[] {
  const untouched = new Map(match.untouched.map(set => [set.name, set]))
  return match.pairs.flatMap(({ desired, observed }) => {
    const name = serviceNameOf(desired)
    const clash = untouched.get(name)
    if (clash === undefined || observed === undefined || observed.name === name) return []
    const there = `Another set is already named "${name}" (${clash.id}), and this plan does not manage it.`
    const { id, previousNames, source } = desired
    // Otherwise only the inventory knows the set by this name.
    const isMeant = id !== undefined || previousNames.includes(observed.name)
    return mistake(
      'name-clash',
      isMeant
        ? there
        : `${there} The inventory knows the set ${observed.id} by this name, which somebody renamed to "${observed.name}".`,
      isMeant
        ? 'Choose another name, or declare that set here as well.'
        : `Rename or delete one of them in the service, or write the id of the set that is meant: \`id: ${observed.id}\` with another name, or \`id: ${clash.id}\`.`,
      source,
    )
  })
}

/** The service never shows a sensitive value and never changes its `hcl`, so only the file can say what it is. */
function hclOfSecrets(match: Match): Diagnostic[] {
  return match.pairs.flatMap(({ desired, observed }) => {
    // Sensitive HCL is rare, so most sets need no index.
    const mayDiffer =
      observed?.variables.some(({ hcl, value }) => hcl && 'hidden' in value) ||
      desired.variables.some(({ hcl, value }) => hcl && 'external' in value)
    if (!mayDiffer) return []
    const hidden = new Map(
      observed?.variables.filter(({ value }) => 'hidden' in value).map(({ key, hcl }) => [key, hcl]),
    )
    return desired.variables.flatMap(({ key, value, hcl, source }) => {
      const is = hidden.get(key)
      if (is === undefined || is === hcl || !hasEffect('hcl', key)) return []
      const what = `"${key}" of "${desired.name}" is`
      if ('secret' in value && is)
        return warning(
          'hcl-of-secret',
          `${what} HCL in the service but not in the file. The plan replaces it with plain text.`,
          `To keep it HCL, write \`{ secret: ${value.secret.name}, hcl: true }\`.`,
          source,
        )
      if (!('external' in value && hcl)) return []
      return warning(
        'hcl-of-secret',
        `${what} sensitive and not HCL in the service. That cannot change without its value.`,
        'Write `{ secret: NAME, hcl: true }` to replace it, or remove `hcl`.',
        source,
      )
    })
  })
}

/** Code that is no valid value is an error, unless the service holds exactly it: then a plan keeps it, and says what is wrong. */
function doubtfulCode(match: Match): Diagnostic[] {
  return match.pairs.flatMap(({ desired, observed }) => {
    const doubtful = desired.variables.filter(({ doubt }) => doubt !== undefined)
    if (doubtful.length === 0) return []
    const held = new Map(observed?.variables.map(variable => [variable.key, variable]))
    return doubtful.flatMap(({ key, value, doubt }) => {
      const now = held.get(key)
      const isHeld =
        now?.hcl === true && 'text' in now.value && 'text' in value && now.value.text === value.text
      if (doubt === undefined) return []
      return isHeld ? { ...doubt, severity: 'warning', message: `${doubt.message} ${HELD}` } : doubt
    })
  })
}

const HELD = 'The service already has this value.'

/**
 * Swapped names, for example, cannot be ordered: a service with unique names refuses either first step. In `cycle`, each draft waits
 * for the next one.
 */
export function cycleDiagnostic(cycle: readonly Draft[]): Diagnostic {
  return mistake(
    'name-cycle',
    `These changes wait for each other: ${cycle.map(({ operation }) => inWords(operation)).join(', ')}.`,
    firstChange(cycle),
    cycle.find(({ source }) => source !== undefined)?.source,
  )
}

/** The change to make before the others. Every circle has a set that waits for its new name, or for a new set in its place. */
function firstChange(cycle: readonly Draft[]): string {
  const renamed = cycle.flatMap(({ operation }, at) => {
    const { releases } = itemAt(cycle, (at + 1) % cycle.length)
    return isRename(operation) && releases.includes(nameSlot(operation.after.name)) ? operation : []
  })[0]
  if (renamed === undefined) {
    const created = cycle.find(({ operation }) => operation.type === 'create-set')?.operation.subject.name
    return `First apply the files without \`previousNames\` of ${JSON.stringify(created)}: then it waits for the deletion, and the plan names the gap.`
  }
  const [from, to] = [renamed.before.name, renamed.after.name].map(name => JSON.stringify(name))
  return `First rename ${from} to a name that no set has, such as ${JSON.stringify(`${renamed.after.name}-temporary`)}, and apply that. Then rename it to ${to}. If somebody swapped names in the service, it is enough to give ${from} such a name there.`
}

const isRename = (operation: Operation): operation is UpdateSet =>
  operation.type === 'update-set' && operation.before.name !== operation.after.name

function inWords(operation: Operation): string {
  const name = JSON.stringify(operation.subject.name)
  if (operation.type === 'create-set') return `${name} is created`
  if (operation.type === 'delete-set') return `${name} is deleted`
  return isRename(operation)
    ? `${JSON.stringify(operation.before.name)} is renamed to ${name}`
    : `${name} is changed`
}
