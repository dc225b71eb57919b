/**
 * Setpoint as a library: the commands `validate`, `plan`, `apply`, `drift`, `affected` and `test` as functions (docs/library.md). The sandbox is
 * `setpoint/sandbox`.
 */

export { affected, apply, drift, plan, test, validate } from './library/library.ts'
export type {
  AffectedInput,
  AffectedOutput,
  ApplyInput,
  ApplyOutput,
  DriftInput,
  DriftOutput,
  PlanInput,
  PlanOutput,
  TestInput,
  TestOutput,
  ValidateInput,
  ValidateOutput,
} from './library/types.ts'
export type { Diagnostic, DiagnosticCode, SourceRange } from './model/diagnostic.ts'
export type { Operation, OperationType, Subject } from './plan/operation.ts'
export type { AffectedDocument } from './report/affected.ts'
export type { Validation } from './report/diagnostics.ts'
export type { Format } from './report/formats.ts'
export type { ApplyReport, DriftReport, PlanReport } from './report/json.ts'
export type { RuleTestsDocument } from './report/rule-tests.ts'
export type { ApiRequest, ApiResponse, Transport } from './wire/transport.ts'
export { TransportError } from './wire/transport.ts'
