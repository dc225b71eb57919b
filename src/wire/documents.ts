/** JSON:API documents of the interface. Types only: client and sandbox share no code. */

export interface Reference {
  readonly id: string
  readonly type: string
}

/** A resource object. Attributes and relationships are unknown until a decoder has checked them. */
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

/** docs/service.md 2.3. */
export interface Pagination {
  readonly 'current-page': number
  readonly 'page-size': number
  readonly 'prev-page': number | null
  readonly 'next-page': number | null
  readonly 'total-pages': number
  readonly 'total-count': number
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
