/** How much is proven: everything; a part that meets every cell, for CI; a sample, for every run of the tests. */
export type Size = 'whole' | 'part' | 'sample'

/** One kind of proof by numbers. A file `*.family.ts` below `test` has one as its default export, and is found by its name. */
export interface Family<Task, Found> {
  /** A word, for the command line and for tables. */
  readonly name: string
  /** Items of docs/fault-model.md. */
  readonly proves: readonly string[]
  /** What there is to do, the same for the same seed. Tasks and what they find are JSON: they travel between threads. */
  tasks(size: Size, seed: number): readonly Task[]
  /** About how many seconds of a processor a task takes, for the time that is left. */
  seconds(task: Task): number
  /** The task gets a thread of its own, which does no other. */
  isAlone?(task: Task): boolean
  run(task: Task): Promise<Found>
  /** What all of them come to. Where `isAll` is false they are a slice, and no number is too small. */
  conclude(done: readonly Done<Task, Found>[], size: Size, isAll: boolean): Conclusion
  /** A task told step by step, for whoever does one again to find out why. */
  story?(found: Found): string | undefined
}

export interface Done<Task, Found> {
  readonly task: Task
  readonly found: Found
}

export interface Conclusion {
  readonly figures: readonly Figure[]
  readonly promises: readonly Promised[]
  /** Its section of docs/reliability.md, where everything was proven. */
  readonly section: string
  /** What is printed beside the figures. */
  readonly details?: string
}

export type Figure = readonly [what: string, count: number]

/** A sentence that has to hold, and whatever was found to break it. */
export interface Promised {
  readonly promise: string
  readonly broken: readonly string[]
}

/** The command that does one task again. */
export const again = (family: string, task: unknown): string =>
  `npm run proof -- --again '${family} ${JSON.stringify(task).replaceAll("'", '\\u0027')}'`

export const sum = <Item>(items: readonly Item[], count: (item: Item) => number): number =>
  items.reduce((total, item) => total + count(item), 0)

export const counted = (number: number): string => number.toLocaleString('en-US')

/** A promise about a number that has to be reached. Of a slice nothing is asked. */
export const atLeast = (promise: string, wanted: number, got: number, isAll: boolean): Promised => ({
  promise,
  broken: !isAll || got >= wanted ? [] : [`${counted(got)}, and ${counted(wanted)} are wanted`],
})
