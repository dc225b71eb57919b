/**
 * Setpoint as a library: the commands `validate`, `plan`, `apply` and `drift` as functions (docs/library.md). The sandbox is
 * `setpoint/sandbox`.
 */
export type { ApplyInput, DriftInput, PlanInput, ValidateInput } from './library/input.ts'
export { apply, drift, plan, validate } from './library/library.ts'
export type { ApplyOutput, DriftOutput, PlanOutput, ValidateOutput } from './library/output.ts'
export type { Diagnostic, DiagnosticCode, SourceRange } from './model/diagnostic.ts'
export type { Operation, OperationType, Subject } from './plan/operation.ts'
export type { Format } from './report/formats.ts'
export type { ApplyReport, DriftReport, PlanReport } from './report/json.ts'
export type { Validation } from './report/validation.ts'
export type { ApiRequest, ApiResponse, Transport } from './wire/transport.ts'
export { TransportError } from './wire/transport.ts'
