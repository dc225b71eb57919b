import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sourcesIn } from '../forge/place.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/** The event that started a pipeline of GitHub, where the file can be read. */
export async function eventIn({ env }: Pick<Io, 'env'>): Promise<{ event?: string }> {
  const path = env.GITHUB_EVENT_PATH
  if (!path) return {}
  const event = await readFile(resolve(path), 'utf8').catch(() => undefined)
  return event === undefined ? {} : { event }
}

/** Where the forge shows the files that this job has read: of use to the forms that have links. */
export async function sourcesOf(
  io: Pick<Io, 'env'>,
  { format, reports }: Pick<Options, 'format' | 'reports'>,
): Promise<{ sources?: string }> {
  const formats = [format, ...reports.map(report => report.format)]
  if (!formats.some(one => one === 'markdown' || one === 'html')) return {}
  const sources = sourcesIn(io.env, (await eventIn(io)).event)
  return sources === undefined ? {} : { sources }
}
