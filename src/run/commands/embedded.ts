import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Checked, mistake } from '../../model/diagnostic.ts'
import { TARGET_KINDS, TARGETS, type TargetKind } from '../../model/ids.ts'
import { plural } from '../../model/lists.ts'
import type { DesiredState, TargetRef } from '../../model/variable-set.ts'
import type { MadePlaces, Sandbox, SandboxSeed } from '../../sandbox/index.ts'
import type { Run } from '../run.ts'
import { checkOutputs, type Output, sandboxOutput } from './output-files.ts'

/** What the embedded sandbox must contain so that the files can be applied. */
export type SandboxContents = Pick<DesiredState, 'organization' | 'sets'>

/**
 * Opens the embedded service. Its workspaces, projects and Stacks are those of the seed (`SETPOINT_SANDBOX_SEED`); without a seed, it makes
 * what the files name. Ignores `TFE_*` of the environment.
 */
export async function openSandbox(run: Run, named: SandboxContents): Promise<Checked<Sandbox>> {
  const { value: seed, diagnostics } = await readSeed(run, named.organization)
  if (diagnostics.length > 0) return { value: undefined, diagnostics }
  const given = run.given && 'sandbox' in run.given ? run.given.sandbox : undefined
  // A caller continues to use its sandbox, so this run does not close it.
  const opened: Checked<Sandbox> =
    given === undefined
      ? await openFile(run, sandboxOutput(run), seed ?? {})
      : { value: { ...given, close: async () => {} }, diagnostics: [] }
  const { value: sandbox } = opened
  if (sandbox === undefined) return opened
  const { organizations, projects, workspaces, stacks } = seed ?? seedOf(named)
  const made = sandbox.ensure({ organizations, projects, workspaces, stacks })
  if (seed === undefined && given === undefined) sayMade(run, made)
  return opened
}

/** A typing error in a file is made, too. */
function sayMade(run: Run, made: MadePlaces): void {
  const counts = TARGET_KINDS.flatMap(kind =>
    made[kind].length === 0 ? [] : plural(made[kind].length, TARGETS[kind].one),
  )
  if (counts.length === 0) return
  run.listener.note(
    `The sandbox made ${counts.join(', ').replace(/, ([^,]*)$/, ' and $1')} that the files name. To check names, set SETPOINT_SANDBOX_SEED.\n`,
    'usual',
  )
}

async function readSeed(run: Run, organization: string): Promise<Checked<SandboxSeed>> {
  const written = run.env.SETPOINT_SANDBOX_SEED
  if (!written) return { value: undefined, diagnostics: [] }
  const { parseSeed, SeedError } = await import('../../sandbox/index.ts')
  try {
    const seed = parseSeed(await readFile(resolve(run.cwd, written), 'utf8'))
    return { value: { organizations: [{ name: organization }], ...seed }, diagnostics: [] }
  } catch (error) {
    const isOfFile = error instanceof SeedError || (error instanceof Error && 'code' in error)
    if (!isOfFile) throw error
    const seed = `SETPOINT_SANDBOX_SEED is ${JSON.stringify(written)}`
    const found =
      error instanceof SeedError
        ? mistake('bad-usage', `${seed}: ${error.message}`)
        : mistake('bad-usage', `${seed}, which cannot be read.`, 'Write the path of a file that exists.')
    return { value: undefined, diagnostics: [found] }
  }
}

function seedOf({ organization, sets }: SandboxContents): SandboxSeed {
  const of = (kind: TargetKind) => sets.flatMap(set => (set[kind] ?? []).map(named))
  const stacks = distinct(of('stacks'), organization)
  const owners = sets.flatMap(({ project }) => (project === undefined ? [] : [named(project)]))
  // A Stack is always in a project.
  const needed = stacks.length === 0 ? [] : [{ name: ANY_PROJECT }]
  return {
    organizations: [{ name: organization }],
    projects: distinct([...of('projects'), ...owners, ...needed], organization),
    workspaces: distinct(of('workspaces'), organization),
    stacks: stacks.map(stack => ({ ...stack, project: ANY_PROJECT })),
  }
}

/** Reports a file that another run uses, or that is damaged. */
async function openFile(run: Run, output: Output, seed: SandboxSeed): Promise<Checked<Sandbox>> {
  await checkOutputs(run, [output])
  const file = resolve(run.cwd, output.path)
  // Not `sandbox/index.ts`, which loads the YAML package for seeds.
  const { createSandbox } = await import('../../sandbox/sandbox.ts')
  const { SandboxFileError } = await import('../../sandbox/state-file.ts')
  const { LockedError } = await import('../../sandbox/lock.ts')
  try {
    return { value: await createSandbox({ file, now: run.now, seed }), diagnostics: [] }
  } catch (error) {
    if (!(error instanceof SandboxFileError) && !(error instanceof LockedError)) throw error
    return notThere(error.message)
  }
}

const notThere = (message: string): Checked<Sandbox> => ({
  value: undefined,
  diagnostics: [mistake('service-failure', message)],
})

type SandboxTarget = { readonly id?: string; readonly name?: string | undefined }

const named = (target: TargetRef<string>): SandboxTarget =>
  'id' in target && target.mayBeName !== true
    ? { id: target.id, name: target.member?.name }
    : { name: 'id' in target ? target.id : target.name }

/** The project of everything without one, as in the real service. */
const ANY_PROJECT = 'Default Project'

/** Each one once. */
function distinct(
  targets: readonly SandboxTarget[],
  organization: string,
): (SandboxTarget & { organization: string })[] {
  const all = new Map(targets.map(target => [target.id ?? target.name, target]))
  return [...all.values()].map(target => ({ ...target, organization }))
}
