import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { mayWriteTo, WriteError } from '../run/write-files.ts'
import type { Io } from './io.ts'

/** The file of GitHub Actions whose Markdown stands on the page of the run. Others write to it too, so it only grows. */
export const isStepSummary = ({ env, cwd }: Io, path: string): boolean =>
  env.GITHUB_STEP_SUMMARY ? resolve(cwd, path) === resolve(env.GITHUB_STEP_SUMMARY) : false

/** Behind what stands there already. */
export async function appendWhole(directory: string, name: string, text: string): Promise<void> {
  const path = resolve(directory, name)
  mayWriteTo(directory, path)
  try {
    await appendFile(path, `\n${text}`)
  } catch (error) {
    throw new WriteError(path, error)
  }
}
