import { isObject } from './request.ts'
import { type SandboxSeed, SeedError, type VariableSeed } from './seed.ts'

type SeedShape = 'text' | 'flag' | 'texts' | 'map' | { readonly each: Fields }
interface Fields {
  readonly [name: string]: { readonly shape: SeedShape; readonly required?: true }
}

const text = { shape: 'text' } as const
const flag = { shape: 'flag' } as const
const texts = { shape: 'texts' } as const
const map = { shape: 'map' } as const
const needed = { shape: 'text', required: true } as const

const VARIABLE = {
  id: text,
  key: needed,
  value: text,
  description: text,
  category: needed,
  hcl: flag,
  sensitive: flag,
  createdAt: text,
  versionId: text,
} as const satisfies Fields & Record<keyof VariableSeed, unknown>

const PLACE = { organization: text, id: text, name: text, description: text } as const
const each = (fields: Fields) => ({ shape: { each: fields } })

const SEED: Fields = {
  organizations: each({ name: needed, email: text, attributes: map }),
  projects: each({ ...PLACE, attributes: map }),
  workspaces: each({
    ...PLACE,
    executionMode: text,
    attributes: map,
    project: text,
    variables: each(VARIABLE),
  }),
  stacks: each({ ...PLACE, attributes: map, project: needed }),
  sets: each({
    ...PLACE,
    name: needed,
    global: flag,
    priority: flag,
    parent: text,
    workspaces: texts,
    projects: texts,
    stacks: texts,
    variables: each(VARIABLE),
    updatedAt: text,
  }),
  tokens: each({ token: needed, permission: needed, projects: map, organizations: texts }),
}

const PROJECT_PERMISSIONS: readonly unknown[] = ['none', 'read', 'manage']
const PERMISSIONS = ['none', 'read-variables', 'manage-workspaces', 'admin']

/** Throws a SeedError that lists every member with a form other than `SandboxSeed` has. */
export function checkSeed(value: unknown): SandboxSeed {
  const problems: string[] = []
  checkFields(value, SEED, '', problems)
  if (problems.length > 0) throw new SeedError(problems)
  return value as SandboxSeed
}

function checkFields(value: unknown, fields: Fields, at: string, problems: string[]): void {
  if (!isObject(value)) {
    problems.push(`${at || 'the seed'}: must be a map`)
    return
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) problems.push(`${at}${at && '.'}${name}: is not known`)
  }
  for (const [name, field] of Object.entries(fields)) {
    const place = `${at}${at && '.'}${name}`
    const member = value[name]
    if (member === undefined) {
      if (field.required) problems.push(`${place}: is missing`)
    } else checkMember(member, field.shape, place, problems)
    if (name === 'permission' && typeof member === 'string' && !PERMISSIONS.includes(member)) {
      problems.push(`${place}: must be one of ${PERMISSIONS.join(', ')}`)
    }
    // Only tokens have a map of this name; every other `projects` is a list.
    if (name === 'projects' && field.shape === 'map' && isObject(member)) {
      for (const [project, permission] of Object.entries(member)) {
        if (PROJECT_PERMISSIONS.includes(permission)) continue
        problems.push(`${place}.${project}: must be one of ${PROJECT_PERMISSIONS.join(', ')}`)
      }
    }
  }
}

function checkMember(member: unknown, shape: SeedShape, at: string, problems: string[]): void {
  if (shape === 'text' || shape === 'flag') {
    const wanted = shape === 'text' ? 'string' : 'boolean'
    if (typeof member !== wanted)
      problems.push(`${at}: must be a ${shape === 'text' ? 'text' : 'true or false'}`)
    return
  }
  if (shape === 'map') {
    if (!isObject(member)) problems.push(`${at}: must be a map`)
    return
  }
  if (!Array.isArray(member)) {
    problems.push(`${at}: must be a list`)
    return
  }
  for (const [index, entry] of member.entries()) {
    if (shape === 'texts') checkMember(entry, 'text', `${at}[${index}]`, problems)
    else checkFields(entry, shape.each, `${at}[${index}]`, problems)
  }
}
