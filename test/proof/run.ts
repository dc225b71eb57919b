import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { again, type Done, type Family, type Size } from './family.ts'
import { PROGRAM } from './place.ts'

export interface TaskRequest {
  readonly family: string
  readonly task: unknown
}

export type TaskResult = { readonly found: unknown } | { readonly error: string }

type AnyFamily = Family<unknown, unknown>

/** A part of the proof: one of `of` slices of a size, of all families or some. */
export interface Part {
  readonly size: Size
  readonly seed: number
  readonly slice: number
  readonly of: number
}

export interface Job extends TaskRequest {
  readonly seconds: number
  readonly isAlone: boolean
}

/** Results by family, and tasks that crashed. JSON, so that slices can be joined. */
export interface Findings {
  readonly part: Part
  readonly done: Readonly<Record<string, readonly Done<unknown, unknown>[]>>
  readonly crashed: readonly string[]
}

export interface Progress {
  readonly jobs: number
  readonly jobsDone: number
  /** From 0 to 1, by the expected work. */
  readonly share: number
  readonly last: Job
}

const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(join(PROGRAM, 'test'), { recursive: true, encoding: 'utf8' }).flatMap(file => {
    const name = /([\w-]+)\.family\.js$/.exec(file)?.[1]
    return name === undefined ? [] : [[name, join(PROGRAM, 'test', file)]]
  }),
)

/** All families, or those with these names. */
export async function families(names: readonly string[] = []): Promise<readonly AnyFamily[]> {
  const unknown = names.find(name => FILES[name] === undefined)
  if (unknown !== undefined)
    throw new RangeError(`Unknown family "${unknown}". Known families: ${Object.keys(FILES).join(', ')}.`)
  const chosen = Object.entries(FILES).filter(([name]) => names.length === 0 || names.includes(name))
  return await Promise.all(
    chosen.map(async ([, file]) => ((await import(file)) as { default: AnyFamily }).default),
  )
}

/** The tasks of a part, the largest first. Slices get equal shares of each family. */
export const jobsOf = (all: readonly AnyFamily[], { size, seed, slice, of }: Part): readonly Job[] =>
  all
    .flatMap(family =>
      family.tasks(size, seed).map(task => ({
        family: family.name,
        task,
        seconds: family.seconds(task),
        isAlone: family.isAlone?.(task) === true,
      })),
    )
    .toSorted((a, b) => b.seconds - a.seconds)
    .filter((_, index) => index % of === slice - 1)

/** Milliseconds without a finished task after which the proof gives up. The largest task takes a minute. */
const PATIENCE = 30 * 60_000

/** Does all jobs on this number of threads, which does not change the result. */
export async function prove(
  part: Part,
  jobs: readonly Job[],
  threads: number,
  onProgress: (progress: Progress) => void = () => {},
): Promise<Findings> {
  const done: Record<string, Done<unknown, unknown>[]> = Object.fromEntries(
    jobs.map(({ family }) => [family, []]),
  )
  const crashed: string[] = []
  const work = jobs.reduce((total, { seconds }) => total + seconds, 0)
  const queue = jobs.values()
  const underWay = new Set<Job>()
  let [jobsDone, workDone, lastSeen] = [0, 0, performance.now()]

  function finish(job: Job, result: TaskResult): void {
    underWay.delete(job)
    if ('found' in result) done[job.family]?.push({ task: job.task, found: result.found })
    else crashed.push(`${result.error}\n  ${again(job.family, job.task)}`)
    lastSeen = performance.now()
    jobsDone += 1
    workDone += job.seconds
    onProgress({ jobs: jobs.length, jobsDone, share: workDone / work, last: job })
  }

  const workers: Worker[] = []
  function startWorker(): Worker {
    const worker = new Worker(join(PROGRAM, 'test/proof/worker.js'), {
      workerData: FILES,
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    })
    workers.push(worker)
    return worker
  }

  async function runJobs(): Promise<void> {
    let worker: Worker | undefined
    for (const job of queue) {
      if (job.isAlone) await stopWorker()
      worker ??= startWorker()
      underWay.add(job)
      const result = await answer(worker, job)
      finish(job, result)
      // A failed task may leave something behind, so the next one gets a new thread.
      if (job.isAlone || 'error' in result) await stopWorker()
    }
    await stopWorker()
    async function stopWorker(): Promise<void> {
      await worker?.terminate()
      worker = undefined
    }
  }

  const watch = new Promise<never>((_, fail) => {
    const timer = setInterval(() => {
      if (performance.now() - lastSeen < PATIENCE) return
      const names = [...underWay].map(({ family, task }) => again(family, task))
      fail(new Error(`No task has ended for ${PATIENCE / 60_000} minutes. Running:\n${names.join('\n')}`))
    }, 5_000)
    timer.unref()
  })
  try {
    await Promise.race([watch, Promise.all(Array.from({ length: threads }, () => runJobs()))])
  } finally {
    await Promise.all(workers.map(worker => worker.terminate()))
  }
  return { part, done, crashed }
}

const answer = (worker: Worker, { family, task }: Job): Promise<TaskResult> =>
  new Promise(resolve => {
    const settle = (result: TaskResult): void => {
      worker.off('message', settle).off('error', failed).off('exit', gone)
      resolve(result)
    }
    const failed = (error: unknown): void => settle({ error: `the thread crashed: ${String(error)}` })
    const gone = (code: number): void => settle({ error: `the thread ended with ${code}` })
    worker.on('message', settle).on('error', failed).on('exit', gone)
    worker.postMessage({ family, task } satisfies TaskRequest)
  })

/** Joins the findings of slices to those of one run. */
export function joined(slices: readonly Findings[]): Findings {
  const [first] = slices
  if (first === undefined) throw new RangeError('There is nothing to join.')
  const { size, seed, of } = first.part
  const there = slices.map(({ part }) => part)
  const alike = there.every(part => part.size === size && part.seed === seed && part.of === of)
  const numbers = new Set(there.map(({ slice }) => slice))
  if (!alike || numbers.size !== of || slices.length !== of)
    throw new RangeError(
      `These are not ${of} slices of one proof: ${there.map(part => `${part.slice}/${part.of} of ${part.size}, seed ${part.seed}`).join('; ')}.`,
    )
  const names = [...new Set(slices.flatMap(({ done }) => Object.keys(done)))]
  return {
    part: { size, seed, slice: 1, of: 1 },
    done: Object.fromEntries(names.map(name => [name, slices.flatMap(({ done }) => done[name] ?? [])])),
    crashed: slices.flatMap(({ crashed }) => crashed),
  }
}
