import { createLookUps } from '../../api/look-ups.ts'
import type { Checked } from '../../model/diagnostic.ts'
import type { ExplainedState } from '../../plan/effective/explanation.ts'
import { placed } from '../../report/command-line.ts'
import type { Explained } from '../../report/explanation-doc.ts'
import { explainKey } from '../explain-key.ts'
import { explainStack, explainWorkspace } from '../explain-target.ts'
import { stackNamed, stackWritten } from '../find-target.ts'
import type { Run } from '../run.ts'
import { hideEnvironment } from '../run-secrets.ts'
import { fail, misuse, required } from './ending.ts'
import { type Session, withService } from './session.ts'

/** What a workspace receives, or what a Stack may read. */
export interface ExplainResult {
  readonly explanation: Explained
  /** Requests. */
  readonly reads: number
}

/**
 * Explains what one workspace receives and from which set, or what one Stack may read; with `--key` instead, who receives a key. Never
 * writes.
 */
export async function explain(run: Run, written: string | undefined): Promise<ExplainResult> {
  const { key, from } = run.options
  const asked = written === undefined ? [] : [written]
  if (asked.length + (key === undefined ? 0 : 1) !== 1)
    misuse(
      run,
      key === undefined ? 'Missing argument: WORKSPACE.' : 'A workspace and --key exclude each other.',
      'Run: setpoint explain WORKSPACE, or setpoint explain --key KEY',
    )
  return await withService(run, async session => {
    hideEnvironment(run, session.desired)
    const found = required(run, await find(run, session, { written, key }, from))
    const explained = { ...found, notes: found.notes.map(note => placed(note, run.typed)) }
    return { explanation: run.redactor.in(explained), reads: session.service.requests().reads }
  })
}

async function find(
  run: Run,
  { desired, service }: Session,
  { written = '', key }: { readonly written?: string; readonly key?: string },
  moment: ExplainedState,
): Promise<Checked<Explained>> {
  const lookUps = createLookUps(service.reader, desired.organization)
  if (key !== undefined) return await explainKey(desired, service, key, moment, lookUps)
  const ofStack = (stack: Parameters<typeof explainStack>[2]): Promise<Checked<Explained>> =>
    explainStack(desired, service, stack, moment, lookUps)
  const stack = stackWritten(written)
  if (stack !== undefined) return await ofStack(stack)
  const workspace = await explainWorkspace(desired, service, written, moment, lookUps)
  if (!workspace.diagnostics.some(({ code, source }) => code === 'unknown-name' && source === undefined))
    return workspace
  const named = await stackNamed(written, lookUps)
  if (named.value !== undefined) return await ofStack(named.value)
  return fail(run, ...workspace.diagnostics, ...named.diagnostics)
}
