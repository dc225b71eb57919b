import { type Diagnostic, hasErrors } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'

/** Of the form, `schemas/validation.schema.json`: the second number grows with members, the first with breaks. */
const VALIDATION_FORMAT = '1.0'

/** What `validate` found. The counts are there where the files are valid. */
export interface Validation {
  readonly format: string
  readonly kind: 'validation'
  readonly valid: boolean
  readonly organization?: string
  readonly sets?: number
  readonly variables?: number
  readonly files?: number
  /** Warnings that the files accept. */
  readonly accepted?: number
  readonly diagnostics: readonly Diagnostic[]
}

export const validationOf = (
  state: Pick<DesiredState, 'organization' | 'sets' | 'files'> | undefined,
  diagnostics: readonly Diagnostic[],
  accepted = 0,
): Validation => ({
  format: VALIDATION_FORMAT,
  kind: 'validation',
  valid: state !== undefined && !hasErrors(diagnostics),
  ...(state === undefined
    ? {}
    : {
        organization: state.organization,
        sets: state.sets.length,
        variables: state.sets.reduce((sum, set) => sum + set.variables.length, 0),
        files: state.files,
        accepted,
      }),
  diagnostics,
})
