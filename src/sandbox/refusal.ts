/** One error object, before the profile decides how it looks. */
export interface Problem {
  readonly title: string
  readonly detail?: string
  /** JSON pointer into the request's body. */
  readonly pointer?: string
  readonly parameter?: string
}

/** Why a request is not carried out. Thrown by rules and readers, answered in one place. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly problems: readonly Problem[]

  constructor(status: number, problems: readonly Problem[]) {
    super(problems.map(problem => problem.detail ?? problem.title).join('; '))
    this.status = status
    this.problems = problems
  }
}

/** Not there, or not for this token: the interface makes no difference (5, rule 3). */
export const notFound = () => new Refusal(404, [{ title: 'not found' }])

export const unauthorized = () => new Refusal(401, [{ title: 'unauthorized' }])

/** Interface 7: a problem with the payload or the request. Titles are the known real service's. */
export const invalid = (...problems: readonly Problem[]) => new Refusal(422, problems)

/** One wrong attribute, such as `Name has already been taken`. */
export const wrongAttribute = (name: string, detail: string): Problem => ({
  title: 'invalid attribute',
  detail,
  pointer: `/data/attributes/${name}`,
})

export const malformed = (detail: string, pointer: string): Problem => ({
  title: 'malformed request',
  detail,
  pointer,
})

/** Throws all of them at once, as the real service answers with several errors. */
export function refuseIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(...problems)
}
