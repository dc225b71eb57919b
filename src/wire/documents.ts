/** JSON:API documents of the interface, as types only: client and sandbox share these and no code. */

export interface Reference {
  readonly id: string
  readonly type: string
}

/** A resource object. Attributes and relationships stay unknown until a decoder has looked at them. */
export interface ResourceDocument extends Reference {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown; readonly links?: unknown }>>
  readonly links?: Readonly<Record<string, unknown>>
}

export interface Document<T> {
  readonly data: T
  readonly included?: readonly ResourceDocument[]
  readonly links?: Readonly<Record<string, string | null>>
  readonly meta?: { readonly pagination?: Pagination }
}

/** Interface 2.3. */
export interface Pagination {
  readonly 'current-page': number
  readonly 'page-size': number
  readonly 'prev-page': number | null
  readonly 'next-page': number | null
  readonly 'total-pages': number
  readonly 'total-count': number
}

/** The interface does not show the fields (docs/service.md 6); these are the known real service's (docs/service.md 9.2). */
export interface ErrorObject {
  readonly status?: string
  readonly title?: string
  readonly detail?: string
  readonly source?: { readonly pointer?: string }
}

export interface VariableAttributes {
  readonly key: string
  readonly value?: string
  readonly description?: string
  readonly category: string
  readonly hcl?: boolean
  readonly sensitive?: boolean
}

export interface SetAttributes {
  readonly name: string
  readonly description: string
  readonly global: boolean
  readonly priority: boolean
}

export const MEDIA_TYPE = 'application/vnd.api+json'
