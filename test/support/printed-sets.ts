import type { SandboxSeed, SetSeed, VariableSeed } from '../../src/sandbox/index.ts'

/** The sets of the service, with the values of secrets. */
export type Live = readonly SetSeed[]

/**
 * One line for each set: `name  of project p global priority "description"  env/X=1 env/S=(s) terraform/L=hcl:[1]  ->
 * workspace, project p`. Variables are sorted; a sensitive value is in round brackets, a description after `#`.
 */
export function printedSets({
  sets = [],
  workspaces = [],
  projects = [],
  stacks = [],
}: SandboxSeed): string[] {
  const names = new Map([
    ...workspaces.map(({ id, name }) => [id, name ?? id] as const),
    ...projects.map(({ id, name }) => [id, `project ${name ?? id}`] as const),
    ...stacks.map(({ id, name }) => [id, `Stack ${name ?? id}`] as const),
  ])
  return sets.map(set => printedSet(set, id => names.get(id) ?? id)).toSorted()
}

function printedSet(set: SetSeed, nameOf: (id: string) => string): string {
  const targets = [set.workspaces, set.projects, set.stacks]
    .flatMap(ids => (ids ?? []).map(nameOf))
    .toSorted()
  return [
    [set.name],
    [
      set.parent && `of ${nameOf(set.parent)}`,
      set.global && 'global',
      set.priority && 'priority',
      set.description && JSON.stringify(set.description),
    ],
    (set.variables ?? []).map(printedVariable).toSorted(),
    targets.length === 0 ? [] : [`-> ${targets.join(', ')}`],
  ]
    .map(words => words.filter(Boolean).join(' '))
    .filter(Boolean)
    .join('  ')
}

function printedVariable({ category, key, value = '', hcl, sensitive, description }: VariableSeed): string {
  const text = sensitive === true ? `(${value})` : value
  return `${category}/${key}=${hcl === true ? 'hcl:' : ''}${text}${description ? `#${description}` : ''}`
}
