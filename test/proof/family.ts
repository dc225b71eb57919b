/** How much is proven: everything; a part that contains every cell, for CI; or a sample, for each run of the tests. */
export type Size = 'whole' | 'part' | 'sample'

/** One kind of proof by numbers: the default export of a file `*.family.ts` below `test`, which is found by its name. */
export interface Family<Task, Found> {
  /** One word, for the command line and for tables. */
  readonly name: string
  /** Items of docs/fault-model.md. */
  readonly proves: readonly string[]
  /** The tasks, the same for the same seed. Tasks and their results are JSON, because threads exchange them. */
  tasks(size: Size, seed: number): readonly Task[]
  /** Expected seconds of processor time, for the remaining time. */
  seconds(task: Task): number
  /** Whether the task needs a thread that does no other task. */
  isAlone?(task: Task): boolean
  run(task: Task): Promise<Found>
  /** The conclusion from all results. If `isAll` is false, they are a slice, and minimum numbers do not apply. */
  conclude(done: readonly Done<Task, Found>[], size: Size, isAll: boolean): Conclusion
  /** The steps of a task, for finding out why it failed. */
  story?(found: Found): string | undefined
}

export interface Done<Task, Found> {
  readonly task: Task
  readonly found: Found
}

export interface Conclusion {
  readonly figures: readonly Figure[]
  readonly promises: readonly Promised[]
  /** Its section of docs/reference/proof.md, after a whole proof. */
  readonly section: string
  /** Printed beside the figures. */
  readonly details?: string
}

export type Figure = readonly [what: string, count: number]

/** A promise, and everything that broke it. */
export interface Promised {
  readonly promise: string
  readonly broken: readonly string[]
}

/** The command that repeats one task. */
export const again = (family: string, task: unknown): string =>
  `npm run proof -- --again '${family} ${JSON.stringify(task).replaceAll("'", '\\u0027')}'`

export const sum = <Item>(items: readonly Item[], count: (item: Item) => number): number =>
  items.reduce((total, item) => total + count(item), 0)

export const counted = (number: number): string => number.toLocaleString('en-US')

/** A promise with a minimum number, which a slice need not reach. */
export const atLeast = (promise: string, wanted: number, got: number, isAll: boolean): Promised => ({
  promise,
  broken: !isAll || got >= wanted ? [] : [`${counted(got)} of at least ${counted(wanted)}`],
})
