/** A comment as the forge knows it. `author`: something that only its account has. */
export interface Comment {
  readonly id: string
  readonly body: string
  readonly author: string
}

/** The comments of one pull or merge request. Rejects with a `ForgeError` or a `TransportError`. */
export interface Thread {
  /** Such as `pull request 7 of acme/sets`. */
  readonly name: string
  /** Characters that a comment may have. */
  readonly most: number
  /** All of them, the oldest first. */
  readonly list: () => Promise<readonly Comment[]>
  /** Whom the token speaks for, as in `author`. */
  readonly self: () => Promise<string>
  readonly create: (body: string) => Promise<void>
  readonly update: (id: string, body: string) => Promise<void>
}
