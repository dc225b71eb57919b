import { createReader } from '../../src/api/reader.ts'
import { createWriter } from '../../src/api/writer.ts'
import { categoryOf, nameOf } from '../../src/model/ids.ts'
import type { Directory, ObservedSet } from '../../src/model/variable-set.ts'
import type { Service } from '../../src/run/service.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts'
import type { SandboxSeed, SetSeed } from '../../src/sandbox/seed.ts'
import type { ApiRequest, Transport } from '../../src/wire/transport.ts'

export const WORKSPACES = ['ws-AAAAAAAAAAAAAAA1', 'ws-AAAAAAAAAAAAAAA2', 'ws-AAAAAAAAAAAAAAA3'] as const
export const PROJECTS = ['prj-AAAAAAAAAAAAAAA1', 'prj-AAAAAAAAAAAAAAA2'] as const
export const STACKS = ['st-AAAAAAAAAAAAAAA1', 'st-AAAAAAAAAAAAAAA2', 'st-AAAAAAAAAAAAAAA3'] as const

/** The Stacks of a seed. All are in the first project. */
const STACK_SEEDS = STACKS.map((id, i) => ({ id, name: `stack-${i + 1}`, project: 'project-1' }))

/** A sandbox, and a connection to it that counts requests. */
export interface World extends Service {
  readonly sandbox: Sandbox
  readonly log: readonly ApiRequest[]
}

/** Targets of sets: one organization with its projects, workspaces and Stacks. */
export const PLACES = {
  organizations: [{ name: 'acme' }],
  projects: PROJECTS.map((id, i) => ({ id, name: `project-${i + 1}` })),
  workspaces: WORKSPACES.map((id, i) => ({
    id,
    name: `workspace-${i + 1}`,
    project: `project-${(i % 2) + 1}`,
  })),
  stacks: STACK_SEEDS,
} as const satisfies SandboxSeed

/** What the service tells of them. */
export const DIRECTORY: Directory = {
  projects: PLACES.projects,
  workspaces: PLACES.workspaces.map(({ id, name }, i) => ({ id, name, project: PROJECTS[i % 2] ?? 'prj-' })),
  stacks: PLACES.stacks.map(({ id, name }, i) => ({ id, name, project: PROJECTS[i % 2] ?? 'prj-' })),
  whole: ['workspaces', 'projects', 'stacks'],
}

export async function aWorld(
  sets: readonly SetSeed[],
  options: SandboxOptions & { between?: (next: Transport) => Transport } = {},
): Promise<World> {
  const { between, ...rest } = options
  const sandbox = await createSandbox({
    seed: { ...PLACES, sets },
    ...rest,
  })
  const log: ApiRequest[] = []
  const inner = between === undefined ? sandbox.transport : between(sandbox.transport)
  const transport: Transport = (request, signal) => {
    log.push(request)
    return inner(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${sandbox.token}` } },
      signal,
    )
  }
  const reads = () => log.filter(request => request.method === 'GET').length
  return {
    sandbox,
    log,
    address: 'sandbox',
    reader: createReader(transport),
    writer: () => createWriter(transport),
    retriesExhausted: () => false,
    requests: () => ({ reads: reads(), writes: log.length - reads() }),
  }
}

/** An observed set as a seed, to put a random state into a sandbox. */
export const seedFrom = (set: ObservedSet): SetSeed => ({
  id: set.id,
  name: set.name,
  description: set.description,
  global: set.global,
  priority: set.priority,
  ...(set.parent === undefined ? {} : { parent: set.parent }),
  workspaces: set.workspaces,
  projects: set.projects,
  ...(set.stacks === undefined ? {} : { stacks: set.stacks }),
  variables: set.variables.map(variable => ({
    id: variable.id,
    key: nameOf(variable.key),
    category: categoryOf(variable.key),
    description: variable.description,
    hcl: variable.hcl,
    ...('text' in variable.value
      ? { value: variable.value.text }
      : { value: 'hidden-before', sensitive: true }),
  })),
})
